"""Which files of tests one worker runs."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from tests.support.workers import OF_FILE, SHARING, SharedServersScheduling

ROOT = Path(__file__).parents[3]


class Worker:
    def send_runtest_some(self, indices: list[int]) -> None:
        assert indices


def test_every_file_is_there_once():
    named = [file for files in SHARING.values() for file in files]
    assert [file for file in named if not (ROOT / file).is_file()] == []
    assert len(OF_FILE) == len(named)


def test_workers_begin_with_files_of_their_own_kind_and_then_help_with_the_other():
    tests = ["tests/e2e/a.py::t", "tests/integration/b.py::t", "tests/infra/c.py::t", "tests/unit/d.py::t"]
    scheduling = object.__new__(SharedServersScheduling)
    scheduling.workqueue = OrderedDict((test.split("::")[0], {test: False}) for test in tests)
    computes, drives, _ = nodes = [Worker() for _ in range(3)]
    scheduling.assigned_work = {node: {} for node in nodes}
    scheduling.registered_collections = dict.fromkeys(nodes, tests)
    for node in (drives, computes, drives, computes):
        scheduling._assign_work_unit(node)
    assert [*scheduling.assigned_work[drives]] == ["tests/e2e/a.py", "tests/integration/b.py"]
    assert [*scheduling.assigned_work[computes]] == ["tests/infra/c.py", "tests/unit/d.py"]
    scheduling.workqueue["tests/unit/d.py"] = {tests[-1]: False}
    scheduling._assign_work_unit(drives)
    assert "tests/unit/d.py" in scheduling.assigned_work[drives]
