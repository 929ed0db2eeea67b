"""What a run's processes leave to others of the machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from local.children import Children, how_busy


@pytest.mark.parametrize("niceness", [0, 7])
def test_a_process_yields_as_it_is_told_and_so_does_its_session(tmp_path, niceness):
    with Children() as children:
        process = children.spawn(
            ["sleep", "60"], env={"PATH": os.environ["PATH"]}, cwd=tmp_path, niceness=niceness, name="sleeper"
        )
        while Path(f"/proc/{process.pid}/comm").read_text() != "sleep\n":  # nice(1) has not made way yet
            time.sleep(0.001)
        own = os.getpriority(os.PRIO_PROCESS, os.getpid())
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == own + niceness
        group = Path(f"/proc/{process.pid}/autogroup")
        if group.exists() and (said := group.read_text()):
            assert int(said.split()[-1]) == niceness


@pytest.mark.parametrize(
    ("load", "said"),
    [
        (4.0, ""),
        (22.4, "; this machine has a load of 22 on 2 cores: try again once less is running on it"),
    ],
)
def test_an_error_says_how_busy_the_machine_is_where_it_is(monkeypatch, load, said):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert how_busy() == said
