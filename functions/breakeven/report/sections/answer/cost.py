"""Cost: where the options change places, what they cost, and what moves that."""

from __future__ import annotations

from collections.abc import Iterator

from breakeven import words
from breakeven.report.charts.cost_curves import costs
from breakeven.report.charts.decision import decisions
from breakeven.report.charts.hours import hours
from breakeven.report.charts.tornado import tornado
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Bullets, Folded, Part, Section, Strong, Table, filled, paragraph
from breakeven.report.money.by_size import by_size_table
from breakeven.report.money.capacities_table import capacities_table
from breakeven.report.money.counted import counted_table
from breakeven.report.money.crossover_tables import all_crossovers_table, crossover_table
from breakeven.report.money.latency_at_crossing import crossing_latencies_table
from breakeven.report.money.lookup_tables import (
    bills_table,
    map_table,
    offered_rates_table,
    sensitivity_table,
)
from breakeven.report.money.measured_capacity import MeasuredCapacity, measured_capacities, options_of
from breakeven.report.money.pairs_table import pairs_table
from breakeven.report.money.price_tables import hours_tables, prices_table
from breakeven.report.money.priced.price_sources import price_sources_table
from breakeven.report.money.priced.volumes_table import volumes_table
from breakeven.report.money.size_board_table import board_table, why_empty
from breakeven.report.money.variants_table import variants_table
from breakeven.report.sections.subject import Subject

WHY_IT_DIFFERS = Strong("Why the article's figure differs from its own prices.")


def section(subject: Subject) -> Section | None:
    """None where nothing was priced."""
    report = subject.report
    if not report.crossovers and not report.cost_curves:
        return None
    return Section("cost", "Cost", tuple(_parts(subject)))


def _parts(subject: Subject) -> Iterator[Part]:
    """What is read first stands open, what is looked up is folded."""
    report, published = subject.report, subject.published
    yield from filled(volumes_table(report))
    yield from subject.drawn(costs)
    yield from filled(crossover_table(report, published))
    if published and published.breakeven:
        yield from paragraph(WHY_IT_DIFFERS, f" {published.breakeven.why}")
    yield from filled(capacities_table(report), board_table(report), crossing_latencies_table(report))
    yield from _folded("every-crossing", "Every crossing", all_crossovers_table(report))
    yield from filled(pairs_table(report))
    yield from filled(by_size_table(report), variants_table(report))
    yield from filled(prices_table(report), offered_rates_table(report))
    yield from subject.drawn(hours)
    yield from filled(*hours_tables(report))
    yield from subject.drawn(decisions)
    yield from _folded("map-in-words", "The map in words", map_table(report))
    yield from subject.drawn(tornado)
    yield from _folded("sensitivities", "Every input, every pair of options", sensitivity_table(report))
    yield from _folded("empty-receives", "Empty receives, case by case", counted_table(report))
    yield from _folded("bills", "Every bill line by line", bills_table(report))
    yield from _folded("price-sources", "Prices used: who says so, and when", price_sources_table(report))
    if notes := cost_notes(report):
        yield Bullets(tuple((note,) for note in notes), "note")


def _folded(slug: str, summary: str, table: Table | None) -> tuple[Folded, ...]:
    tables = filled(table)
    return (Folded(slug, summary, tables),) if tables else ()


def cost_notes(report: Report) -> list[str]:
    """What is not priced or not known, and why."""
    capacities = (note for question in report.cost_questions for note in question.capacity_notes)
    # two sizes of one type have the same to say
    board = filter(None, [why_empty(report)])
    return [*report.cost_notes, *dict.fromkeys(capacities), *_measured(report), *board]


def _measured(report: Report) -> list[str]:
    """Capacities that price no question: one machine is no instance, and those of AWS have a table."""
    if report.capacities:
        return []
    asks = f"{words.IN_A_CLONE} crossover --capacity-from {report.run_id}"
    return [
        f"These figures do not use {one.describe()}. To price with it: {asks} {_on(one)}"
        for one in measured_capacities(report)
    ]


def _on(one: MeasuredCapacity) -> str:
    """Another form's or type's capacity is not taken: each is asked for by its own."""
    option = "--amazon-mq" if one.is_managed else "--instance"
    return f"{options_of(one.cluster)} {option} {one.instance}" if one.instance else options_of(one.cluster)
