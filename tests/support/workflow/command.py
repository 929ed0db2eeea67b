"""Running the ``breakeven`` command as a user does, and seeing what it leaves behind."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[3]
OURS = re.compile(
    r"beam\.smp|epmd|elasticmq|local[./]servers[./]proxy|lambda_worker|local[./]reaper|moto|breakeven\.instrument"
)

#: how long anything may take that only has to come to its end, on a machine with much else to do, seconds
PATIENCE_S = 1200.0
#: how long what was told to stop may take to be gone, seconds
LEAVE_S = 10.0

#: a long drain ends once all has come: what a busy server hands out late, or again, it waits for
TINY = """
suite: tiny
title: A small suite for tests
targets: [sqs-standard, rabbitmq-mirrored-pair]
warm_up: 5
defaults: {warmup_s: 1, measure_s: 1, drain_s: 300, message_size: 1KiB}
scenarios:
  load-unload: {mode: load-unload, messages: 300, threads: 2}
  parallel: {threads: [1, 4]}
  parallel-queues: {threads: 4, queues: 2}
"""


#: of prctl(2): orphans among our descendants become our children, not the machine's first process's
SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Whatever outlives what this process has started stays below it, where ``servers`` finds it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def servers() -> set[int]:
    """Process ids of everything that a run may start, among what this process has started."""
    found = set()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if OURS.search(" ".join(process.cmdline())):
                found.add(process.pid)
    return found


def _command_line(pid: int) -> str:
    try:
        return f"{pid} {' '.join(psutil.Process(pid).cmdline())}"
    except psutil.NoSuchProcess:
        return f"{pid}, which has just ended"


#: Python as at a terminal: tests that run in the background may have Ctrl-C ignored, which is inherited
PYTHON = ("env", "--default-signal=INT", sys.executable)


def ended_well(code: int, report: dict[str, Any]) -> bool:
    """0; or 5, where the report has a self-test that failed."""
    return code == (5 if has_doubts(report) else 0)


def has_doubts(report: dict[str, Any]) -> bool:
    """Has its self-test failed? It may on a machine that is busy."""
    return bool({"instrument_misread", "instrument_failed"} & set(report["validity"]["flags"]))


class Command:
    """One started ``breakeven run``; its results in ``runs``.

    ``suite`` None: its file is not there, or not asked for where a run is gone on with.
    """

    def __init__(self, suite: str | None, folder: Path, *options: str) -> None:
        adopt_orphans()
        self.before = servers()
        self.runs = folder / "runs"
        path = folder / "suite.yaml"
        if suite is not None:
            path.write_text(suite)
        environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
        which = [] if "--resume" in options else [str(path)]
        # tests run beside one another, and beside whatever else this machine is used for
        argv = [*PYTHON, "-m", "cli", "run", *which, "--share", "--runs", str(self.runs), *options]
        self.process = subprocess.Popen(
            argv, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def end(self, timeout_s: float = PATIENCE_S) -> tuple[int, str, str]:
        """Exit code, standard output and standard error, once it has ended by itself."""
        try:
            out, err = self.process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out, err

    def signal(self, number: int = signal.SIGINT) -> None:
        self.process.send_signal(number)

    def servers(self) -> set[int]:
        """What it has started and is still there."""
        return servers() - self.before

    def left_running(self) -> set[str]:
        """What it started and did not stop; given a moment, as one that was told to stop may be going."""
        deadline = time.monotonic() + LEAVE_S
        while (left := self.servers()) and time.monotonic() < deadline:
            time.sleep(0.2)
        return set(map(_command_line, left))

    def report(self) -> dict[str, Any]:
        return json.loads((self.runs / "latest" / "report" / "report.json").read_text())

    def wait_for(self, seen: Callable[[], Any], timeout_s: float = PATIENCE_S) -> Any:
        """Poll until ``seen`` answers something true, while the command runs."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and self.process.poll() is None:
            found = seen()
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"not seen in time: {self.process.poll()=}")
