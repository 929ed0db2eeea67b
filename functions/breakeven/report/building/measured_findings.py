"""Sentences of the verdict about what was measured: each with the condition under which it is said.

A function answers with its sentence, or with nothing where its condition does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from breakeven import words
from breakeven.loadgen.search.probe import bound
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.offered_rates import fell_behind, is_open_loop, offered_rate
from breakeven.targets.catalog import record_of


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


def _where(report: Report) -> str:
    """Said once, of all that follows."""
    measured = _measured(report)
    if not measured:
        return ""
    here = "on this machine" if report.environment == "local" else "on AWS"
    shared = any("shared_host" in case.flags for case in measured)
    return f"Speeds were measured {here}{', with loader and brokers sharing its cores' if shared else ''}."


def _busy(report: Report) -> str:
    """What stands over all speeds, where their cases shared the host with others' work."""
    measured = _measured(report)
    busy = sum("busy_host" in case.flags for case in measured)
    if not busy:
        return ""
    return (
        f"In {busy} of {words.plural(len(measured), 'case')} other work kept the host busy, so that these "
        "speeds may be worse than the target's own."
    )


def _fastest(report: Report) -> str:
    """Of closed loops: an open loop sends at the rate that it was given."""
    return _by_target(report, lambda cases: _fastest_of([case for case in cases if not _is_open(case)]))


def _fastest_of(cases: Sequence[CaseReport]) -> str:
    rated = [(case, produced) for case in cases if (produced := case.produce) and produced.msg_per_s]
    if not rated:
        return ""
    case, produced = max(rated, key=lambda pair: pair[1].msg_per_s or 0.0)
    least = "at least " if "loader_saturated" in case.flags else ""
    return (
        f"{_the(case)} {_took(case)} {least}{_a_second(produced)}{_p95(produced)} in its fastest case in a "
        f"closed loop ({words.case_name(case)}){_consumed(case)}."
    )


def _kept_up(report: Report) -> str:
    """The highest of the offered rates with which each target kept up."""
    return _by_target(report, _kept_up_of)


def _kept_up_of(cases: Sequence[CaseReport]) -> str:
    kept = [(rate, case) for rate, case in _offered(cases) if not fell_behind(case)]
    if not kept:
        return ""
    rate, case = max(kept, key=lambda pair: pair[0])
    produced = case.produce
    return (
        f"{_the(case)} kept up with {words.figure(rate)} messages a second that were offered "
        f"({words.case_name(case)}): it {_took(case)} {_a_second(produced)}{_p95(produced)}"
        f"{_consumed(case)}."
    )


def _fell_behind(report: Report) -> str:
    """The lowest of the offered rates with which each target did not keep up, faults apart."""
    return _by_target(report, _fell_behind_of)


def _fell_behind_of(cases: Sequence[CaseReport]) -> str:
    undisturbed = [case for case in cases if not case.parameters.get("faults")]
    behind = [(rate, case) for rate, case in _offered(undisturbed) if fell_behind(case)]
    if not behind:
        return ""
    rate, case = min(behind, key=lambda pair: pair[0])
    who = "a loader, which was itself the limit," if "loader_saturated" in case.flags else _the(case)
    return (
        f"{who} did not keep up with {words.figure(rate)} messages a second that were offered "
        f"({words.case_name(case)}): {_a_second(case.produce)} were sent{_p95(case.produce)}"
        f"{_consumed(case)}."
    )


def _held(report: Report) -> str:
    """What each search for a capacity found."""
    return _by_target(report, _held_of)


def _held_of(cases: Sequence[CaseReport]) -> str:
    held = [(rate, case) for case in cases if (rate := case.held_rate) is not None]
    if not held:
        return ""
    rate, case = max(held, key=lambda pair: pair[0])
    failed = bound(case.probes)
    above = f", and did not hold {words.figure(failed.rate)}" if failed else ", the highest rate tried"
    least = "at least " if case.is_lower_bound else ""
    return (
        f"{_the(case)} held {least}{words.figure(rate)} messages a second in the search for its capacity "
        f"({words.case_name(case)}){above}."
    )


