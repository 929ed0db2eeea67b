"""``report.md``: the verdict and the tables, for a terminal, a pull request or a message."""

from __future__ import annotations

import re

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.sections.capacity_searches import capacity_table
from breakeven.report.sections.compared_targets import differences
from breakeven.report.sections.cost import cost_notes, cost_tables
from breakeven.report.sections.latency import metrics_table
from breakeven.report.sections.message_ledger import ledger_table
from breakeven.report.sections.provenance import about
from breakeven.report.sections.repeats import comparison_table, repeats_table, said_once
from breakeven.report.tables import self_test
from breakeven.report.tables.driving_paths import driving_table, said_of_driving, said_of_tails
from breakeven.report.tables.loader_limits import loaders_table, said_of_loaders
from breakeven.report.tables.scenario_tables import comparison_tables

SETUP = "What was measured, by its authors"
_SPECIAL = re.compile(r"([\\`*_\[\]|#~])")


def markdown(report: Report, published: Published | None) -> str:
    """The whole report but its charts."""
    setup = report.source.setup.items() if report.source else ()
    headline, *rest = report.verdict.split("\n\n")
    tables = [
        differences(report),
        *cost_tables(report, published),
        *comparison_tables(report, published),
    ]
    if not report.source:  # which prints neither repeats nor what became of its messages
        tables += [
            self_test.validity_table(report),
            comparison_table(report),
            repeats_table(report),
            capacity_table(report),
            loaders_table(report),
            driving_table(report),
            ledger_table(report),
            metrics_table(report),
        ]
    parts = [
        f"# {text(headline)}",
        *(text(paragraph) for paragraph in rest),
        text(self_test.line(report)),
        *(_table(table) for table in tables if table.rows),
        text(said_once(report)),
        text(said_of_loaders(report)),
        text(said_of_driving(report)),
        text(said_of_tails(report)),
        _list(SETUP, [f"{words.setup_name(name)}: {value}" for name, value in setup]),
        _list("What is not priced or not known", cost_notes(report)),
        _list("Assumptions", report.assumptions),
        _list("Notes", report.manifest.notes),
        _list("Provenance", [f"{name}: {value}" for name, value in about(report)]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def text(value: str) -> str:
    """``value`` as it stands, never as markup: suites' titles and errors come through here."""
    plain = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", " ".join(plain.split()))


def _table(table: Table) -> str:
    spans = [title for title, width in table.groups for _ in range(width)] or [""] * len(table.columns)
    titles = [
        f"{group}: {column}" if group else column for group, column in zip(spans, table.columns, strict=True)
    ]
    sections = ("Part",) if any(row.section for row in table.rows) else ()
    source = ("Source",) if table.sourced else ()
    header = [*sections, *table.label_titles, *source, *titles]
    lines = [header, ["---"] * (len(header) - len(titles)) + ["---:"] * len(titles)]
    lines += [
        [*([row.section] if sections else []), *row.labels, *([row.badge] if source else []), *row.cells]
        for row in table.rows
    ]
    body = "\n".join(
        f"| {' | '.join(cell if number == 1 else text(cell) for cell in line)} |"
        for number, line in enumerate(lines)
    )
    notes = "".join(f"\n\n{text(note)}" for note in table.notes)
    return f"## {text(table.caption)}\n\n{body}{notes}"


def _list(title: str, items: list[str]) -> str:
    return f"## {title}\n\n" + "\n".join(f"- {text(item)}" for item in items) if items else ""
