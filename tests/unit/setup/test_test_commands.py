"""Whatever marks a test has, one of the commands of ``npm run test:all`` runs it; ``tests/conftest.py`` holds
each test that is collected against them.
"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.commands import MARKS, ROOT, is_run, run_by_none, selections


@pytest.mark.parametrize(
    ("path", "marks", "run"),
    [
        ("tests/unit/a.py", [], True),
        ("tests/infra/b/a.py", ["thorough"], True),
        ("tests/unit/a.py", ["installed"], False),
        ("tests/unit/a.py", ["quiet"], False),
        ("tests/e2e/a.py", ["quiet"], False),
        ("tests/e2e/a.py", ["quiet", "installed"], True),
        ("tests/e2e/a.py", ["thorough", "installed"], True),
        ("tests/integration/loaders/a.py", ["quiet"], True),
        ("tests/integration/queues/a.py", ["quiet", "installed"], False),
        ("tests/hosts/a.py", [], True),
        ("tests/trino/a.py", [], True),
        ("tests/suites/a.py", [], True),
        ("tests/united/a.py", [], False),
    ],
)
def test_it_is_known_which_are_run(path: str, marks: list[str], run: bool) -> None:
    assert is_run(path, marks) is run


def test_who_is_run_by_none_is_named() -> None:
    def item(path: str, *marks: str) -> Any:
        found = [SimpleNamespace(name=name) for name in (*marks, "parametrize")]
        return SimpleNamespace(nodeid=f"{path}::test", iter_markers=lambda: found)

    items = [item("tests/unit/a.py"), item("tests/unit/a.py", "quiet"), item("tests/new/a.py")]
    assert run_by_none(items) == ["tests/unit/a.py::test", "tests/new/a.py::test"], (
        "the quiet one and the new one"
    )


def test_commands_run_every_folder_of_tests() -> None:
    run = {folder.split("/")[1] for folders, _ in selections() for folder in folders}
    there = {each.parent.relative_to(ROOT / "tests").parts[0] for each in ROOT.glob("tests/*/**/test_*.py")}
    there |= {each.parent.name for each in ROOT.glob("tests/*/test_*.py")}
    assert there == run


def test_continuous_integration_runs_what_everybody_does_and_then_what_is_thorough() -> None:
    assert re.findall(
        r"^(?:exec )?npm (?:run )?(\S+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE
    ) == [
        "test:fresh",
        "test",
        "test:thorough",
    ]


def test_marks_are_the_projects_own() -> None:
    declared = re.findall(r'^    "(\w+): ', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert sorted(declared) == sorted(MARKS)
