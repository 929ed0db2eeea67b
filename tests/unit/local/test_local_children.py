"""What a run's processes leave to others of the machine."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from local.children import Children


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
