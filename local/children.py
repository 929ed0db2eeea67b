"""Every process that a local run starts goes through here, so that none outlives it.

Each child leads a session (and so a process group) of its own: the terminal's Ctrl-C reaches only the
run, which ends its children in order. Should the run vanish instead, ``local/reaper.py`` ends them.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

from breakeven.errors import BreakevenError
from local import reaper

Stream = int | IO[Any] | None

#: of brokers and queue servers: on cores that they share with loaders, a loader that wakes late measures its
#: own lateness as the target's latency, while a server that waits is a slower server
SERVER_NICENESS = 10
_AUTOGROUP_TRIES = 5


class ChildrenStopped(BreakevenError):
    """Something wanted to start a process after the run had begun to stop."""


class Children(AbstractContextManager["Children"]):
    """The processes and scratch folders of one run. Thread-safe; also a context manager."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._names: dict[subprocess.Popen[bytes], str] = {}
        self._folders: set[Path] = set()
        self._reaper: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def __exit__(self, *_: object) -> None:
        self.stop_all()

    def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str | Path,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = None,
        stderr: Stream = None,
        pass_fds: Sequence[int] = (),
        niceness: int = 0,
        name: str,
    ) -> subprocess.Popen[bytes]:
        """Start a process as the leader of its own session and have the reaper watch it.

        :param env: the whole environment of the process
        :param niceness: above 0, what it and all that it starts leave to others (nice(1), sched(7))
        :param name: what it is called in messages
        :raises ChildrenStopped: after ``stop_all``
        :raises BreakevenError: when the program is not there or cannot be run
        """
        with self._lock:
            self._refuse_when_stopped(name)
            self._start_reaper()
            try:
                proc = subprocess.Popen(
                    ["nice", f"-n{niceness}", *argv] if niceness else list(argv),
                    env=dict(env),
                    cwd=cwd,
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    pass_fds=tuple(pass_fds),
                    start_new_session=True,
                )
            except OSError as error:
                raise BreakevenError(f"{name}: cannot start {argv[0]}: {error.strerror}") from error
            self._names[proc] = name
            self._tell("group", proc.pid)
            if niceness:
                _yield_as_a_session(proc.pid, niceness)
            return proc

    def forget(self, proc: subprocess.Popen[bytes]) -> None:
        """Take a process off the books: its end has been seen by the caller."""
        with self._lock:
            if self._names.pop(proc, None) is not None:
                self._tell("forget-group", proc.pid)

    def stop(self, proc: subprocess.Popen[bytes], grace_s: float = 3.0) -> None:
        """SIGTERM to the process's group, SIGKILL to what is left of it after ``grace_s``. Idempotent."""
        self.stop_together([proc], grace_s)

    def stop_together(
        self, procs: Sequence[subprocess.Popen[bytes]], grace_s: float = 3.0
    ) -> list[subprocess.Popen[bytes]]:
        """``stop`` for several, which share one grace period; returns those that had not ended by then."""
        with self._lock:
            known = [proc for proc in procs if proc in self._names]
        for proc in known:
            reaper.signal_group(proc.pid, signal.SIGTERM)
        deadline, late = time.monotonic() + grace_s, []
        for proc in known:
            try:
                proc.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                late.append(proc)
        for proc in known:
            # Also when the leader has gone: others of its group may not have.
            reaper.signal_group(proc.pid)
            proc.wait()
            self.forget(proc)
        return late

    @property
    def stopped(self) -> bool:
        """Has ``stop_all`` begun?"""
        return self._stopped

    def running(self) -> list[str]:
        """Names of the processes started and not yet stopped or forgotten."""
        with self._lock:
            return sorted(self._names.values())

    def add_cleanup_dir(self, path: str | Path) -> None:
        """Have ``path`` removed with all that is in it by ``remove_dir``, ``stop_all`` or the reaper."""
        with self._lock:
            self._refuse_when_stopped(str(path))
            self._start_reaper()
            self._folders.add(Path(path).absolute())
            self._tell("folder", str(Path(path).absolute()))

    def make_dir(self, within: Path, prefix: str) -> Path:
        """Make a folder of an unused name, which is removed as ``add_cleanup_dir`` says."""
        within.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
        self.add_cleanup_dir(folder)
        return folder

    def remove_dir(self, path: str | Path) -> None:
        """Remove a folder now and take it off the books. One that is gone already is well."""
        folder = Path(path).absolute()
        reaper.remove_folder(folder)
        with self._lock:
            if folder in self._folders:
                self._folders.discard(folder)
                self._tell("forget-folder", str(folder))

    def stop_all(self, grace_s: float = 3.0) -> None:
        """Stop every process, remove every folder, refuse whatever is started later. Idempotent."""
        with self._lock:
            self._stopped = True
            procs, folders = list(self._names), list(self._folders)
        self.stop_together(procs, grace_s)
        for folder in folders:
            self.remove_dir(folder)
        self._end_reaper()

    def _refuse_when_stopped(self, name: str) -> None:
        if self._stopped:
            raise ChildrenStopped(f"{name}: not started, the run is being stopped")

    def _start_reaper(self) -> None:
        """Started before the first child, so that there is no time at which nobody watches."""
        if self._reaper is None:
            self._reaper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(Path(reaper.__file__).absolute())],
                cwd="/",
                env={},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def _tell(self, verb: str, value: int | str) -> None:
        """Write to the reaper; without one (it was killed) the run still stops its children itself."""
        if self._reaper is None or self._reaper.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError):
            self._reaper.stdin.write(json.dumps([verb, value]).encode() + b"\n")
            self._reaper.stdin.flush()

    def _end_reaper(self) -> None:
        with self._lock:
            watcher, self._reaper = self._reaper, None
        if watcher is None or watcher.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError):
            watcher.stdin.close()
        watcher.wait()


def _yield_as_a_session(pid: int, niceness: int) -> None:
    """Have the session's group yield, too: where the kernel groups sessions, niceness counts within one only.

    Source: sched(7), "The autogroup feature".
    """
    for _ in range(_AUTOGROUP_TRIES):
        try:
            Path(f"/proc/{pid}/autogroup").write_text(str(niceness))
        except BlockingIOError:  # without privileges, one change in 100 ms of all that are asked for
            time.sleep(0.11)
        except OSError:  # the kernel groups none
            return
        else:
            return


def last_lines(path: Path, count: int = 12) -> str:
    """The end of what a process wrote, for an error message; empty when there is nothing to read."""
    with contextlib.suppress(OSError):
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
        return "\n".join(lines[-count:])
    return ""


def how_busy() -> str:
    """Why a process may be late, for an error message: the load, where it is over twice the host's cores."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= 2 * cores:
        return ""
    return f"; this machine has a load of {load:.0f} on {cores} cores: try again once less is running on it"
