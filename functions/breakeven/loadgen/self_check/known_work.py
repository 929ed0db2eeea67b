"""The speed of the host's processors, by the time that the same work takes.

No counter tells that a processor became slower: where a hypervisor sells one core twice, or a clock is
lowered, nothing is withheld, and all work takes longer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from breakeven.loadgen.self_check.host import has_own_host

#: so many turns of so many slices, each of so many steps and some 0.7 ms, and a pause after each turn,
#: seconds: another program may have the processor for some milliseconds. The least that a slice took counts
TURNS, SLICES, STEPS, PAUSE_S = 5, 5, 20_000, 0.02


def known_work_ms(environment: Mapping[str, str] = os.environ) -> float | None:
    """Milliseconds that a fixed piece of work takes, comparable within one release of the interpreter.

    None for functions and tasks: their quota is another thing than their processor's speed, and their target
    is on another host.
    """
    if has_own_host(environment):
        return None
    took_ns = []
    for _ in range(TURNS):
        took_ns += [_slice_ns() for _ in range(SLICES)]
        time.sleep(PAUSE_S)
    return min(took_ns) / 1e6


def _slice_ns() -> int:
    start_ns, found = time.perf_counter_ns(), 0
    for step in range(STEPS):
        found += step * step & 7
    return time.perf_counter_ns() - start_ns
