"""Which of the commands of package.json runs a test: what none runs would go unseen."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

ROOT = Path(__file__).parents[2]
#: our own, without those of pytest and its plug-ins
MARKS = ("quiet", "thorough", "installed")
#: one run of pytest: the folders, and what marks it is for
Selection = tuple[tuple[str, ...], Expression]


@cache
def selections() -> tuple[Selection, ...]:
    """The runs of pytest that ``npm run test:all`` consists of."""
    commands = json.loads((ROOT / "package.json").read_text())["scripts"]
    parts = re.findall(r"npm (?:run )?(test\S*)", commands["test:all"])
    runs = [run for part in parts for run in re.split(" *&& *", commands[part]) if " tests/" in run]
    return tuple(_selection(run) for run in runs)


def _selection(run: str) -> Selection:
    marks = re.search(r" -m (?:'([^']+)'|(quiet|thorough|installed))(?: |$)", run)
    folders = re.findall(r"(?<= )tests/\S+", run)
    return tuple(folders), Expression.compile((marks[1] or marks[2]) if marks else "quiet or not quiet")


def is_run(path: str, marks: Collection[str]) -> bool:
    """:param path: of the test's file, from the project's folder"""
    return any(
        path.startswith(tuple(f"{folder}/" for folder in folders))
        and chosen.evaluate(lambda name, **_: name in marks)
        for folders, chosen in selections()
    )


def run_by_none(items: Iterable[pytest.Item]) -> list[str]:
    """Node ids of those that no command runs."""
    known: dict[tuple[str, frozenset[str]], bool] = {}
    found = []
    for item in items:
        path = item.nodeid.partition("::")[0]
        of = path, frozenset(mark.name for mark in item.iter_markers() if mark.name in MARKS)
        if of not in known:
            known[of] = is_run(*of)
        if not known[of]:
            found.append(item.nodeid)
    return found
