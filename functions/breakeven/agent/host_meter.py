"""The use of a whole host, as its kernel counts it: of a node of EC2, which has its host to itself.

Sources: proc(5) for ``stat``, ``meminfo``, ``net/dev``; the kernel's documentation "I/O statistics fields"
(Documentation/admin-guide/iostats.rst) for ``diskstats``, whose sectors are of 512 bytes on every disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SECTOR_BYTES = 512
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
#: the control group of the broker's unit, below that of all
BROKER_GROUP = Path("fs/cgroup/system.slice/rabbitmq-server.service")
#: Erlang's virtual machine, whose open files are the broker's
PROGRAM = "beam.smp"

Figure = float | int | None


@dataclass(frozen=True, slots=True)
class _Disk:
    operations: int
    read_bytes: int
    written_bytes: int
    busy_ms: int


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counters since the host's boot. CPU in seconds."""

    at: float
    user: float
    system: float
    iowait: float
    steal: float
    disks: dict[str, _Disk]
    received: int
    sent: int


class HostMeter:
    """Use of the host between one look and the next."""

    def __init__(self, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> None:
        self._proc, self._sys = proc, sys
        self._before: _Counted | None = None

    def look(self, at_s: float) -> dict[str, Figure]:
        """One sample: ``at_s``, epoch seconds, at which its second ended, and figures by the names of
        ``NodeFigures``; rates are over the time since the look before, and None at the first one.
        """
        now, before = self._count(), self._before
        self._before = now
        sample: dict[str, Figure] = {
            "at_s": round(at_s, 3),
            "host_cores": os.cpu_count() or 1,
            "resident_bytes": self._memory(),
            "file_descriptors": self._broker_files(),
        }
        return sample | (_rates(before, now) if before is not None and now.at > before.at else {})

    def _count(self) -> _Counted:
        # user, nice, system, idle, iowait, irq, softirq, steal; user has what guests used
        first, _, _ = (self._proc / "stat").read_text().partition("\n")
        ticks = [int(field) / TICKS_PER_S for field in first.split()[1:9]]
        user, nice, system, _, iowait, irq, softirq, steal = ticks
        received, sent = self._network()
        return _Counted(
            at=time.monotonic(),
            user=user + nice,
            system=system + irq + softirq,
            iowait=iowait,
            steal=steal,
            disks=dict(self._disks()),
            received=received,
            sent=sent,
        )

    def _disks(self) -> Iterator[tuple[str, _Disk]]:
        """Whole ones that a device is behind: no partition, no loop, nothing in memory."""
        for line in (self._proc / "diskstats").read_text().splitlines():
            _, _, name, *fields = line.split()
            if not (self._sys / "block" / name.replace("/", "!") / "device").exists():
                continue
            reads, _, read, _, writes, _, written, _, _, busy_ms = map(int, fields[:10])
            yield name, _Disk(reads + writes, read * SECTOR_BYTES, written * SECTOR_BYTES, busy_ms)

    def _network(self) -> tuple[int, int]:
        """Bytes received and sent by all cards but the loopback one."""
        received = sent = 0
        for line in (self._proc / "net/dev").read_text().splitlines()[2:]:
            name, _, rest = line.partition(":")
            if name.strip() != "lo":
                fields = rest.split()
                received, sent = received + int(fields[0]), sent + int(fields[8])
        return received, sent

    def _memory(self) -> int:
        """Bytes that are not available to a program that starts."""
        lines = (line.split() for line in (self._proc / "meminfo").read_text().splitlines())
        kib = {words[0].rstrip(":"): int(words[1]) for words in lines}
        return (kib["MemTotal"] - kib["MemAvailable"]) * 1024

    def _broker_files(self) -> int | None:
        """Open files of the broker's process; None where it does not run."""
        with suppress(OSError):
            for number in (self._sys / BROKER_GROUP / "cgroup.procs").read_text().split():
                process = self._proc / number
                with suppress(OSError):
                    if (process / "comm").read_text().strip() == PROGRAM:
                        return len(os.listdir(process / "fd"))
        return None


def _rates(before: _Counted, now: _Counted) -> dict[str, Figure]:
    passed_s = now.at - before.at

    def rate(first: float, last: float) -> float:
        """A counter that has begun anew, as of a card that was replaced, is no use below nothing."""
        return max(0.0, last - first) / passed_s

    both = [(before.disks[name], disk) for name, disk in now.disks.items() if name in before.disks]
    user, system = rate(before.user, now.user), rate(before.system, now.system)
    disks: dict[str, Figure] = {
        "read_bytes_per_s": sum(rate(old.read_bytes, new.read_bytes) for old, new in both),
        "written_bytes_per_s": sum(rate(old.written_bytes, new.written_bytes) for old, new in both),
        "disk_operations_per_s": sum(rate(old.operations, new.operations) for old, new in both),
        "disk_busy_share": max(min(1.0, rate(old.busy_ms, new.busy_ms) / 1000) for old, new in both)
        if both
        else None,
    }
    return {
        "cpu_cores": user + system,
        "user_cores": user,
        "system_cores": system,
        "iowait_cores": rate(before.iowait, now.iowait),
        "steal_cores": rate(before.steal, now.steal),
        **(disks if both else dict.fromkeys(disks)),
        "received_bytes_per_s": rate(before.received, now.received),
        "sent_bytes_per_s": rate(before.sent, now.sent),
    }
