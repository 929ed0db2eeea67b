"""Description of this machine for the manifest: figures only, no names of people, hosts or folders."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

#: file systems that are memory: what is synchronized there costs microseconds
IN_MEMORY = ("tmpfs", "ramfs")
MOUNTS = Path("/proc/self/mounts")


def hardware() -> dict[str, str | int | float]:
    """Cores, memory (GiB), processor model, kernel and system, and the file system of brokers' data."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(pages * page / 1024**3, 1),
        "processor": _first("/proc/cpuinfo", "model name", ":") or platform.machine(),
        "architecture": platform.machine(),
        "system": (_first("/etc/os-release", "PRETTY_NAME", "=") or platform.system()).strip('"'),
        "kernel": platform.release(),
        "file_system": file_system(Path(tempfile.gettempdir())) or "not known",
    }


def memory_note() -> str | None:
    """What is to be said of durable queues where brokers of our own keep their data in memory."""
    folder = Path(tempfile.gettempdir())
    if (found := file_system(folder)) not in IN_MEMORY:
        return None
    return (
        f"Brokers keep their data in memory here, as {folder} is a {found}: durable queues are faster than "
        "on any disk. For their figures set TMPDIR to a folder on a disk."
    )


def file_system(folder: Path) -> str | None:
    """The type of the file system that a folder is in, as the kernel calls it; None where it does not say."""
    found, longest = None, -1
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        _, place, kind, *_ = line.split(" ")
        point = Path(place.replace("\\040", " "))
        # the last of several at one place is the one that is seen
        if folder.resolve().is_relative_to(point) and len(point.parts) >= longest:
            found, longest = kind, len(point.parts)
    return found


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
