"""Use that a node's processes make of the host that they share with the watch, by ``/proc`` (proc(5)).

A node is a tree of processes: its own, such as Erlang's virtual machine, and all that descend from it. Its
process group would be too little: Erlang gives each helper a group of its own.

CPU is that of the processes and of those children of theirs that have ended. Bytes are those that went to and
came from disks: ``write_bytes`` counts what was handed to the kernel's page cache of a file on a disk, which
the kernel writes out later, ``read_bytes`` what the cache did not have. No file in memory (tmpfs) counts.
What waits for disks, what the hypervisor withholds and what the network carries is not counted by process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from breakeven.targets.target import NodeProcess

#: what the figures are of, in the rows
TREE = "process tree"
NOT_BY_PROCESS = "iowait, steal, operations of disks and network are not counted by process"
NO_BYTES = "the kernel does not let this user see the bytes read and written"
NO_CHILDREN = "the kernel lists no children of a process (CONFIG_PROC_CHILDREN): the node's own one only"
#: of ``/proc/<pid>/stat``, after the program's name
_STATE, _PARENT, _USER, _SYSTEM, _ENDED_USER, _ENDED_SYSTEM, _STARTED, _PAGES = 0, 1, 11, 12, 13, 14, 19, 21
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Use:
    """The fields are those of ``NodeFigures``. Rates are over the time since the look before; None at the
    first one, and where the kernel does not tell.
    """

    taken: str
    host_cores: int
    resident_bytes: int
    cpu_cores: float | None
    user_cores: float | None
    system_cores: float | None
    read_bytes_per_s: float | None
    written_bytes_per_s: float | None
    unknown: str


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    program: str
    started: int
    user: int  # ticks
    system: int
    pages: int


@dataclass(frozen=True, slots=True)
class _Counted:
    """Counters of a tree; ``started`` tells its root from a later process of the same number."""

    at_s: float
    started: int
    user_s: float
    system_s: float
    resident_bytes: int
    read_bytes: int | None
    written_bytes: int | None
    lists_children: bool

    @property
    def unknown(self) -> str:
        notes = [NOT_BY_PROCESS, *[NO_CHILDREN] * (not self.lists_children)]
        return "; ".join([*notes, *[NO_BYTES] * (self.written_bytes is None)])


class ProcessMeter:
    """The use of trees of processes between one look and the next."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._before: dict[NodeProcess, _Counted] = {}
        self._lists_children = (proc / "thread-self" / "children").exists()

    def look(self, roots: Collection[NodeProcess]) -> dict[NodeProcess, Use]:
        """The use by each root with its descendants; a root that is not there, or is of another program than
        it should be, is left out.
        """
        found = {root: counted for root in roots if (counted := self._count(root))}
        uses = {root: _use(self._before.get(root), counted) for root, counted in found.items()}
        self._before = found
        return uses

    def _count(self, root: NodeProcess) -> _Counted | None:
        own = self._process(root.pid)
        if own is None or not own.program.startswith(root.program):
            return None
        tree = {root.pid: own} | {
            number: found
            for number in self._descendants(root.pid)
            if (found := self._process(number)) is not None
        }
        counts = [self._bytes(number) for number in tree]
        known = [count for count in counts if count is not None] if None not in counts else []
        return _Counted(
            at_s=time.monotonic(),
            started=own.started,
            user_s=sum(each.user for each in tree.values()) / _TICKS_PER_S,
            system_s=sum(each.system for each in tree.values()) / _TICKS_PER_S,
            resident_bytes=sum(each.pages for each in tree.values()) * _PAGE_BYTES,
            read_bytes=sum(read for read, _ in known) if known else None,
            written_bytes=sum(written for _, written in known) if known else None,
            lists_children=self._lists_children,
        )

    def _descendants(self, root: int) -> list[int]:
        found = self._children(root)
        for member in found:
            found += self._children(member)
        return found

    def _children(self, number: int) -> list[int]:
        """Those that each of its threads has started; none of a process or a thread that has ended."""
        threads: list[Path] = []
        found: list[int] = []
        with suppress(OSError):
            threads = list((self._proc / str(number) / "task").iterdir())
        for thread in threads:
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
        return found

    def _process(self, number: int) -> _Process | None:
        """None: it has ended."""
        with suppress(OSError, ValueError, IndexError):
            names, _, rest = (self._proc / str(number) / "stat").read_text(errors="replace").rpartition(")")
            stat = rest.split()
            if stat[_STATE] in "ZX":
                return None
            return _Process(
                parent=int(stat[_PARENT]),
                program=names.partition("(")[2],
                started=int(stat[_STARTED]),
                user=int(stat[_USER]) + int(stat[_ENDED_USER]),
                system=int(stat[_SYSTEM]) + int(stat[_ENDED_SYSTEM]),
                pages=int(stat[_PAGES]),
            )
        return None

    def _bytes(self, number: int) -> tuple[int, int] | None:
        """Read from and written to disks; None: not to be seen. A process that has just ended has none."""
        try:
            text = (self._proc / str(number) / "io").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return 0, 0
        except OSError:
            return None
        counters = dict(line.split(": ", 1) for line in text.splitlines())
        return int(counters["read_bytes"]), int(counters["write_bytes"])


def _use(before: _Counted | None, now: _Counted) -> Use:
    if before is not None and before.started != now.started:
        before = None

    def rate(counter: str) -> float | None:
        """A descendant that nobody waited for takes its counters with it: that is no use below nothing."""
        first, last = getattr(before, counter, None), getattr(now, counter)
        if before is None or first is None or last is None or now.at_s <= before.at_s:
            return None
        return max(0.0, float(last - first)) / (now.at_s - before.at_s)

    user, system = rate("user_s"), rate("system_s")
    return Use(
        taken=TREE,
        host_cores=os.cpu_count() or 1,
        resident_bytes=now.resident_bytes,
        cpu_cores=None if user is None or system is None else user + system,
        user_cores=user,
        system_cores=system,
        read_bytes_per_s=rate("read_bytes"),
        written_bytes_per_s=rate("written_bytes"),
        unknown=now.unknown,
    )
