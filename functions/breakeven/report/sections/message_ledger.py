"""Ledger: what became of every message of every case."""

from __future__ import annotations

from breakeven import words
from breakeven.loadgen.case_figures import Ledger
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Section, Table, filled
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.figures import case_row

TERMS = (
    "sent",
    "confirmed",
    "returned",
    "nacked",
    "unknown",
    "received",
    "left",
    "duplicates",
    "redelivered",
    "out_of_order",
    "unexpected",
)


def section(subject: Subject) -> Section | None:
    """None of what a source published, which does not say what became of its messages."""
    if subject.report.source:
        return None
    return Section("ledger", "Ledger", filled(ledger_table(subject.report)))


def ledger_table(report: Report) -> Table:
    """What became of every message; the two that must be nothing come first."""
    return Table(
        slug="ledger",
        caption="Ledger: what became of every message",
        label_titles=("Target",),
        columns=(
            "lost",
            "missing",
            *(name.replace("_", " ") for name in TERMS),
            "counted in the queue",
            "closed",
            "mirrors in sync before, after",
            "flags",
        ),
        rows=tuple(_ledger_row(case) for case in report.cases),
    )


def _ledger_row(case: CaseReport) -> Row:
    ledger = case.ledger
    cells = _cells(ledger) if ledger else (words.NOTHING,) * (len(TERMS) + 4)
    bad = "bad" if ledger and (ledger.lost or ledger.missing) else ""
    return case_row(
        case,
        (*cells, _mirrors(case), ", ".join(case.flags) or "none"),
        "failed" if case.status == "failed" else bad,
    )


def _cells(ledger: Ledger) -> tuple[str, ...]:
    return (
        "not known" if ledger.lost is None else words.count(ledger.lost),
        *(words.count(getattr(ledger, name)) for name in ("missing", *TERMS)),
        _queue_count(ledger),
        "yes" if ledger.closed else "no",
    )


def _queue_count(ledger: Ledger) -> str:
    """'about 5' where the target itself calls its count an estimate."""
    if ledger.queue_count is None:
        return words.NOTHING
    about = "" if ledger.queue_count_exact else "about "
    changing = "" if ledger.queue_count_steady else ", changing"
    return f"{about}{words.count(ledger.queue_count)}{changing}"


def _mirrors(case: CaseReport) -> str:
    """The fewest mirrors in sync of any of the case's queues, before and after: '1, 1'."""
    if case.mirrors is None:
        return words.NOTHING
    counts = (min(case.mirrors.get(when, {}).values(), default=None) for when in ("before", "after"))
    return ", ".join("not read" if number is None else str(number) for number in counts)
