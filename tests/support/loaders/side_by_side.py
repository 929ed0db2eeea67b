"""Whole loaders side by side: the same schedule, an even part of an interval apart, so that their messages
take turns. What the machine and the target do to one in these seconds they do to the others.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.self_check.diagnosis import percentile_ms
from breakeven.loadgen.self_check.meters import LagMeter
from breakeven.targets.target import Target
from breakeven.workload.case import Case
from tests.support.loaders.live_case import live

METRICS = Path(__file__).parents[3] / "docs" / "metrics.md"
LATENCIES = ("produce", "end_to_end")
#: how far achieved rates may lie apart
RATE_SHARE = 0.02
#: standard errors of a median's rank on either side; so many, as stalls make neighbours alike
DEVIATIONS = 3.0
#: from all loaders being ready to their start, seconds: more than they take to look
START_S = 0.3


@dataclass(frozen=True, slots=True)
class Run:
    """What one loader found. ``lags``: how late a thread of its process woke in the same seconds."""

    case: Case
    found: Measurement
    lags: Histogram

    @property
    def client(self) -> str:
        return self.case.workload.client

    @property
    def offered(self) -> int:
        offered = self.found.results[0].diagnoses[0].offered
        assert offered
        return offered

    def achieved(self) -> dict[str, int]:
        """Messages handed over, confirmed and in hand within the measured stage."""
        totals, handed_over = self.found.totals, self.found.results[0].diagnoses[0].achieved
        assert handed_over is not None
        done = {metric: totals[metric].cell.total().operations for metric in ("produce", "consume")}
        return {"handed over": handed_over, "confirmed": done["produce"], "in hand": done["consume"]}

    @property
    def longest_s(self) -> float:
        """The longest that a message took, to its confirm or into a hand."""
        return max(self.found.totals[metric].cell.latencies.max_ns for metric in LATENCIES) / 1e9

    def median_ms(self, metric: str) -> tuple[float, float]:
        """The interval in which the median lies, milliseconds, by ranks: whatever the distribution."""
        latencies = self.found.totals[metric].cell.latencies
        aside = round(1000 * DEVIATIONS / 2 / sqrt(latencies.count))
        low, high = percentile_ms(latencies, 500 - aside), percentile_ms(latencies, 500 + aside)
        assert low is not None
        assert high is not None
        return low, high

    @property
    def lag_ms(self) -> float:
        """Of ten wake-ups nine were sooner."""
        lag_ms = percentile_ms(self.lags, 900)
        assert lag_ms is not None
        return lag_ms


def side_by_side(planned: Sequence[tuple[Target, Case]]) -> list[Run]:
    """Run the cases at once, each with one loader, and delete their queues."""
    with ExitStack() as stack:
        running = []
        for target, case in planned:
            assert case.loaders == 1
            queues = target.prepare(case, 1).queues
            stack.callback(target.release, queues)
            client = target.client(case.workload)
            running.append((stack.enter_context(live(case, queues, client, hold=("start",))), target, queues))
        for each, _, _ in running:
            each.await_gate("start")
        start_s = time.time() + START_S
        for place, (each, _, _) in enumerate(running):
            rate = each.case.workload.rate
            each.open("start", start_s + (place / len(running) / rate if rate else 0))
        meter = LagMeter()
        results = [each.result() for each, _, _ in running]
        lags = meter.stop()
        return [
            Run(each.case, merge([result], QueueCount(target.depth(queues))), lags)
            for (each, target, queues), result in zip(running, results, strict=True)
        ]


def stated_ms(run: Run, metric: str) -> float:
    """What docs/metrics.md says that the client adds to a median at most, milliseconds."""
    text = METRICS.read_text(encoding="utf-8")
    server = "SQS" if _speaks_sqs(run.case) else "RabbitMQ"
    row = re.search(rf"^\| {server} \| `{run.client}` \|(.+)\|$", text, re.MULTILINE)
    assert row, f"docs/metrics.md says nothing of {run.client} on {server}"
    return float(row[1].split("|")[LATENCIES.index(metric)])


def assert_same_rate(one: Run, other: Run) -> None:
    """Each achieves what was offered, and so does the other.

    What is under way when the stage ends is not in its rate: that may be as many messages as became due
    while a thread here woke late, or while neither client had an answer.
    """
    assert one.offered == other.offered
    late_s = max(one.lags.max_ns / 1e9, min(one.longest_s, other.longest_s))
    allowed = RATE_SHARE * one.offered + late_s * one.offered / one.case.workload.measure_s
    for what, count in one.achieved().items():
        counts = {one.client: count, other.client: other.achieved()[what], "offered": one.offered}
        apart = max(counts.values()) - min(counts.values())
        assert apart <= allowed, f"{what}: {counts}, {apart} apart; {allowed:.1f} messages are allowed"


def assert_medians_as_stated(one: Run, other: Run) -> None:
    """Neither is slower than the other by more than it adds itself, and a late wake-up."""
    for slower, faster in ((one, other), (other, one)):
        for metric in LATENCIES:
            least, most = slower.median_ms(metric)[0], faster.median_ms(metric)[1]
            allowed = stated_ms(slower, metric) + slower.lag_ms
            words = f"{metric}: {slower.client} {least:.2f} ms or more, {faster.client} {most:.2f} ms or less"
            assert least - most <= allowed, f"{words}; {allowed:.2f} ms is allowed"


def assert_as_stated(run: Run) -> None:
    """On a target that takes no time, all that is read is added by client and loader."""
    for metric in LATENCIES:
        least, allowed = run.median_ms(metric)[0], stated_ms(run, metric) + run.lag_ms
        assert least <= allowed, f"{metric}: {run.client} {least:.2f} ms or more; {allowed:.2f} ms is allowed"


def _speaks_sqs(case: Case) -> bool:
    program = case.workload.program
    return program.protocol == "sqs" if program else case.target == "sqs-standard"
