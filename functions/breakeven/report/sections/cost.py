"""The cost part of the report, in the order in which it is read: the page and Markdown set the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from breakeven.published.rows import Published
from breakeven.report.charts.cost_curves import costs
from breakeven.report.charts.decision import decisions
from breakeven.report.charts.hours import hours
from breakeven.report.charts.tornado import tornado
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart, Table
from breakeven.report.money.crossover_tables import all_crossovers_table, crossover_table
from breakeven.report.money.lookup_tables import bills_table, map_table, sensitivity_table
from breakeven.report.money.measured_capacity import measured_capacities
from breakeven.report.money.price_tables import hours_table, prices_table


@dataclass(frozen=True, slots=True)
class Part:
    """Charts with the tables that belong to them; ``folded``: the words that unfold it; empty: open."""

    slug: str
    charts: tuple[Chart, ...]
    tables: tuple[Table, ...]
    folded: str = ""


def cost_parts(report: Report, published: Published | None, *, with_charts: bool = True) -> list[Part]:
    """None where nothing was priced.

    :param with_charts: False leaves them undrawn: they take seconds
    """

    def drawn(draw: Callable[[Report], tuple[Chart, ...]]) -> tuple[Chart, ...]:
        return draw(report) if with_charts else ()

    crossings = crossover_table(report, published)
    if not report.crossovers and not report.cost_curves:
        return []
    parts = [
        Part("curves", drawn(costs), (crossings,) if crossings.rows else ()),
        Part("every-crossing", (), _there(all_crossovers_table(report)), "Every crossing"),
        Part("prices", (), _there(prices_table(report))),
        Part("hours", drawn(hours), _there(hours_table(report))),
        Part("map", drawn(decisions), ()),
        Part("map-in-words", (), _there(map_table(report)), "The map in words"),
        Part("sensitivity", drawn(tornado), ()),
        Part("sensitivities", (), _there(sensitivity_table(report)), "Every input, every pair of options"),
        Part("bills", (), _there(bills_table(report)), "Every bill line by line"),
    ]
    return [part for part in parts if part.charts or part.tables]


def cost_tables(report: Report, published: Published | None) -> list[Table]:
    """The tables alone."""
    return [table for part in cost_parts(report, published, with_charts=False) for table in part.tables]


def cost_notes(report: Report) -> list[str]:
    """What is not priced or not known, and why."""
    capacities = (note for question in report.cost_questions for note in question.capacity_notes)
    # two sizes of one type have the same to say
    return [*report.cost_notes, *dict.fromkeys(capacities), *_measured(report)]


def _measured(report: Report) -> list[str]:
    """Capacities that the run found: the questions were put before it, and one machine is no instance."""
    asks = f"breakeven crossover --capacity-from {report.run_id}"
    return [
        f"No sum here takes {one.told()}. {asks}{_on(one.instance)} prices with it, and says so."
        for one in measured_capacities(report)
    ]


def _on(instance: str | None) -> str:
    """Another type's capacity is not taken: each is asked for by its own."""
    return f" --instance {instance}" if instance else ""


def _there(table: Table | None) -> tuple[Table, ...]:
    return (table,) if table else ()
