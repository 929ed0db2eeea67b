"""Record of what the instrument really did, so that on a busy host "programmed" is not taken for "done"."""

from __future__ import annotations

import os
from array import array
from typing import Any

from breakeven.instrument.fates import Fate
from breakeven.instrument.latencies import nearest_rank_ms
from breakeven.instrument.program import PER_MILLE


class Answered:
    """Answers of one direction: when the ask arrived, when the answer was due and when it was written.

    Written is the moment before the operating system is called: on loopback the call itself may already
    wake the one that waits.
    """

    def __init__(self) -> None:
        self._took_ns, self._late_ns = array("q"), array("q")

    def note(self, arrived_ns: int, due_ns: int, written_ns: int) -> None:
        self._took_ns.append(written_ns - arrived_ns)
        self._late_ns.append(written_ns - due_ns)

    def to_json(self) -> dict[str, Any]:
        """``p50`` to ``p999`` and ``max`` of the latencies, the same of how late they were written, ms."""
        return {
            "count": len(self._took_ns),
            "took_ms": _extremes(self._took_ns),
            "late_ms": _extremes(self._late_ns),
        }


class Notes:
    """``counts``: fates that were carried out, by name."""

    def __init__(self) -> None:
        self.publish, self.deliver = Answered(), Answered()
        self.counts = {fate.value: 0 for fate in Fate}

    def did(self, fate: Fate) -> None:
        self.counts[fate.value] += 1

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values; ``cpu_s`` is what the server has used of a core, seconds."""
        times = os.times()
        return {
            **self.counts,
            "publish": self.publish.to_json(),
            "deliver": self.deliver.to_json(),
            "cpu_s": round(times.user + times.system, 3),
        }


def _extremes(values_ns: array[int]) -> dict[str, float | None]:
    ascending = sorted(values_ns)
    found = {name: nearest_rank_ms(ascending, per_mille) for name, per_mille in PER_MILLE.items()}
    return {**found, "max": ascending[-1] / 1e6 if ascending else None}
