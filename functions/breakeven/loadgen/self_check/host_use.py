"""The use of a host's processors while a loader measures on it, as ``/proc`` counts it (Linux, proc(5)).

The run's own processes are the command that started it with all its descendants: loaders, brokers, servers
and the simulated AWS. What other programs used is what the host used less what these did. Whatever the host
does not tell is null: functions and tasks see a machine of their own, whose counters show their quota as much
as their neighbours.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from breakeven.loadgen.self_check.host import has_own_host, own_cores

#: names the process of the command whose descendants are the run's own; absent where a target's server was
#: given to the run, since it may be on this host, and is no descendant
RUN_PROCESS = "BREAKEVEN_RUN_PROCESS"
#: a stage that is shorter has too few ticks, of 10 ms each, to tell shares by; seconds
LEAST_S = 1.0
#: of ``/proc/stat``: user, nice, system, idle, iowait, irq, softirq and steal. Guests are among the users.
_KINDS = 8
_USED, _IDLE, _STEAL = slice(3), slice(3, 5), 7
#: of ``/proc/<pid>/stat``, after the program's name: parent, flags, and CPU of it and of its ended children
_PARENT, _FLAGS, _TICKS = 1, 6, slice(11, 15)
#: of the flags (PF_KTHREAD): a thread of the kernel, which works for whoever calls it
_OF_THE_KERNEL = 0x00200000


@dataclass(frozen=True, slots=True)
class HostUse:
    """Shares of the processor time of all cores of a host; None: it does not tell."""

    others_share: float | None = None
    steal_share: float | None = None
    idle_share: float | None = None


@dataclass(frozen=True, slots=True)
class OwnTicks:
    """Ticks that are not others': of the run's processes with their ended children, and of each thread of the
    kernel.

    Such a thread leaves its ticks to nobody when it ends, as an idle worker does after five minutes: in one
    sum, all that it had ever used would be missing at the end, and be taken for other programs'.
    """

    run: int
    kernel: Mapping[int, int]

    def since(self, before: OwnTicks) -> int:
        kernel = sum(max(0, ticks - before.kernel.get(number, 0)) for number, ticks in self.kernel.items())
        return self.run - before.run + kernel


class HostMeter:
    """The use of the host since this was made. A look costs some microseconds for each process there."""

    def __init__(self, environment: Mapping[str, str] = os.environ, proc: Path = Path("/proc")) -> None:
        self._environment, self._proc = environment, proc
        self._start_s = time.monotonic()
        self._host, self._own = self._look()

    def use(self) -> HostUse:
        host, own = self._look()
        ticks = [after - before for before, after in zip(self._host, host, strict=False)]
        total = sum(ticks)
        if total <= 0 or time.monotonic() - self._start_s < LEAST_S:
            return HostUse()
        others = None
        if own is not None and self._own is not None:
            # both are samples of a kind: their difference is now and then a little under nothing
            others = max(0, sum(ticks[_USED]) - own.since(self._own)) / total
        # a kernel that has counted none since it started may not be told of any
        steal = ticks[_STEAL] / total if host[_STEAL] else None
        # cores that this process may not use are idle for others, and say nothing of its own
        idle = sum(ticks[_IDLE]) / total if own_cores() == os.cpu_count() else None
        return HostUse(others, steal, idle)

    def _look(self) -> tuple[list[int], OwnTicks | None]:
        """Ticks of the host by kind, and those that are not others'."""
        if has_own_host(self._environment):
            return [], None
        with suppress(OSError, ValueError):
            first = (self._proc / "stat").read_text().partition("\n")[0].split()
            return [int(ticks) for ticks in first[1 : 1 + _KINDS]], self._own_ticks()
        return [], None

    def _own_ticks(self) -> OwnTicks | None:
        run = int(self._environment.get(RUN_PROCESS, 0))
        if not run:
            return None
        parents, ticks, kernel = {}, {}, {}
        for process in filter(str.isdecimal, os.listdir(self._proc)):
            with suppress(OSError):  # it has ended: its parent has its ticks
                stat = (self._proc / process / "stat").read_bytes().rpartition(b")")[2].split()
                number = int(process)
                parents[number], ticks[number] = int(stat[_PARENT]), sum(map(int, stat[_TICKS]))
                if int(stat[_FLAGS]) & _OF_THE_KERNEL:
                    kernel[number] = ticks.pop(number)
        if run not in parents:
            return None
        return OwnTicks(
            sum(spent for process, spent in ticks.items() if _descends(process, run, parents)), kernel
        )


def _descends(process: int, run: int, parents: Mapping[int, int]) -> bool:
    while process != run and process in parents:
        process = parents[process]
    return process == run
