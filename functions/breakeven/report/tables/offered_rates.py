"""Open loops: what was offered, and whether it was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor

from breakeven.report.contract.report_model import CaseReport, Report

#: share of an offered rate that must be sent, and received, for a target to have kept up with it
KEPT_SHARE = 0.99
#: of a rate, or of a message's size: what counts as near
NEAR = (0.5, 2.0)
#: within which 99 of 100 messages are answered where publishing is not held up, milliseconds
HELD_UP_MS = 1000.0
#: as a workload's parameters say the steps of a profile
STEP = re.compile(r"(to )?(\S+) msg/s (?:for|over) (\S+) s")


@dataclass(frozen=True, slots=True)
class OfferedStep:
    """A step of a profile that holds a rate, over its full seconds; messages a second."""

    number: int
    offered: float
    sent: float
    received: float


def is_open_loop(case: CaseReport) -> bool:
    """Do its messages arrive by a rate? Searches for a capacity, which try many, are apart."""
    return case.parameters.get("rate") is not None and not is_search(case)


def is_search(case: CaseReport) -> bool:
    """Is it a search for a capacity?"""
    return bool(case.probes) or case.parameters.get("mode") == "capacity"


def offered_rate(case: CaseReport) -> float:
    """What the loaders counted as due, messages a second; of an older run, the rate that was asked for."""
    counted = case.loaders.known("offered")
    measure_s = float(case.parameters.get("measure_s") or 0)
    return sum(counted) / measure_s if counted and measure_s else float(case.parameters["rate"] or 0)


def is_held(case: CaseReport) -> bool:
    """Was publishing at the offered rate, throughout the measured stage?"""
    sent = case.produce
    if sent is None or (sent.msg_per_s or 0.0) < KEPT_SHARE * offered_rate(case):
        return False
    return sent.p99_ms is None or sent.p99_ms <= HELD_UP_MS


def fell_behind(case: CaseReport) -> bool:
    """Did an open loop send or receive less within the stage than was offered? Then its latency grows."""
    if not is_open_loop(case):
        return False
    received = case.shown("consume_cycle")
    metrics = [case.produce, *([received] if case.parameters.get("consumers") else [])]
    least = KEPT_SHARE * offered_rate(case)
    return not all(metric and (metric.msg_per_s or 0.0) >= least for metric in metrics)


def kept_up(case: CaseReport) -> bool:
    """Was what a case sent consumed as fast? Else its queue grew, and its latency tells how long it waited.

    An open loop must have sent what was offered, too. A closed loop sends as fast as its workers can.
    """
    if is_open_loop(case):
        return not fell_behind(case)
    sent, received = case.produce, case.shown("consume_cycle")
    if not case.parameters.get("consumers"):
        return False
    return (received.msg_per_s or 0.0 if received else 0.0) >= KEPT_SHARE * (
        sent.msg_per_s or 0.0 if sent else 0.0
    )


def is_of_size(case: CaseReport, message_bytes: float) -> bool:
    """Were its messages from half to twice as large? Not of a source that does not give their size."""
    size = case.parameters.get("message_bytes")
    return isinstance(size, int | float) and NEAR[0] <= size / message_bytes <= NEAR[1]


def offered_steps(report: Report, case: CaseReport) -> Iterator[OfferedStep]:
    """The steps of a case's profile that hold a rate for a full second or longer; none if it sent nothing."""
    profile = STEP.findall(str(case.parameters.get("profile") or ""))
    sent, received = (_by_second(report, case, metric) for metric in ("produce", "consume"))
    start = 0.0
    for number, (ramp, value, for_s) in enumerate(profile, 1):
        seconds = range(ceil(start), floor(start + float(for_s)))
        start += float(for_s)
        if ramp or not seconds or not sent:
            continue
        rates = (
            sum(points.get(second, 0.0) for second in seconds) / len(seconds) for points in (sent, received)
        )
        yield OfferedStep(number, float(value), *rates)


def _by_second(report: Report, case: CaseReport, metric: str) -> Mapping[int, float]:
    """Messages a second of the measured stage, by its seconds."""
    return {
        second: rate
        for course in report.rates
        if (course.case_id, course.stage, course.metric) == (case.case_id, "measure", metric)
        for second, rate in enumerate(course.msg_per_s)
    }
