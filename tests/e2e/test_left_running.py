"""What a command leaves behind is found, and what others on this machine run is not taken for it."""

from __future__ import annotations

import subprocess
import sys

import psutil

from tests.support.workflow.command import adopt_orphans, servers
from tests.support.workflow.processes import eventually

#: named like a server of ours, it starts another in a session of its own and ends
LEAVES_ONE = """
import subprocess, sys
sleeps = [sys.executable, "-c", "import time; time.sleep(600)", "moto"]
print(subprocess.Popen(sleeps, start_new_session=True, stdout=subprocess.DEVNULL).pid)
"""


def test_what_outlives_its_parent_is_found():
    adopt_orphans()
    ran = subprocess.run([sys.executable, "-c", LEAVES_ONE], stdout=subprocess.PIPE, text=True, check=True)
    left = psutil.Process(int(ran.stdout))
    try:
        # its command line is there a moment after Popen knows that it was executed
        assert eventually(lambda: left.pid in servers())
    finally:
        left.kill()
    assert eventually(lambda: left.pid not in servers())