def _emulated(report: Report) -> str:
    """Of all emulated targets together: their figures are not the service's."""
    names = sorted({words.target_name(c.target) for c in report.cases if c.provenance == "emulated"})
    if not names:
        return ""
    server = (report.manifest.sqs or "an emulator").replace("(emulated)", "").strip()
    emulator = server if server == "an emulator" else f"an emulator, {server},"
    return f"The {words.listing(names)} figures come from {emulator} and say nothing about SQS's speed."


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


def _accounted(report: Report) -> str:
    kept = _with_ledger(report)
    if not kept or _lost(report) or _missing(report) or _open_ledgers(report):
        return ""
    among = (
        "" if len(kept) == len(report.cases) else f" in the {words.plural(len(kept), 'case')} with a ledger"
    )
    return f"All {_sent(report)} messages sent{among} are accounted for; none was lost."


def _failures(report: Report) -> str:
    failed = [case for case in report.cases if case.status == "failed"]
    if not failed:
        return ""
    return f"{len(failed)} of {words.plural(len(report.cases), 'case')} failed: {_names(failed)}."


#: by name, in the order in which they are read; tests hold that each has its two boundary examples. The first
#: ones stand above the answer about money
OPENING: dict[str, Callable[[Report], str]] = {
    "not_ended": _not_ended,
    "nothing_measured": _nothing_measured,
}
SPEEDS: dict[str, Callable[[Report], str]] = {
    "where": _where,
    "busy": _busy,
    "fastest": _fastest,
    "kept_up": _kept_up,
    "fell_behind": _fell_behind,
    "held": _held,
    "emulated": _emulated,
}
OUTCOMES: dict[str, Callable[[Report], str]] = {
    "lost": _lost,
    "missing": _missing,
    "open_ledgers": _open_ledgers,
    "accounted": _accounted,
    "failures": _failures,
    "self_test": instrument_findings.warning,
}


def opening(report: Report) -> Iterator[str]:
    """What is to be known of the whole run before anything else."""
    yield from (said for say in OPENING.values() if (said := say(report)))


def findings(report: Report) -> Iterator[str]:
    """Paragraphs: how fast the targets were, then what became of messages and cases."""
    yield " ".join(said for say in SPEEDS.values() if (said := say(report)))
    yield from (said for say in OUTCOMES.values() if (said := say(report)))


def _by_target(report: Report, say: Callable[[Sequence[CaseReport]], str]) -> str:
    """A sentence for each target that was really measured, of its cases that are ok."""
    measured = _measured(report)
    targets = dict.fromkeys(case.target for case in measured)
    found = (say([case for case in measured if case.target == target]) for target in targets)
    return " ".join(words.capital(said) for said in found if said)


def _measured(report: Report) -> list[CaseReport]:
    return [case for case in report.cases if case.provenance == "measured" and case.status == "ok"]


def _is_open(case: CaseReport) -> bool:
    return case.parameters.get("rate") is not None


def _offered(cases: Sequence[CaseReport]) -> Iterator[tuple[float, CaseReport]]:
    """Rate offered, messages a second, and case; of open loops, searches for a capacity apart."""
    for case in cases:
        if is_open_loop(case):
            yield offered_rate(case), case


def _the(case: CaseReport) -> str:
    return f"{'the ' if record_of(case.target).has_brokers else ''}{words.target_name(case.target)}"


def _took(case: CaseReport) -> str:
    """Without confirms a rate is that of writing: what became of the messages is the ledger's."""
    return "confirmed" if case.parameters.get("confirms", True) else "was sent, without confirms,"


def _a_second(metric: Metric | None) -> str:
    return f"{words.figure((metric.msg_per_s if metric else None) or 0.0)} messages a second"


def _p95(metric: Metric | None) -> str:
    return f" at p95 {words.milliseconds(metric.p95_ms)}" if metric and metric.p95_ms is not None else ""


def _consumed(case: CaseReport) -> str:
    consumed = case.shown("consume_cycle")
    if consumed is None or consumed.msg_per_s is None:
        return ""
    when = " and, afterwards," if case.parameters.get("mode") == "load-unload" else " while"
    return f"{when} {words.figure(consumed.msg_per_s)} a second were consumed"


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
