"""``index.html``: one file that needs nothing else, opening with the verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.charts.latency_percentiles import latencies
from breakeven.report.charts.over_time import over_time
from breakeven.report.charts.sweep import sweeps
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart, Table
from breakeven.report.money.key_figures import Key, money_keys
from breakeven.report.sections import glossary
from breakeven.report.sections.capacity_searches import capacity_table
from breakeven.report.sections.compared_targets import differences
from breakeven.report.sections.cost import cost_notes, cost_parts
from breakeven.report.sections.latency import metrics_table
from breakeven.report.sections.message_ledger import ledger_table
from breakeven.report.sections.provenance import ENVIRONMENTS, about
from breakeven.report.sections.repeats import comparison_table, repeats_table, said_once
from breakeven.report.tables import self_test
from breakeven.report.tables.driving_paths import driving_table, said_of_driving, said_of_tails
from breakeven.report.tables.loader_limits import loaders_table, said_of_loaders
from breakeven.report.tables.scenario_tables import comparison_tables

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Block:
    """A table of a scenario with the charts that belong to it."""

    table: Table
    charts: tuple[Chart, ...]


def page(report: Report, published: Published | None) -> str:
    """The page as HTML. Text from suites, brokers and errors is escaped; SVG is made here alone."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    headline, *rest = report.verdict.split("\n\n")
    return environment.get_template("index.html").render(
        report=report,
        published=published,
        headline=headline,
        paragraphs=rest,
        style=_ours((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        place=ENVIRONMENTS[report.environment],
        keys=_keys(report),
        failed=[case for case in report.cases if case.status == "failed"],
        differences=differences(report),
        cost=cost_parts(report, published),
        cost_notes=cost_notes(report),
        blocks=_blocks(report, published),
        proof=self_test.sentences(report),
        proof_table=self_test.validity_table(report),
        in_doubt=self_test.is_in_doubt(report),
        faster=comparison_table(report),
        repeats=repeats_table(report),
        said_once=said_once(report),
        latency_charts=latencies(report),
        ledger=ledger_table(report),
        capacity=capacity_table(report),
        loaders=loaders_table(report),
        said_of_loaders=said_of_loaders(report),
        driving=driving_table(report),
        said_of_driving=said_of_driving(report),
        said_of_tails=said_of_tails(report),
        metrics=metrics_table(report),
        about=about(report),
        glossary=glossary,
        words=words,
        svg=_ours,
    )


def _ours(markup: str) -> Markup:
    """Our own style sheet, and SVG whose every label matplotlib has escaped: not escaped again."""
    return Markup(markup)  # noqa: S704


def anchor(text: str) -> str:
    """An id for a heading: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def _blocks(report: Report, published: Published | None) -> list[Block]:
    """Each chart stands after the last table of its scenario."""
    charts = [*over_time(report), *sweeps(report, published)]
    tables = comparison_tables(report, published)
    last = {table.scenario: table.slug for table in tables}
    return [
        Block(
            table,
            tuple(c for c in charts if c.scenario == table.scenario and last[table.scenario] == table.slug),
        )
        for table in tables
    ]


def _keys(report: Report) -> list[Key]:
    keys = money_keys(report)
    if report.source:
        keys.insert(0, Key(f"{len(report.cases)}", "cases", "as the source printed them"))
    else:
        settled = sum(case.status == "ok" for case in report.cases)
        tone = "" if settled == len(report.cases) else "bad"
        keys.append(Key(f"{settled} of {len(report.cases)}", "cases", "measured to the end", tone))
    ledgers = [case.ledger for case in report.cases if case.ledger]
    if ledgers:
        lost, sent = sum(ledger.lost or 0 for ledger in ledgers), sum(ledger.sent for ledger in ledgers)
        unsure = any(ledger.lost is None for ledger in ledgers)
        note = f"of {sent:,} sent" + (", as far as is known" if unsure else "")
        keys.append(Key(f"{lost:,}", "lost", f"confirmed messages {note}", "bad" if lost else ""))
    return keys
