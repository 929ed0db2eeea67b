"""``perftest.json``: a run's cases in the form of PerfTest's results, which its HTML viewer (perf.js) shows.

Source: ``SimpleScenarioStats`` and ``VaryingScenarioStats`` of PerfTest 2.26
(https://github.com/rabbitmq/rabbitmq-perf-test). What a run does not know is left out, as there: no latency
where nothing was received, and no smallest latency of a second.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from breakeven.report.contract.rate_model import RateCourse
from breakeven.report.contract.report_model import CaseReport, Metric, Report

#: parameters of a case -> PerfTest's names of what it can vary
DIMENSIONS: Final[Mapping[str, str]] = {
    "message_bytes": "minMsgSize",
    "producers": "producerCount",
    "consumers": "consumerCount",
    "rate": "producerRateLimit",
    "prefetch": "consumerPrefetch",
}
US_PER_MS: Final = 1000
MS_PER_S: Final = 1000

Document = dict[str, Any]
Samples = Mapping[tuple[str, str], RateCourse]


def perftest_json(report: Report) -> str:
    """By scenario, or by scenario and target where there are several, what PerfTest would have written.

    Of each cell the first repeat; cases that failed, or that do not send and receive at once, are left out.
    A scenario whose cells are all combinations of some values is as of type ``varying``; of others each cell
    has an entry of its own.
    """
    cases = [
        case
        for case in report.cases
        if case.repeat == 1 and case.status == "ok" and case.parameters.get("mode") == "parallel"
    ]
    samples = _samples(report.rates)
    several = len({case.target for case in cases}) > 1
    groups: dict[str, list[CaseReport]] = {}
    for case in cases:
        name = f"{case.scenario} on {case.target}" if several else case.scenario
        groups.setdefault(name, []).append(case)
    found: Document = {}
    for name, some in groups.items():
        found |= _scenario(name, some, samples)
    return json.dumps(found, indent=2) + "\n"


def _scenario(name: str, cases: Sequence[CaseReport], samples: Samples) -> Document:
    if len(cases) == 1:
        return {name: _simple(cases[0], samples)}
    varied = [
        parameter
        for parameter in DIMENSIONS
        if len({_value(case, parameter) for case in cases}) > 1
        and not any(_lacks(case, parameter) for case in cases)
    ]
    values = {
        DIMENSIONS[parameter]: list(dict.fromkeys(_value(case, parameter) for case in cases))
        for parameter in varied
    }
    data: Document = {}
    for case in cases:
        *outer, last = (_value(case, parameter) for parameter in varied) if varied else (case.cell,)
        node = data
        for value in outer:
            node = node.setdefault(value, {})
        node[last] = _simple(case, samples)
    if not varied or not _is_whole(data, list(values.values()), len(cases)):
        return {f"{name}, {case.cell}": _simple(case, samples) for case in cases}
    return {name: {"dimensions": list(values), "dimension-values": values, "data": data}}


def _is_whole(data: Document, axes: Sequence[Sequence[str]], cases: int) -> bool:
    """Has every combination its case, and every case a combination of its own? The viewer asks for each."""
    combinations = 1
    nodes = [data]
    for values in axes:
        combinations *= len(values)
        nodes = [node[value] for node in nodes for value in values if value in node]
    return len(nodes) == combinations == cases


def _lacks(case: CaseReport, parameter: str) -> bool:
    return not isinstance(case.parameters.get(parameter), (int, float))


def _value(case: CaseReport, parameter: str) -> str:
    """As PerfTest writes a number that it has read from JSON: 64 is ``64.0``."""
    value = case.parameters.get(parameter)
    return str(float(value)) if isinstance(value, (int, float)) else str(value)


def _simple(case: CaseReport, samples: Samples) -> Document:
    size = float(case.parameters.get("message_bytes") or 0)
    document = _rates(_rate(case.produce), _rate(case.consume), size)
    if case.end_to_end and case.end_to_end.mean_ms is not None:
        document["avg-latency"] = round(case.end_to_end.mean_ms * US_PER_MS)
    return {**document, "samples": _case_samples(case.case_id, size, samples)}


def _case_samples(case_id: str, size: float, samples: Samples) -> list[Document]:
    sent, received, latencies = (
        samples.get((case_id, metric)) for metric in ("produce", "consume", "end_to_end")
    )
    found = []
    for second in range(max(len(course.msg_per_s) if course else 0 for course in (sent, received))):
        rates = _rates(_at(second, sent), _at(second, received), size)
        sample: Document = {"elapsed": (second + 1) * MS_PER_S, **rates}
        mean, longest = (latencies.mean(second), latencies.longest(second)) if latencies else (None, None)
        if mean is not None and longest is not None:
            sample["avg-latency"] = round(mean * US_PER_MS)
            sample["max-latency"] = round(longest * US_PER_MS)
        found.append(sample)
    return found


def _at(second: int, course: RateCourse | None) -> float:
    return course.rate(second) if course else 0.0


def _rates(sent: float, received: float, size: float) -> Document:
    """Messages and bytes a second."""
    return {
        "send-msg-rate": sent,
        "send-bytes-rate": sent * size,
        "recv-msg-rate": received,
        "recv-bytes-rate": received * size,
    }


def _rate(metric: Metric | None) -> float:
    return metric.msg_per_s or 0.0 if metric else 0.0


def _samples(rates: Sequence[RateCourse]) -> Samples:
    """Of the measured stage, by case and metric."""
    return {(course.case_id, course.metric): course for course in rates if course.stage == "measure"}
