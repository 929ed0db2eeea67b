"""Sentences about the speeds that were measured: each with the condition under which it is said.

A function answers with its sentence, or with nothing where its condition does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from breakeven import words
from breakeven.loadgen.search.probe import bound
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.tables.offered_rates import fell_behind, is_open_loop, offered_rate
from breakeven.targets.catalog import record_of


def _where(report: Report) -> str:
    """Said once, of all that follows."""
    measured = _measured(report)
    if not measured:
        return ""
    here = "on this machine" if report.environment == "local" else "on AWS"
    shared = any("shared_host" in case.flags for case in measured)
    return f"Speeds were measured {here}{', with loader and brokers sharing its cores' if shared else ''}."


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


def held(report: Report) -> str:
    """What each search for a capacity found."""
    return _by_target(report, _held_of)


def _held_of(cases: Sequence[CaseReport]) -> str:
    held = [(rate, case) for case in cases if (rate := case.held_rate) is not None]
    if not held:
        return ""
    rate, case = max(held, key=lambda pair: pair[0])
    failed = bound(case.probes)
    above = (
        f", and did not hold {words.figure(failed.rate)}"
        if failed
        else ", and no higher rate was offered for as long"
    )
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


#: by name, in the order in which they are read; tests hold that each has its two boundary examples
SPEEDS: dict[str, Callable[[Report], str]] = {
    "where": _where,
    "fastest": _fastest,
    "kept_up": _kept_up,
    "fell_behind": _fell_behind,
    "emulated": _emulated,
}


def speeds(report: Report) -> Iterator[str]:
    """How fast the targets were, and what is to be known of that."""
    yield from (said for say in SPEEDS.values() if (said := say(report)))


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
