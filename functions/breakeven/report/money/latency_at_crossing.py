"""Latencies that a run measured of both options near the rate at which they change places."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from breakeven import words
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.earlier_inputs import stored_inputs
from breakeven.report.contract.joined_model import CrossingLatency, MeasuredSide
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import about, brief, deciding
from breakeven.report.tables.offered_rates import NEAR, is_of_size, kept_up
from breakeven.terms import TargetName


def crossing_latencies(crossovers: Sequence[Crossover], cases: Sequence[CaseReport]) -> list[CrossingLatency]:
    """Of each pair the crossing that decides, with the case on each side whose rate is nearest to it.

    The rate of a case is what was sent. Only cases count that kept up, with messages of about that size:
    elsewhere the latency says how long messages waited in a queue that grew. An open loop stands before a
    closed one, which always drives its target as hard as its workers can.
    """
    pairs: dict[tuple[str, str, str], list[Crossover]] = {}
    for row in crossovers:
        pairs.setdefault((row.question_id, row.sqs_option, row.other_option), []).append(row)
    return [
        CrossingLatency(
            question_id=found.question_id,
            sqs_option=found.sqs_option,
            other_option=found.other_option,
            msg_per_s=found.msg_per_s,
            sides=[_side(target, found, cases) for target in found.targets],
        )
        for rows in pairs.values()
        if (found := deciding(rows)) and found.msg_per_s
    ]


def _side(target: str, crossing: Crossover, cases: Sequence[CaseReport]) -> MeasuredSide:
    msg_per_s = crossing.msg_per_s or 0.0
    size = stored_inputs(crossing.assumptions).message_bytes
    near = [
        (case, rate)
        for case in cases
        if case.status == "ok" and TargetName(case.target).kind == target and _is_undisturbed(case)
        if (rate := _rate(case)) and NEAR[0] <= rate / msg_per_s <= NEAR[1]
        if is_of_size(case, size) and kept_up(case)
    ]
    if not near:
        return MeasuredSide(target=target)
    case, rate = min(near, key=lambda found: (_is_closed(found[0]), abs(log(found[1] / msg_per_s))))
    latency = case.end_to_end
    return MeasuredSide(
        target=target,
        case_id=case.case_id,
        provenance=case.provenance,
        msg_per_s=rate,
        p50_ms=latency.p50_ms if latency else None,
        p99_ms=latency.p99_ms if latency else None,
    )


def _rate(case: CaseReport) -> float | None:
    return case.produce.msg_per_s if case.produce and case.parameters.get("mode") != "load-unload" else None


def _is_undisturbed(case: CaseReport) -> bool:
    """Had it all of its nodes all the time? An outage's latency is not what a target has near that rate."""
    return "nodes_down" not in case.flags and not case.parameters.get("faults")


def _is_closed(case: CaseReport) -> bool:
    return case.parameters.get("rate") is None


def near_crossing(report: Report, crossing: Crossover) -> str:
    """In a sentence, what each side's latency was near that rate; or that nothing was measured there."""
    pair = (crossing.question_id, crossing.sqs_option, crossing.other_option)
    found = [
        one
        for one in report.crossing_latencies
        if (one.question_id, one.sqs_option, one.other_option) == pair
    ]
    if report.source or not found:
        return ""
    sides = [side for side in found[0].sides if side.case_id]
    rate = f"Near {about(found[0].msg_per_s)} messages a second"
    if not sides:
        return (
            f"{rate} this run has no case of either side that kept up, with messages of about that size, so "
            "what is given up in latency there is not known."
        )
    said = "; ".join(_words(side) for side in sides)
    missing = [words.target_name(side.target) for side in found[0].sides if not side.case_id]
    none = f"; it has no case of {words.listing(missing)} there that kept up" if missing else ""
    return f"{rate} this run measured, end to end: {said}{none}."


def _words(side: MeasuredSide) -> str:
    name, emulated = words.target_name(side.target), "emulated, " if side.provenance == "emulated" else ""
    rate = f"at {words.figure(side.msg_per_s)} msg/s"
    if side.p50_ms is None:
        return f"{name} ({emulated}{rate}), whose latency is not known"
    p99 = "" if side.p99_ms is None else f" and 99 of 100 within {words.figure(side.p99_ms)} ms"
    return f"{name} ({emulated}{rate}): half of the messages within {words.figure(side.p50_ms)} ms{p99}"


def _named(side: MeasuredSide) -> str:
    """The target; of a stand-in's figures that they are."""
    return f"{words.target_name(side.target)}{' (emulated)' if side.provenance == 'emulated' else ''}"


def crossing_latencies_table(report: Report) -> Table | None:
    """One row a crossing and side; None where nothing changes places, and of what a source published."""
    if report.source or not report.crossing_latencies:
        return None
    return Table(
        slug="crossing-latencies",
        caption="What was measured near each crossing",
        label_titles=("Crossing", "Side"),
        columns=("measured at, msg/s", "p50, ms", "p99, ms", "case"),
        rows=tuple(
            Row(
                (
                    f"{brief(one.sqs_option)} / {brief(one.other_option)}, {about(one.msg_per_s)} msg/s",
                    _named(side),
                ),
                (
                    words.figure(side.msg_per_s),
                    words.figure(side.p50_ms),
                    words.figure(side.p99_ms),
                    side.case_id or "nothing near",
                ),
                side.provenance or "priced",
            )
            for one in report.crossing_latencies
            for side in one.sides
        ),
        notes=(
            "Near: from half to twice the crossing's rate and the size of its messages. End to end, of cases "
            "that consumed what they sent: elsewhere messages waited in a queue that grew. Of several an "
            "open loop's, then the nearest. The rate of a crossing is a monthly mean; a peak is higher.",
        ),
        sourced=False,
    )
