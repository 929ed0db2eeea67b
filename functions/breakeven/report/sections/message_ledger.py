"""Ledger: what became of every message of every case."""

from __future__ import annotations

from breakeven import words
from breakeven.loadgen.case_figures import Ledger
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Section, Table, badge, filled
from breakeven.report.sections.subject import Subject

LEDGER_TERMS = {
    "sent": "sent",
    "confirmed": "confirmed",
    "returned": "returned",
    "nacked": "nacked",
    "unknown": "unknown",
    "received": "received",
    "left": "left",
    "duplicates": "duplicates",
    "redelivered": "redelivered",
    "out_of_order": "out of order",
    "unexpected": "unexpected",
}


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
            *LEDGER_TERMS.values(),
            "counted in the queue",
            "closed",
            "mirrors in sync before, after",
            "flags",
        ),
        rows=tuple(_ledger_row(case) for case in report.cases),
    )


def _ledger_row(case: CaseReport) -> Row:
    ledger, flags = case.ledger, ", ".join(case.flags) or "none"
    if ledger is None:
        cells: tuple[str, ...] = (words.NOTHING,) * (len(LEDGER_TERMS) + 4)
        bad = False
    else:
        lost = "not known" if ledger.lost is None else words.count(ledger.lost)
        terms = tuple(words.count(getattr(ledger, name)) for name in LEDGER_TERMS)
        cells = (
            lost,
            words.count(ledger.missing),
            *terms,
            _queue_count(ledger),
            "yes" if ledger.closed else "no",
        )
        bad = bool(ledger.lost or ledger.missing)
    return Row(
        labels=(words.target_name(case.target),),
        cells=(*cells, _mirrors(case), flags),
        origin=case.provenance,
        badge=badge(case.provenance),
        section=words.case_name(case),
        tone="failed" if case.status == "failed" else "bad" if bad else "",
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
