"""Nothing that a run starts outlives it: real processes, a real SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from breakeven.errors import BreakevenError
from local.children import Children, ChildrenStopped
from tests.support.workflow.processes import alive, eventually

ROOT = Path(__file__).parents[3]
#: a shell with a child of its own, both in one group; ``wait`` keeps the shell there
FAMILY = ["sh", "-c", "sleep 600 & echo $!; wait"]
STUBBORN = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]


@pytest.fixture
def children():
    with Children() as made:
        yield made


def start(children: Children, argv: list[str], tmp_path: Path) -> tuple[subprocess.Popen, str]:
    proc = children.spawn(argv, env=dict(os.environ), cwd=tmp_path, stdout=subprocess.PIPE, name="a child")
    assert proc.stdout is not None
    return proc, proc.stdout.readline().decode().strip()


def test_stop_ends_the_whole_group(children, tmp_path):
    proc, grandchild = start(children, FAMILY, tmp_path)
    children.stop(proc)
    assert proc.returncode is not None
    assert eventually(lambda: not alive(int(grandchild)))
    assert children.running() == []


def test_stop_kills_what_ignores_the_polite_signal(children, tmp_path):
    proc, _ = start(children, STUBBORN, tmp_path)
    children.stop(proc, grace_s=0.2)
    assert proc.returncode == -signal.SIGKILL


def test_stop_ends_what_a_fault_has_paused(children, tmp_path):
    proc, grandchild = start(children, FAMILY, tmp_path)
    os.killpg(proc.pid, signal.SIGSTOP)
    children.stop(proc, grace_s=0.2)
    assert proc.returncode is not None
    assert eventually(lambda: not alive(int(grandchild)))


def test_stop_all_removes_folders_and_refuses_later_starts(tmp_path):
    children = Children()
    folder = tmp_path / "scratch"
    (folder / "deep").mkdir(parents=True)
    children.add_cleanup_dir(folder)
    proc, _ = start(children, FAMILY, tmp_path)
    children.stop_all()
    children.stop_all()
    assert proc.returncode is not None
    assert not folder.exists()
    with pytest.raises(ChildrenStopped, match="a late one"):
        children.spawn(["true"], env={}, cwd=tmp_path, name="a late one")


def test_a_program_that_is_not_there_is_named(children, tmp_path):
    with pytest.raises(BreakevenError, match="the broker: cannot start /no/such/program: No such file"):
        children.spawn(["/no/such/program"], env={}, cwd=tmp_path, name="the broker")


def test_children_can_be_started_from_many_threads(children, tmp_path):
    def spawn() -> None:
        children.spawn(["sleep", "600"], env=dict(os.environ), cwd=tmp_path, name="sleeper")

    threads = [threading.Thread(target=spawn) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert children.running() == ["sleeper"] * 10


PARENT = """
import os, subprocess, sys, time
from local.children import Children
children = Children()
children.add_cleanup_dir(sys.argv[1])
kept = children.spawn(["sh", "-c", "trap '' TERM; sleep 600 & echo $$ $!; wait"], env=dict(os.environ),
                      cwd=sys.argv[1], stdout=subprocess.PIPE, name="kept")
gone = children.spawn(["sleep", "600"], env=dict(os.environ), cwd=sys.argv[1], name="gone")
children.forget(gone)
print(kept.stdout.readline().decode().strip(), gone.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("is_paused", [False, True])
def test_a_killed_run_leaves_nothing(tmp_path, is_paused):
    folder = tmp_path / "scratch"
    folder.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"},
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None
    shell, sleeper, forgotten = map(int, parent.stdout.readline().split())
    try:
        assert alive(shell)
        assert alive(sleeper)
        if is_paused:  # as a node is by a fault
            os.killpg(shell, signal.SIGSTOP)
        parent.kill()
        parent.wait()
        assert eventually(lambda: not alive(shell) and not alive(sleeper))
        assert eventually(lambda: not folder.exists())
        assert alive(forgotten), "only what is on the books is ended"
    finally:
        os.kill(forgotten, signal.SIGKILL)
        parent.stdout.close()
