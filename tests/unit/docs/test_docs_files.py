"""What the documentation names of the repository is there: files, folders, tests, and pages that it links to.

Decisions are left alone: they tell what was there when they were taken.
"""

from __future__ import annotations

import ast
import os
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
#: what a checkout makes for itself, beside all that begins with a dot
MADE = {"node_modules", "cdk.out", "runs", "__pycache__"}
#: ends of names of files that are nowhere but in the repository
OURS = (".py", ".sh", ".sql", ".md", ".yaml", ".lock", ".in", ".toml", ".c")


@cache
def paths() -> frozenset[str]:
    """Every file and folder of the repository, from its root."""
    found = set()
    for here, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in MADE]
        found |= {(Path(here) / name).relative_to(ROOT).as_posix() for name in (*folders, *files)}
    return frozenset(found)


@cache
def functions_in(path: str) -> frozenset[str]:
    """The functions of a file of tests."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@cache
def files_of_tests() -> dict[str, str]:
    """Path by the name without its ending."""
    return {Path(path).stem: path for path in paths() if fnmatchcase(path, "tests/*/test_*.py")}


def meant(path: str) -> list[str]:
    """The files that a path names, from the root or from any folder, so that a page need not say the whole.

    A word in capitals stands for a name, and a star for any.
    """
    pattern = path.rstrip("/")
    return [each for each in paths() if fnmatchcase(each, pattern) or fnmatchcase(each, f"*/{pattern}")]


def is_ours(word: str) -> bool:
    """Is it to be a path of the repository? Not of S3, of a user's folder, or of what a checkout makes."""
    parts = word.split("/")
    if (
        not re.fullmatch(r"[\w.*/-]+", word)
        or parts[0] in {"", "~", ".."}
        or MADE & {*parts}
        or word.startswith(".")
    ):
        return False
    if any(Path(part).stem.isupper() for part in parts) and not meant(word):
        return False
    return "/" in word and (parts[0] in os.listdir(ROOT) or word.endswith(OURS))


def words(page: Path) -> list[str]:
    """All that stands between back quotes, word by word."""
    quoted = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    return [word.strip(",;") for text in quoted for word in text.split()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_that_a_page_names_is_there(page):
    named = {word.partition("::")[0] for word in words(page)}
    assert [path for path in sorted(named) if is_ours(path) and not meant(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_that_a_page_links_to_is_there(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    there = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in there if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_a_page_names_is_there(page):
    """By its file, or alone; ``…`` stands for the rest of a name."""
    every = {*files_of_tests(), *(name for path in files_of_tests().values() for name in functions_in(path))}
    lacking = []
    for word in words(page):
        path, _, name = word.partition("::")
        if name:
            lacking += [word for file in meant(path) if name not in functions_in(file)]
        elif word.startswith("test_") and "/" not in word:
            known = word.removesuffix(".py").replace("…", "*").replace("...", "*")
            lacking += [] if any(fnmatchcase(each, known) for each in every) else [word]
    assert lacking == []


def test_every_module_that_is_said_to_simulate_something_is_there():
    """The page's first table names them without their folders."""
    page = (ROOT / "docs" / "strictness.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.split("\n## ")[1].splitlines() if line.startswith("| ")]
    named = [word for _, _, where, *_ in rows for word in re.findall(r"`([^`]+)`", where)]
    assert len(named) > len(rows)
    assert [word for word in named if not meant(word if re.search(r"[/.]", word) else f"{word}.py")] == []


def test_what_is_not_there_is_seen():
    assert meant("steps/run/account_capacity.py") == ["functions/breakeven/steps/run/account_capacity.py"]
    assert meant("steps/no_such.py") == meant("count.py") == []
    assert is_ours("steps/no_such.py")
    assert is_ours("infra/no_such")
    assert not is_ours("runs/run-1/report/index.html")
    assert not is_ours("advice/loaders/SUITE.json")
