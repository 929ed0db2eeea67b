"""Sentences of the verdict about what was measured: each with the condition under which it is said.

A function answers with its sentence, or with nothing where its condition does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from breakeven import words
from breakeven.loadgen.self_check.busy_host import change_of_speed
from breakeven.report.building.measured_speeds import held
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.tables import instrument_findings


def _not_ended(report: Report) -> str:
    if not report.unsettled:
        return ""
    settled = len(report.cases)
    of = words.plural(settled + report.unsettled, "case")
    return f"This run has not come to its end: {settled} of its {of} are settled, and only these are shown."


def _nothing_measured(report: Report) -> str:
    """The figures of money that follow stand on no measurement of this run."""
    if not report.cases or any(case.status == "ok" for case in report.cases):
        return ""
    return "This run failed: none of its cases is ok, and nothing below was measured by it."


def _measured(report: Report) -> str:
    """How much of the run, where, what was emulated, and that no message was lost, if none was."""
    done = _done(report)
    if not done:
        return ""
    planned = len(report.cases) + report.unsettled
    some = words.capital(words.part(len(done), planned, "case"))
    of = (
        f"{words.capital(words.every(planned, 'case'))} were"
        if len(done) == planned > 1
        else f"{some} {_was(len(done))}"
    )
    here = "on this machine" if report.environment == "local" else "on AWS"
    names = sorted({words.short_target_name(c.target) for c in done if c.provenance == "emulated"})
    emulated = f" ({words.listing(names)} emulated)" if names else ""
    kept = f", and none of {_sent(report)} messages{_among(report)} was lost" if accounted(report) else ""
    return f"{of} measured {here}{emulated}{kept}."


def _busy(report: Report) -> str:
    """What stands over all figures, where their cases shared the host with others' work."""
    done = _done(report)
    busy = sum("busy_host" in case.flags for case in done)
    if not busy:
        return ""
    which = words.every(busy, "case") if busy == len(done) > 1 else words.part(busy, len(done), "case")
    return (
        f"In {which} the host was busy with other work or changed its speed, so that these speeds may not be "
        "the target's own."
    )


def _speed(report: Report) -> str:
    """What stands over comparisons, where the host's processors were not as fast in all cases."""
    # of each case the least: one reading may have met another program's turn
    found = [min(case.loaders.work_ms) for case in _done(report) if case.loaders.work_ms]
    apart = change_of_speed(found) if found else None
    if apart is None:
        return ""
    return (
        f"The processors of this run's host did the same work in {words.figure(min(found))} to "
        f"{words.milliseconds(max(found))}, {apart:.0%} apart, as the run went on: speeds of cases that ran "
        "at different times may differ for that alone."
    )


def _done(report: Report) -> list[CaseReport]:
    """The cases of the run that are ok, of emulated targets, too."""
    return [case for case in report.cases if case.status == "ok" and case.provenance != "published"]


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _lost(report: Report) -> str:
    lost = _ledgers_with(report, "lost")
    if not lost:
        return ""
    return (
        f"LOST: {words.plural(_total(lost, 'lost'), 'confirmed message')} of {_sent(report)} sent never came "
        f"back: {_names(lost)}."
    )


def _missing(report: Report) -> str:
    missing = _ledgers_with(report, "missing")
    if not missing or _lost(report):
        return ""
    number = _total(missing, "missing")
    are = "is" if number == 1 else "are"
    return (
        f"No message known to be confirmed was lost, but {words.plural(number, 'message')} of "
        f"{_sent(report)} sent {are} missing: {_names(missing)}."
    )


def _open_ledgers(report: Report) -> str:
    still_open = [case for case in _with_ledger(report) if case.ledger and not case.ledger.closed]
    if not still_open or _lost(report) or _missing(report):
        return ""
    return (
        f"Not all of the {_sent(report)} messages sent are accounted for; the ledger is open in "
        f"{_names(still_open)}."
    )


def accounted(report: Report) -> str:
    """That the ledgers are closed and no message is missing; empty where that is not so, or none was kept."""
    if not _with_ledger(report) or _lost(report) or _missing(report) or _open_ledgers(report):
        return ""
    return f"All {_sent(report)} messages sent{_among(report)} are accounted for; none was lost."


def _failures(report: Report) -> str:
    failed = [case for case in report.cases if case.status == "failed"]
    if not failed:
        return ""
    some = words.capital(words.part(len(failed), len(report.cases), "case"))
    return f"{some} failed: {_names(failed)}."


#: by name, in the order in which they are read; tests hold that each has its two boundary examples. The first
#: ones stand above the answer about money
OPENING: dict[str, Callable[[Report], str]] = {
    "not_ended": _not_ended,
    "nothing_measured": _nothing_measured,
}
OUTCOMES: dict[str, Callable[[Report], str]] = {
    "measured": _measured,
    "busy": _busy,
    "speed": _speed,
    "held": held,
    "lost": _lost,
    "missing": _missing,
    "open_ledgers": _open_ledgers,
    "failures": _failures,
    "self_test": instrument_findings.warning,
}


def opening(report: Report) -> Iterator[str]:
    """What is to be known of the whole run before anything else."""
    yield from (said for say in OPENING.values() if (said := say(report)))


def outcomes(report: Report) -> Iterator[str]:
    """Paragraphs: what was measured, and what became of messages and cases."""
    yield from (said for say in OUTCOMES.values() if (said := say(report)))


def _among(report: Report) -> str:
    """Of which cases the ledgers are; empty where it is all of them."""
    kept = _with_ledger(report)
    return (
        "" if len(kept) == len(report.cases) else f" in the {words.plural(len(kept), 'case')} with a ledger"
    )


def _with_ledger(report: Report) -> list[CaseReport]:
    return [case for case in report.cases if case.ledger]


def _ledgers_with(report: Report, term: str) -> list[CaseReport]:
    return [case for case in _with_ledger(report) if getattr(case.ledger, term)]


def _total(cases: Sequence[CaseReport], term: str) -> int:
    return sum(getattr(case.ledger, term) for case in cases)


def _sent(report: Report) -> str:
    return words.count(_total(_with_ledger(report), "sent"))


def _names(cases: Sequence[CaseReport]) -> str:
    return words.listing(
        [
            f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
            for case in cases
        ]
    )
