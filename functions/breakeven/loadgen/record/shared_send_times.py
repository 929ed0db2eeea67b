"""Send times of a case's producers, shared by its loaders on one machine.

Loaders that share memory share its clock (rule 3 of docs/rules.md), so that each can tell how long messages
of the others were under way. Functions of AWS have no shared memory, and tasks none with one another: there
each loader knows its own producers only.
"""

from __future__ import annotations

import fcntl
import hashlib
import mmap
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.record.send_times import MEMORY, SendTimes

#: memory of the machine, as files; absent where nothing is shared
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - files there are made exclusively, and only the owner's are read
#: of all producers of one loader, bytes: it is set aside when a case begins, since a write without room would
#: end the process
SHARED_BYTES = 16 << 20
#: a file that is younger may not be locked yet, seconds
ABANDONED_S = 60.0
_PREFIX = "queue-breakeven-sent-"
_CELL = np.dtype(np.int64).itemsize


class SharedSendTimes:
    """Those of its own producers, by number, and of the others' that are found on this machine.

    Each own producer's are a file in shared memory, locked while its loader works; files of loaders that were
    killed are not locked, and the next one removes them. A loader that is alone shares nothing.
    """

    def __init__(self, assignment: Assignment, own: Iterable[int]) -> None:
        numbers, case = list(own), assignment.case
        attempt = f"{case.run_id}/{case.case_id}/{assignment.attempt}"
        self._names = f"{_PREFIX}{hashlib.sha256(attempt.encode()).hexdigest()[:24]}-"
        is_shared = case.loaders > 1 and os.access(SHARED_MEMORY, os.W_OK)
        self._shared = SHARED_MEMORY if is_shared else None
        self._files: dict[Path, int] = {}
        if self._shared:
            _remove_abandoned(self._shared)
        self._known: dict[int, SendTimes | None] = {
            number: self._made(number, max(1, len(numbers))) for number in numbers
        }

    def get(self, producer: int) -> SendTimes | None:
        """None: of a loader on another machine, or of messages that are nobody's."""
        if producer not in self._known:
            self._known[producer] = self._found(producer)
        return self._known[producer]

    def close(self) -> None:
        """Remove what is shared; loaders that have found it can go on reading it."""
        while self._files:
            path, descriptor = self._files.popitem()
            path.unlink(missing_ok=True)
            os.close(descriptor)

    def _made(self, producer: int, of: int) -> SendTimes:
        """In shared memory where there is room for it."""
        if self._shared is not None:
            path = self._path(self._shared, producer)
            with suppress(OSError):
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
                self._files[path] = descriptor
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                keep = SHARED_BYTES // _CELL // of
                os.posix_fallocate(descriptor, 0, (keep + 1) * _CELL)
                return SendTimes(keep, _mapped(descriptor))
        return SendTimes(MEMORY // _CELL // of)

    def _found(self, producer: int) -> SendTimes | None:
        if self._shared is None:
            return None
        with (
            suppress(OSError, ValueError),
            open(self._path(self._shared, producer), "r+b", opener=_as_owner) as file,
        ):
            return SendTimes.found(_mapped(file.fileno()))
        return None

    def _path(self, shared: Path, producer: int) -> Path:
        return shared / f"{self._names}{producer}"


def _mapped(descriptor: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.frombuffer(mmap.mmap(descriptor, 0), np.int64)


def _as_owner(path: str, flags: int) -> int:
    """Open a file of this user's own. :raises OSError: it is another's, or not there"""
    descriptor = os.open(path, flags | os.O_NOFOLLOW)
    if os.fstat(descriptor).st_uid != os.getuid():
        os.close(descriptor)
        raise PermissionError(path)
    return descriptor


def _remove_abandoned(shared: Path) -> None:
    for path in shared.glob(f"{_PREFIX}*"):
        with suppress(OSError), open(path, "r+b", opener=_as_owner) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - path.stat().st_mtime > ABANDONED_S:
                path.unlink(missing_ok=True)
