"""Offered rates: of each case of an open loop what was offered, what was sent, and whether that was held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Section, Table, filled
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.figures import bound_note, rate, shown_figure
from breakeven.report.tables.offered_rates import (
    HELD_UP_MS,
    KEPT_SHARE,
    is_held,
    is_open_loop,
    offered_rate,
    offered_steps,
)

HELD = (
    f"Held: {KEPT_SHARE:.0%} of what was due was sent within the measured stage, and 99 of 100 messages were "
    f"answered within {HELD_UP_MS / 1000:g} s of when they were due, where so many were sent that this is "
    "known. It is said of publishing, whatever consumers did. A rate that was not held is a result, and its "
    "case is no failed one."
)
STEPS = (
    "Steps of a profile that hold a rate for a full second or longer, each over its full seconds. What a "
    "step sent may include messages that were due in the one before."
)
YES, NO = "yes", "no"
COLUMNS = (
    "offered, msg/s",
    "sent, msg/s",
    "of what was offered",
    "received, msg/s",
    "publish p99, ms",
    "held",
)


def section(subject: Subject) -> Section | None:
    """None where nothing was offered at a rate, or a source published the figures."""
    report = subject.report
    if report.source:
        return None
    cases = [case for case in report.cases if case.status == "ok" and is_open_loop(case)]
    return Section("offered", "Offered rates", filled(_table(cases), _steps_table(report, cases)))


def _table(cases: Sequence[CaseReport]) -> Table:
    return Table(
        slug="offered-and-sent",
        caption="Offered and sent",
        label_titles=("Case", "Target"),
        columns=COLUMNS,
        rows=tuple(_row(case) for case in cases),
        notes=(HELD, *_counts(cases), *filter(None, [bound_note("≥ marks a lower bound", cases)])),
    )


def _row(case: CaseReport) -> Row:
    offered, sent = offered_rate(case), (case.produce.msg_per_s if case.produce else None) or 0.0
    held = is_held(case)
    return Row(
        labels=(words.case_name(case), words.labelled_target(case.target, case.provenance)),
        cells=(
            words.figure(offered),
            rate(case, "produce"),
            f"{sent / offered:.1%}" if offered else words.NOTHING,
            rate(case, "consume_cycle"),
            shown_figure(case, "produce", "p99_ms"),
            YES if held else NO,
        ),
        origin=case.provenance,
    )


def _counts(cases: Sequence[CaseReport]) -> Iterator[str]:
    """Who passes: how many of its cases each target held."""
    for target in dict.fromkeys(case.target for case in cases):
        own = [case for case in cases if case.target == target]
        held = sum(is_held(case) for case in own)
        name = words.labelled_target(target, own[0].provenance)
        yield f"{words.capital(name)} held {words.part(held, len(own), 'rate')}."


def _steps_table(report: Report, cases: Sequence[CaseReport]) -> Table:
    return Table(
        slug="offered-by-step",
        caption="Offered and sent, step by step",
        label_titles=("Step", "Target"),
        columns=("offered, msg/s", "sent, msg/s", "of what was offered", "received, msg/s"),
        rows=tuple(row for case in cases for row in _step_rows(report, case)),
        notes=(STEPS,),
    )


def _step_rows(report: Report, case: CaseReport) -> Iterator[Row]:
    for step in offered_steps(report, case):
        offered = step.offered
        yield Row(
            labels=(str(step.number), words.labelled_target(case.target, case.provenance)),
            cells=(
                words.figure(offered),
                words.figure(step.sent),
                f"{step.sent / offered:.1%}" if offered else words.NOTHING,
                words.figure(step.received),
            ),
            origin=case.provenance,
            section=words.capital(words.case_name(case)),
        )
