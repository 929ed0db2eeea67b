"""What else a loader's host was busy with: the counters that are read, and the thresholds of the flag."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from breakeven.loadgen.self_check import host_use, known_work
from breakeven.loadgen.self_check.busy_host import BUSY_BY, host_evidence
from breakeven.loadgen.self_check.host import OF_A_FUNCTION, OF_A_TASK
from breakeven.loadgen.self_check.host_use import RUN_PROCESS, HostMeter, HostUse
from breakeven.loadgen.self_check.known_work import known_work_ms
from tests.support.loaders.diagnoses import diagnosis

RUN = {RUN_PROCESS: "10"}
#: of the kernel's threads, in the ninth field of a process' stat
KERNEL = 0x00208040
UNKNOWN = HostUse()


@pytest.fixture(autouse=True)
def no_stage_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_use, "LEAST_S", 0.0)


class Proc:
    """A ``/proc`` that the test writes: a run with descendants, another program, a thread of the kernel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes = {10: (1, 0), 11: (10, 0), 12: (11, 0), 99: (1, 0), 7: (2, KERNEL)}
        self.ticks: dict[int, tuple[int, int, int, int]] = {}
        self.host = [0, 0, 0, 0, 0, 0, 0, 50, 0, 0]
        self.write()

    def write(self) -> None:
        (self.folder / "stat").write_text(f"cpu  {' '.join(map(str, self.host))}\ncpu0 1 2 3\n")
        for process, (parent, flags) in self.processes.items():
            place = self.folder / str(process)
            place.mkdir(exist_ok=True)
            spent = " ".join(map(str, self.ticks.get(process, (0, 0, 0, 0))))
            (place / "stat").write_text(
                f"{process} (a) name) S {parent} 1 1 0 -1 {flags} 1 2 3 4 {spent} 20 0 1 0"
            )


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)


def used(proc: Proc, environment: dict[str, str] = RUN) -> HostUse:
    """While the host spent 1,000 ticks: 600 on programs, 300 idle, 40 on interrupts, and 60 were stolen."""
    meter = HostMeter(environment, proc.folder)
    proc.host = [400, 100, 100, 290, 10, 10, 30, 110, 77, 88]
    proc.write()
    return meter.use()


def test_others_used_what_neither_the_runs_processes_nor_the_kernel_did(proc: Proc) -> None:
    proc.ticks = {
        10: (100, 20, 30, 0),
        11: (50, 0, 0, 0),
        12: (80, 20, 0, 0),
        99: (9, 9, 9, 9),
        7: (0, 100, 0, 0),
    }
    before = dict.fromkeys(proc.ticks, (0, 0, 0, 0))
    proc.ticks, after = before, proc.ticks
    proc.write()
    meter = HostMeter(RUN, proc.folder)
    proc.ticks, proc.host = after, [400, 100, 100, 290, 10, 10, 30, 110, 77, 88]
    proc.write()
    assert meter.use() == HostUse(others_share=0.2, steal_share=0.06, idle_share=0.3)


def test_a_child_that_ends_leaves_its_ticks_to_its_parent(proc: Proc) -> None:
    proc.ticks = {12: (200, 0, 0, 0)}
    proc.write()
    meter = HostMeter(RUN, proc.folder)
    (proc.folder / "12" / "stat").unlink()
    del proc.processes[12]
    proc.ticks, proc.host = {11: (0, 0, 300, 0)}, [100, 0, 0, 100, 0, 0, 0, 50]
    proc.write()
    assert meter.use().others_share == 0.0


def test_a_kernel_thread_that_ends_or_starts_adds_nothing_to_others(proc: Proc) -> None:
    proc.ticks = {7: (0, 1_000, 0, 0), 12: (50, 0, 0, 0)}
    proc.write()
    meter = HostMeter(RUN, proc.folder)
    (proc.folder / "7" / "stat").unlink()
    proc.processes = {8 if process == 7 else process: it for process, it in proc.processes.items()}
    proc.ticks, proc.host = {8: (0, 40, 0, 0), 12: (150, 0, 0, 0)}, [150, 0, 40, 10, 0, 0, 0, 50]
    proc.write()
    assert meter.use().others_share == 50 / 200


def test_the_runs_own_processes_alone_leave_nothing_to_others(proc: Proc) -> None:
    proc.write()
    meter = HostMeter(RUN, proc.folder)
    proc.ticks, proc.host = {12: (603, 0, 0, 0)}, [600, 0, 0, 400, 0, 0, 0, 50]  # samples: 3 ticks too many
    proc.write()
    assert meter.use() == HostUse(others_share=0.0, steal_share=0.0, idle_share=0.4)


