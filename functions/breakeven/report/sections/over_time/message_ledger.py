"""Ledger: what became of every message of every case."""

from __future__ import annotations

from breakeven import words
from breakeven.loadgen.case_figures import CallErrors, Ledger
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


CLEANED = (
    "A kind is the target's name for the error, connection_lost, or how a message ended. Passwords, keys, "
    "tokens and account ids are replaced by ***."
)


def section(subject: Subject) -> Section | None:
    """None of what a source published, which does not say what became of its messages."""
    if subject.report.source:
        return None
    tables = filled(ledger_table(subject.report), call_errors_table(subject.report))
    return Section("ledger", "Ledger", tables)


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


def call_errors_table(report: Report) -> Table:
    """A row for each operation and kind of error of a case: which calls failed, when and why."""
    return Table(
        slug="call-errors",
        caption="Calls that failed, or ended otherwise than well",
        label_titles=("Target",),
        columns=("operation", "kind", "count", "first, UTC", "last, UTC", "what one of them was told"),
        rows=tuple(case_row(case, _failures(found)) for case in report.cases for found in case.call_errors),
        notes=(CLEANED,),
    )


def _failures(found: CallErrors) -> tuple[str, ...]:
    operation = found.operation.replace("_", " ")
    times = (found.first_at, found.last_at)
    return (operation, found.kind, words.count(found.count), *times, found.said or words.NOTHING)


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
