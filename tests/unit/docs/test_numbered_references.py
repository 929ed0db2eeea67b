"""Rules and decisions that are referred to by number are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
FOLDERS = (
    "functions",
    "infra",
    "local",
    "cli",
    "queries",
    "tests",
    "bench",
    "docs",
    "nodes",
    "setup",
    "scenarios",
    "web",
    "CHANGELOG.md",
    "README.md",
    "CONTRIBUTING.md",
)
TEXTS = {"", ".py", ".sql", ".md", ".yaml", ".sh", ".c", ".h", ".ts", ".css", ".html"}
#: what a checkout makes for itself
MADE = {"node_modules", "__pycache__"}
RULE = re.compile(r"\brules? ([0-9]+)(?: and ([0-9]+))? of `?docs/rules\.md")
DECISION = re.compile(r"\b(?:docs/)?decisions?[/ ]([0-9]{4})\b")


def test_rules_that_are_named_are_there() -> None:
    there = set(re.findall(r"^([0-9]+)\. \*\*", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE))
    named = {(path, number) for path, found in _named(RULE) for number in found if number}
    assert len(named) > 5
    assert {each for each in named if each[1] not in there} == set()


def test_a_rule_says_whose_it_is() -> None:
    bare = re.compile(r"\brules? [0-9]+\b(?:(?! of docs/rules\.md| and [0-9]+ of docs/rules\.md))()")
    assert [
        path for path, _ in _named(bare) if path.suffix in {".py", ".sql", ".ts"} and path != Path(__file__)
    ] == []


def test_decisions_that_are_named_are_there() -> None:
    there = {path.name[:4] for path in (ROOT / "docs" / "decisions").iterdir()}
    named = {(path, number) for path, found in _named(DECISION) for number in found}
    assert len(named) > 5
    assert {each for each in named if each[1] not in there} == set()


def _named(pattern: re.Pattern[str]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Each file with what the pattern finds in it."""
    for folder in FOLDERS:
        for path in (ROOT / folder, *(ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in TEXTS and not MADE & {*path.parts}:
                for found in pattern.finditer(path.read_text()):
                    yield path, tuple(each for each in found.groups() if each is not None)


def test_each_decision_has_a_number_of_its_own() -> None:
    numbers = sorted(path.name[:4] for path in (ROOT / "docs" / "decisions").iterdir())
    assert [number for number in set(numbers) if numbers.count(number) > 1] == []
