"""Pauses a test session's processes at random, for tests that hold only on a machine that is never busy.

    .venv/bin/python -m pytest -p tests.support.stalls tests/unit -n 3

Each worker is stopped about every second for up to 1.5 s, as a machine that shares its processors does it.
What fails then compares instants nearer to each other than that, or waits for less.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

BETWEEN_S = 1.0  # mean
LENGTHS_S = (0.002, 0.02, 0.2, 0.5, 1.5)


def stall(pid: int) -> None:
    """Until the process has ended."""
    chance = random.Random(pid)
    while True:
        time.sleep(chance.expovariate(1 / BETWEEN_S))
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(chance.choice(LENGTHS_S))
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            return


def pytest_collection_finish() -> None:
    # by a shell that ends at once: tests look at the children that they leave
    ours = [sys.executable, __file__, str(os.getpid())]
    subprocess.run(["/bin/sh", "-c", '"$@" >/dev/null 2>&1 &', "sh", *ours], check=True)


if __name__ == "__main__":
    stall(int(sys.argv[1]))
