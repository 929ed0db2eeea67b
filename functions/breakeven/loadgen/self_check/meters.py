"""Meters that a loader reads of itself while it measures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager

from breakeven.loadgen.record.histogram import Histogram
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.self_check.diagnosis import Diagnosis, OpenLoop, diagnose
from breakeven.loadgen.self_check.host import CpuMeter
from breakeven.loadgen.self_check.host_use import HostMeter, HostUse
from breakeven.loadgen.self_check.known_work import known_work_ms
from breakeven.loadgen.stages import Stage
from breakeven.workload.case import Workload

#: how often the loader looks how late a thread of it wakes, seconds: a function of one vCPU that is throttled
#: stands still for milliseconds of each 20 or so, which a look now and then misses
_LAG_EVERY_S = 0.02
#: before a measured stage: a look at all processes of a host takes the interpreter for some milliseconds
_HOST_LEAD_NS = 100_000_000


class LagMeter:
    """Looks how late a thread of this process wakes: what a busy process adds to all that it times."""

    def __init__(self) -> None:
        self._lags = Histogram()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lag meter", daemon=True)
        self._thread.start()

    def stop(self) -> Histogram:
        self._ended.set()
        self._thread.join()
        return self._lags

    def _run(self) -> None:
        while True:
            due_ns = time.monotonic_ns() + round(_LAG_EVERY_S * 1e9)
            if self._ended.wait(_LAG_EVERY_S):
                return
            self._lags.add(max(0, time.monotonic_ns() - due_ns))


class Meters:
    """Of every measured stage so far."""

    def __init__(self, workload: Workload, recorder: Recorder) -> None:
        self._workload, self._recorder = workload, recorder
        self._used: dict[str, tuple[float, Histogram, HostUse, Sequence[OpenLoop], float]] = {}
        self._work_before_ms = known_work_ms()

    @contextmanager
    def over(
        self,
        stage: Stage,
        producers: Sequence[OpenLoop],
        for_s: float,
        sleep_until: Callable[[int], None],
    ) -> Iterator[None]:
        """Note what the loader is to itself, from the stage's start to the end of the block.

        :param producers: the open loop's own; none in a closed loop
        :param for_s: the stage's length, which an open loop has
        """
        sleep_until(stage.start_ns - _HOST_LEAD_NS)
        host = HostMeter()
        sleep_until(stage.start_ns)
        cpu, lag = CpuMeter(), LagMeter()
        try:
            yield
        finally:
            self._used[stage.name] = (cpu.share(), lag.stop(), host.use(), producers, for_s)

    def diagnoses(self, stages: Container[str] | None = None, *, ended: bool) -> list[Diagnosis]:
        """:param stages: of these only; None: of all. ``ended``: nothing works any more"""
        after_ms = known_work_ms() if ended else None
        work = {"work_before_ms": self._work_before_ms, "work_after_ms": after_ms}
        return [
            diagnose(
                stage, share, lags, host, self._recorder.histogram(stage, "pacing"), producers, for_s
            ).model_copy(update=work)
            for stage, (share, lags, host, producers, for_s) in self._used.items()
            if stages is None or stage in stages
        ]
