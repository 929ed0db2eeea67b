"""Description of this machine for the manifest: figures only, no names of people, hosts or folders."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def hardware() -> dict[str, str | int | float]:
    """Cores, memory (GiB), processor model, kernel and system."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(pages * page / 1024**3, 1),
        "processor": _first("/proc/cpuinfo", "model name", ":") or platform.machine(),
        "architecture": platform.machine(),
        "system": (_first("/etc/os-release", "PRETTY_NAME", "=") or platform.system()).strip('"'),
        "kernel": platform.release(),
    }


def _first(path: str, key: str, separator: str) -> str | None:
    """The value of the first ``key<separator>value`` line of a file."""
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        name, found, value = line.partition(separator)
        if found and name.strip() == key:
            return value.strip()
    return None
