"""Whatever marks a test has, one of the commands of ``npm run test:all`` runs it."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pytest
from _pytest.mark.expression import Expression

from tests.support.workflow.command import ROOT

COMMANDS = json.loads((ROOT / "package.json").read_text())["scripts"]
#: our own, without those of pytest and its plug-ins
MARKS = ("quiet", "thorough", "installed")
#: folders that `npm test` and its like share by marks; the others are each a command's of their own
SHARED = {"tests/e2e", "tests/integration", "tests/infra", "tests/unit"}


def selections(command: str) -> list[tuple[set[str], Expression]]:
    """Folders and marks of each run of pytest in a command."""
    found = re.findall(r"setup/tests\.sh ((?:tests/\S+ )+)-m (?:'([^']+)'|(\S+))", COMMANDS[command])
    return [(set(folders.split()), Expression.compile(quoted or word)) for folders, quoted, word in found]


ALL = [
    chosen
    for name in re.findall(r"npm (?:run )?(test\S*)", COMMANDS["test:all"])
    for chosen in selections(name)
]


@pytest.mark.parametrize("marks", [set(some) for many in range(4) for some in combinations(MARKS, many)])
def test_it_is_run_in_the_folders_that_share_their_commands(marks: set[str]) -> None:
    run_in = {
        folder
        for folders, chosen in ALL
        if chosen.evaluate(lambda name, **_: name in marks)
        for folder in folders
    }
    if "quiet" in marks:
        assert "tests/integration/loaders" in run_in, "where tests are that compare latencies"
    elif "installed" in marks:
        assert run_in >= SHARED - {"tests/unit"}
    else:
        assert run_in >= SHARED


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