@pytest.mark.parametrize("environment", [{}, {RUN_PROCESS: "4711"}])
def test_without_the_runs_process_nobody_is_called_another(proc: Proc, environment: dict[str, str]) -> None:
    assert used(proc, environment) == HostUse(None, 0.06, 0.3)


def test_a_kernel_that_never_counted_steal_does_not_tell_of_it(proc: Proc) -> None:
    proc.host[7] = 0
    proc.write()
    meter = HostMeter(RUN, proc.folder)
    proc.host = [400, 100, 100, 300, 0, 0, 100, 0]
    proc.write()
    assert meter.use() == HostUse(0.6, None, 0.3)


@pytest.mark.parametrize("endpoint", [OF_A_FUNCTION, OF_A_TASK])
def test_a_function_or_a_task_is_told_nothing(proc: Proc, endpoint: str) -> None:
    assert used(proc, {**RUN, endpoint: "http://169.254.0.1"}) == UNKNOWN


@pytest.mark.parametrize("stat", [None, "", "cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  many\n"])
def test_a_system_whose_counters_say_nothing_is_told_nothing(tmp_path: Path, stat: str | None) -> None:
    if stat is not None:
        (tmp_path / "stat").write_text(stat)
    assert HostMeter({}, tmp_path).use() == UNKNOWN


def test_a_stage_that_is_too_short_is_told_nothing(monkeypatch: pytest.MonkeyPatch, proc: Proc) -> None:
    monkeypatch.setattr(host_use, "LEAST_S", 1.0)
    assert used(proc) == UNKNOWN


def test_this_machines_counters_are_read() -> None:
    meter = HostMeter({RUN_PROCESS: str(os.getpid())})
    assert meter._host
    assert meter._own is not None
    assert meter._own.run > 0


#: reason -> the smallest evidence, what its sentence says of that, and those nearest to it that are none
REASONS: dict[str, tuple[dict[str, Any], tuple[str, ...], list[dict[str, Any]]]] = {
    "others": (
        {"others_share": 0.1},
        ("other programs than this run's used 10% of the host's", "10% is the limit"),
        [{"others_share": 0.0999}],
    ),
    "steal": (
        {"steal_share": 0.02},
        ("the hypervisor withheld 2.0% of the host's", "2% is the limit"),
        [{"steal_share": 0.0199}],
    ),
    "wakes": (
        {"lag_p99_ms": 20.0, "idle_share": 0.5},
        ("woke 20.0 ms late or later 1 time in 100 although 50%", "20 ms is the limit"),
        [
            {"lag_p99_ms": 19.99, "idle_share": 1.0},
            {"lag_p99_ms": 200.0, "idle_share": 0.499},  # the run's own processes may be the cause
            {"lag_p99_ms": 200.0},
        ],
    ),
    "speed": (
        {"work_before_ms": 0.5, "work_after_ms": 0.575},
        ("in 0.500 ms before the case and in 0.575 ms after it", "15.0% apart", "15% is the limit"),
        [
            {"work_before_ms": 0.5, "work_after_ms": 0.5749},
            {"work_before_ms": 0.5749, "work_after_ms": 0.5},
            {"work_before_ms": 0.5},
        ],
    ),
}


def test_a_host_that_became_faster_has_changed_its_speed_too() -> None:
    (said,) = host_evidence(diagnosis("measure", 0.1, work_before_ms=0.9, work_after_ms=0.7))
    assert "28.6% apart" in said


def test_the_same_work_is_timed_on_a_host_that_is_shared_with_the_target() -> None:
    found = known_work_ms({})
    assert found is not None
    assert 0.01 < found < 1000
    assert known_work_ms({OF_A_TASK: "http://127.0.0.1:1"}) is None


def test_the_least_of_many_slices_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    took_ns = iter([9_000_000, *[2_000_000] * (known_work.TURNS * known_work.SLICES - 2), 1_500_000])
    monkeypatch.setattr(known_work, "_slice_ns", lambda: next(took_ns))
    assert known_work_ms({}) == 1.5


def test_every_reason_that_a_host_is_busy_has_its_examples() -> None:
    assert set(BUSY_BY) == set(REASONS)


@pytest.mark.parametrize("reason", BUSY_BY)
def test_a_reason_that_a_host_is_busy_is_found_at_its_limit_and_says_it(reason: str) -> None:
    found, figures, sparing = REASONS[reason]
    (said,) = host_evidence(diagnosis("measure", 0.1, **found))
    assert all(figure in said for figure in figures), said
    assert [host_evidence(diagnosis("measure", 0.1, **fields)) for fields in sparing] == [[]] * len(sparing)
