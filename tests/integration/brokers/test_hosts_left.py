"""What is left of hosts whose test was killed, and what is said where none can be made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.lan import Lan, NoHosts
from tests.support.workflow.processes import eventually, processes_of

pytestmark = pytest.mark.installed

ROOT = Path(__file__).parents[3]
PATIENCE_S = 60.0
OTHER_RUN = """
import sys, time
from pathlib import Path
from tests.hosts.lan import Host, Lan

folder = Path(sys.argv[1])
(folder / "lane").mkdir()
with Lan(folder) as lan:
    lan.bake(Path("/"), "image", folder / "lane", "/bin/true")
    Host(lan, "i-2", 2).boot(Path("/"), "image", folder / "lane", folder / "lane")
    print("booted", flush=True)
    time.sleep(600)
"""


def test_a_killed_run_leaves_no_host_and_no_network(tmp_path):
    other = subprocess.Popen(
        [sys.executable, "-c", OTHER_RUN, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout
    assert other.stdout.readline() == "booted\n"
    card = Path(f"/sys/class/net/be{other.pid}")
    assert processes_of(tmp_path)
    assert card.exists()
    other.kill()
    other.wait()
    other.stdout.close()
    assert eventually(lambda: not processes_of(tmp_path) and not card.exists(), PATIENCE_S)


def test_where_hosts_cannot_be_made_the_remedy_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.hosts.lan._as_root", lambda: ["setpriv", "--reuid=65534", "--clear-groups"])
    with pytest.raises(NoHosts, match="--privileged"), Lan(tmp_path):
        pass
