"""What trees of processes use, read from a ``/proc`` written by hand, and from this machine's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from breakeven.steps.case import process_meter
from breakeven.steps.case.process_meter import NO_BYTES, NO_CHILDREN, NOT_BY_PROCESS, TREE, ProcessMeter
from breakeven.targets.target import NodeProcess

ROOT = NodeProcess(10, "beam")
MIB = 1024 * 1024


class Proc:
    """A folder as the kernel's, and a clock that stands until it is set."""

    def __init__(self, path: Path) -> None:
        self.path, self.now_s = path, 0.0
        self._children: dict[int, dict[int, int]] = {}
        (path / "thread-self").mkdir()
        (path / "thread-self" / "children").touch()

    def put(
        self,
        number: int,
        *,
        program: str = "beam.smp",
        parent: int = 1,
        state: str = "S",
        ticks: tuple[int, int, int, int] = (0, 0, 0, 0),
        started: int = 7,
        pages: int = 1,
        io: tuple[int, int] | None = (0, 0),
        thread: int | None = None,
    ) -> None:
        """:param thread: of the parent, that started it"""
        folder = self.path / str(number)
        folder.mkdir(exist_ok=True)
        fields = [state, parent, *[0] * 9, *ticks, *[0] * 4, started, 0, pages, 0, 0]
        (folder / "stat").write_text(f"{number} ({program}) {' '.join(map(str, fields))}")
        if io is None:
            (folder / "io").mkdir(exist_ok=True)  # whatever else can't be read
        else:
            (folder / "io").write_text(f"rchar: 9\nread_bytes: {io[0]}\nwrite_bytes: {io[1]}\n")

        self._children.setdefault(parent, {})[number] = thread or parent
        self._list_children(number)
        self._list_children(parent)

    def end(self, number: int) -> None:
        for parent, children in self._children.items():
            if children.pop(number, None) is not None:
                self._list_children(parent)
        shutil.rmtree(self.path / str(number))

    def _list_children(self, number: int) -> None:
        if not (self.path / str(number)).exists():
            return
        for thread in {number, *self._children.get(number, {}).values()}:
            folder = self.path / str(number) / "task" / str(thread)
            folder.mkdir(exist_ok=True, parents=True)
            started = [child for child, of in self._children.get(number, {}).items() if of == thread]
            (folder / "children").write_text("".join(f"{child} " for child in started))


@pytest.fixture
def proc(tmp_path, monkeypatch) -> Proc:
    found = Proc(tmp_path)
    monkeypatch.setattr(process_meter.time, "monotonic", lambda: found.now_s)
    monkeypatch.setattr(process_meter, "_TICKS_PER_S", 100)
    return found


def test_a_tree_is_counted_with_all_that_descend_from_it_and_nobody_else(proc):
    proc.put(10, ticks=(100, 50, 0, 0), pages=2, io=(0, 10))
    proc.put(11, parent=10, program="erl_child_setup", ticks=(0, 1, 5, 5), pages=3)
    proc.put(12, parent=11, program="a (strange) name", ticks=(7, 0, 0, 0), io=(5, 1000), thread=99)
    proc.put(13, ticks=(9999, 0, 0, 0), pages=100)
    meter = ProcessMeter(proc.path)
    first = meter.look([ROOT])[ROOT]
    assert (first.taken, first.unknown) == (TREE, NOT_BY_PROCESS)
    assert first.resident_bytes == 6 * os.sysconf("SC_PAGE_SIZE")
    assert (first.cpu_cores, first.written_bytes_per_s) == (None, None), "there is nothing to compare it with"
    proc.now_s = 2.0
    proc.put(10, ticks=(180, 70, 0, 0), io=(0, 10))
    proc.put(12, parent=11, ticks=(27, 20, 0, 0), io=(5 + 4 * MIB, 1000 + 6 * MIB), thread=99)
    use = meter.look([ROOT])[ROOT]
    assert use.user_cores == pytest.approx((80 + 20) / 100 / 2)
    assert use.system_cores == pytest.approx((20 + 20) / 100 / 2)
    assert use.cpu_cores == pytest.approx(0.7)
    assert (use.read_bytes_per_s, use.written_bytes_per_s) == (2 * MIB, 3 * MIB)


