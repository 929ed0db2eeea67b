"""The compiled core itself: there for every processor, and never outside of its memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from breakeven.clients.core import loading

ROOT = Path(__file__).parents[3]


def test_it_is_compiled_for_all_processors_that_run_it():
    assert [machine for machine in loading.MACHINES if not loading.compiled_path(machine).exists()] == []
    assert loading.core() is not None


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_no_bytes_make_it_leave_its_memory_or_hang(seed):
    command = [sys.executable, "-m", "tests.support.scripted.core_fuzz", str(seed), "2000"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    reasons = {line.split(":")[0] for line in done.stdout.splitlines()}
    assert {
        *("receiving OVER", "receiving FULL", "receiving UNUSUAL", "sending OVER", "sending UNUSUAL"),
        *("asking OVER", "asking FULL", "asking UNUSUAL", "calling OVER", "calling UNUSUAL"),
    } <= reasons
