"""Our loader in an open loop on a broker that is paused: what waits for it has waited."""

from __future__ import annotations

import signal
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench import ours, rabbitmq_runs
from bench.contender_settings import Load, Times
from bench.measured import Percentiles
from bench.rabbitmq_runs import QUEUE, SLACK_S, Brokers
from bench.table import table
from bench.watched import watch
from breakeven.errors import BreakevenError
from breakeven.workload.case import Workload

RUN_S, PAUSE_S = 60.0, 1.0
#: well below what a broker carries here, so that it catches up, and above the third of a thousand at which
#: a window's worth is 1% of the run
LOAD = Load(rate=5000)
#: from the loader's start to the pause: within its stage, and away from both ends
PAUSED_AT_S = 25.0
#: response p99.9 over the pause; service p99 over response p99
LEAST_OF_PAUSE, MOST_OF_RESPONSE = 0.93, 0.05

HOW = (
    f"One node, an open loop of {LOAD.rate:,} msg/s for {RUN_S:.0f} s with a window of {LOAD.window}; "
    f"the node is stopped by SIGSTOP for {PAUSE_S:g} s. *Response* counts from when a message was due, "
    "*service* from when it was sent."
)
WHY = (
    "From the schedule and the pause, response p99.9 should be 0.94 of the pause and p99 0.4 of it, and more "
    "the longer the broker takes to catch up. While it catches up, the window is full, and the service time "
    "of a message is 200 over the rate of catching up. More than 1 message in 100 is due in the pause or "
    "while the broker catches up, so these messages determine service p99: it is under 0.05 of response p99 "
    "only if the broker catches up at 5,500 msg/s or more."
)


@dataclass(frozen=True, slots=True)
class Paused:
    """One run. ``pause_s``: as it was, seconds."""

    pause_s: float
    response: Percentiles
    service: Percentiles

    @property
    def of_pause(self) -> float:
        """Response p99.9 over the pause."""
        return (self.response.p999_us or 0.0) / 1e6 / self.pause_s

    @property
    def of_response(self) -> float:
        """Service p99 over response p99."""
        return self.service.p99_us / self.response.p99_us


def workload(times: Times) -> Workload:
    return ours.workload(LOAD, times, "native").model_copy(update={"measure_s": RUN_S})


def run(brokers: Brokers, times: Times) -> Paused:
    """:raises BreakevenError: its ledger does not close, or it ended before the pause did"""
    with rabbitmq_runs.fresh_queue(brokers, LOAD), _paused(brokers) as pauses:
        asked = ours.case(QUEUE, workload(times), brokers.setting.target)
        lines = watch(brokers.children, ours.command(asked, QUEUE, brokers.access, {}), RUN_S + SLACK_S)
    response, service = (ours.percentiles(lines, metric) for metric in ("produce", "produce_service"))
    if not pauses or response is None or service is None:
        raise BreakevenError("the loader ended before the pause did")
    return Paused(pauses[0], response, service)


@contextmanager
def _paused(brokers: Brokers) -> Iterator[list[float]]:
    """A pause in the middle of what is done meanwhile; how long it was, once it is over."""
    lasted: list[float] = []

    def pause() -> None:
        started_s = time.monotonic()
        brokers.signal(signal.SIGSTOP)
        time.sleep(PAUSE_S)
        brokers.signal(signal.SIGCONT)
        lasted.append(time.monotonic() - started_s)

    timer = threading.Timer(PAUSED_AT_S, pause)
    timer.start()
    try:
        yield lasted
    finally:
        timer.cancel()
        timer.join()


def in_words(runs: Sequence[Paused]) -> tuple[str, ...]:
    """How it was measured, a row a run, and whether the goals are met."""
    heads = (
        "pause, ms",
        "response p99, ms",
        "response p99.9, ms",
        "service p99, ms",
        "response p99.9 / pause",
        "service p99 / response p99",
    )
    rows = [
        (
            f"{each.pause_s * 1e3:,.0f}",
            *(f"{us / 1e3:,.1f}" for us in (each.response.p99_us, each.response.p999_us or 0.0)),
            f"{each.service.p99_us / 1e3:,.1f}",
            f"{each.of_pause:.3f}",
            f"{each.of_response:.3f}",
        )
        for each in runs
    ]
    least = [each.of_pause for each in runs]
    most = [each.of_response for each in runs]
    verdicts = (
        _verdict(
            "response p99.9 / pause", least, f"at least {LEAST_OF_PAUSE}", lambda x: x >= LEAST_OF_PAUSE
        ),
        _verdict(
            "service p99 / response p99", most, f"under {MOST_OF_RESPONSE}", lambda x: x < MOST_OF_RESPONSE
        ),
    )
    return (HOW, table(heads, rows), "\n".join(f"- {verdict}" for verdict in verdicts), WHY)


def _verdict(what: str, ratios: Sequence[float], goal: str, meets: Callable[[float], bool]) -> str:
    """A goal is met when every run meets it."""
    met = sum(map(meets, ratios))
    word = "met" if met == len(ratios) else "not met"
    found = f"median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}"
    return f"{what}: {found}; goal {goal}: **{word}** ({met} of {len(ratios)} runs)"