def test_a_child_that_has_ended_is_in_its_parents_counters(proc):
    proc.put(10)
    proc.put(11, parent=10, ticks=(50, 0, 0, 0), io=(0, 100))
    meter = ProcessMeter(proc.path)
    meter.look([ROOT])
    proc.now_s = 1.0
    proc.end(11)
    proc.put(10, ticks=(0, 0, 60, 0), io=(0, 300))
    use = meter.look([ROOT])[ROOT]
    assert (use.cpu_cores, use.written_bytes_per_s) == (pytest.approx(0.1), 200)


def test_counters_that_nobody_inherited_are_no_use_below_nothing(proc):
    proc.put(10)
    proc.put(11, parent=10, ticks=(50, 0, 0, 0), io=(0, 100))
    meter = ProcessMeter(proc.path)
    meter.look([ROOT])
    proc.now_s = 1.0
    proc.end(11)
    use = meter.look([ROOT])[ROOT]
    assert (use.cpu_cores, use.written_bytes_per_s) == (0.0, 0.0)


@pytest.mark.parametrize("after", ["gone", "zombie", "another program"])
def test_a_node_that_has_died_has_no_figures_and_one_started_again_begins_afresh(proc, after):
    proc.put(10)
    meter = ProcessMeter(proc.path)
    assert ROOT in meter.look([ROOT])
    proc.now_s = 1.0
    if after == "gone":
        proc.end(10)
    else:
        proc.put(10, **({"state": "Z"} if after == "zombie" else {"program": "bash"}))
    assert meter.look([ROOT]) == {}
    proc.now_s = 2.0
    proc.put(10, started=900, ticks=(500, 0, 0, 0))
    assert meter.look([ROOT])[ROOT].cpu_cores is None
    proc.now_s = 3.0
    proc.put(10, started=901, ticks=(1, 0, 0, 0))
    assert meter.look([ROOT])[ROOT].cpu_cores is None, "the number is another process's now"


def test_bytes_that_may_not_be_seen_are_null_with_the_reason_and_the_rest_is_there(proc):
    proc.put(10, io=None)
    meter = ProcessMeter(proc.path)
    meter.look([ROOT])
    proc.now_s = 1.0
    proc.put(10, ticks=(100, 0, 0, 0), io=None)
    use = meter.look([ROOT])[ROOT]
    assert (use.cpu_cores, use.written_bytes_per_s, use.read_bytes_per_s) == (1.0, None, None)
    assert use.unknown == f"{NOT_BY_PROCESS}; {NO_BYTES}"


def test_a_descendant_is_counted_from_its_first_second_on(proc):
    proc.put(10)
    meter = ProcessMeter(proc.path)
    for second in (1, 2, 3):
        proc.now_s = float(second)
        meter.look([ROOT])
        proc.put(20 + second, parent=10, ticks=(25, 0, 0, 0))
        proc.now_s += 0.5
        assert meter.look([ROOT])[ROOT].cpu_cores == 0.5


def test_a_kernel_that_lists_no_children_leaves_the_nodes_own_process_and_says_so(proc):
    shutil.rmtree(proc.path / "thread-self")
    proc.put(10, io=None)
    assert (
        ProcessMeter(proc.path).look([ROOT])[ROOT].unknown == f"{NOT_BY_PROCESS}; {NO_CHILDREN}; {NO_BYTES}"
    )


def test_this_machine_tells_what_a_process_of_ours_used(tmp_path):
    """A child that used its CPU in a child of its own, and wrote to a file."""
    work = "sum(range(3_000_000)); open('x', 'wb').write(bytes(8 << 20))"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    code = f"print('begun', flush=True); input(); {inner}; print('done', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "begun\n"
        root, meter = NodeProcess(child.pid, "python"), ProcessMeter()
        before = meter.look([root])[root]
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "done\n"
        after = meter.look([root])[root]
        assert meter.look([NodeProcess(child.pid, "beam")]) == {}
        child.stdin.write("\n")
    assert before.resident_bytes > MIB
    assert after.cpu_cores > 0
    if after.written_bytes_per_s is not None:  # else the kernel does not tell this user
        assert NO_BYTES not in after.unknown
    assert meter.look([root]) == {}
