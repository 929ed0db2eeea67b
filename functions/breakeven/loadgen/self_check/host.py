"""What a loader tells about the machine it runs on, and how much of it the loader used."""

from __future__ import annotations

import os
import platform
import ssl
import time
from functools import cache
from pathlib import Path

from breakeven.loadgen.self_check.zone import zone

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@cache
def facts() -> dict[str, str | int | None]:
    """``boot_id`` tells hosts apart (None where the system has none); ``cores`` this process may use;
    ``zone`` as
    :func:`breakeven.loadgen.self_check.zone.zone` has it.
    """
    where = zone(os.environ)
    return {
        "boot_id": _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else None,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "openssl": ssl.OPENSSL_VERSION,
        "zone": where.name,
        "zone_unknown": where.unknown,
    }


class CpuMeter:
    """CPU time of this process over wall time since it was made: 1.0 is one core, busy throughout."""

    def __init__(self) -> None:
        self._wall_ns, self._cpu_ns = time.monotonic_ns(), time.process_time_ns()

    def share(self) -> float:
        wall_ns = time.monotonic_ns() - self._wall_ns
        return (time.process_time_ns() - self._cpu_ns) / wall_ns if wall_ns else 0.0
