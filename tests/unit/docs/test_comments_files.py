"""What comments and docstrings name of the repository is there: files, folders and modules."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.unit.docs.test_docs_files import OURS, ROOT, is_ours, meant, paths

FOLDERS = ("functions", "infra", "local", "cli", "nodes", "setup", "queries", "web/src")
#: what a run or a checkout makes, and others' files
NOT_OURS = {
    "report.md": "of a run's report",
    "report.json": "of a run's report",
    "tls1.h": "OpenSSL's, where a number comes from",
    "x509_vfy.h": "OpenSSL's, where a number comes from",
}
#: files whose text is no comment: what is bundled is a copy
COMPILED = "functions/breakeven/report/render/compiled"
PATH = re.compile(r"(?<![\w./~:$<{*-])[\w.*-]+(?:/[\w.*-]+)+")
FILE = re.compile(r"(?<![\w./~:$<{*-])[\w-]+\.(?:py|sh|sql|md|yaml|lock|toml|c|h|ts)\b(?![\w./-])")
MODULE = re.compile(r"`([a-z_]\w*(?:\.\w+)+)`")


def _of_python(text: str) -> str:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and (said := ast.get_docstring(node)):
            found.append(said)
    return "\n".join(found)


def _behind(mark: str) -> Callable[[str], str]:
    return lambda text: "\n".join(re.findall(rf"(?:^|\s){mark}[^\n]*", text, re.MULTILINE))


def _of_c(text: str) -> str:
    return "\n".join(re.findall(r"/\*.*?\*/|//[^\n]*", text, re.DOTALL))


COMMENTS: dict[str, Callable[[str], str]] = {
    ".py": _of_python,
    ".sql": _behind("--"),
    ".md": str,
    **dict.fromkeys((".c", ".h", ".ts"), _of_c),
    **dict.fromkeys(("", ".sh", ".yaml", ".toml", ".in", ".conf", ".service"), _behind("#")),
}


def files() -> Iterator[str]:
    for path in sorted(paths()):
        is_read = path.startswith(tuple(f"{folder}/" for folder in FOLDERS)) and not path.startswith(COMPILED)
        if is_read and Path(path).suffix in COMMENTS and (ROOT / path).is_file():
            yield path


@cache
def comments(path: str) -> str:
    return COMMENTS[Path(path).suffix]((ROOT / path).read_text(encoding="utf-8"))


def lacking(text: str) -> list[str]:
    """Paths, files and modules that a text names and that are not there."""
    named = [found.rstrip(".") for found in PATH.findall(text)]
    gone = [path for path in named if is_ours(path) and not is_there(path)]
    gone += [file for file in FILE.findall(text) if file not in NOT_OURS and not Path(file).stem.isupper()]
    return [each for each in gone if not meant(each)] + [
        name for name in MODULE.findall(text) if name not in NOT_OURS and not is_module(name)
    ]


def is_there(path: str) -> bool:
    """By its whole name; a module may lack its ending, and a decision be named by its number."""
    return any(meant(f"{path}{rest}") for rest in ("", ".py", "-*.md" if path[-1].isdigit() else ""))


def is_module(name: str) -> bool:
    """Is it a module of ours, or what one has? What begins with no room of ours is not looked at."""
    parts = name.split(".")
    if parts[0] not in rooms() or name.endswith(OURS):
        return True
    for count in range(len(parts), 0, -1):
        for root in ("functions/breakeven/", "functions/", ""):
            path = root + "/".join(parts[:count])
            source = next((each for each in (f"{path}.py", f"{path}/__init__.py") if each in paths()), None)
            if source is not None:
                text = (ROOT / source).read_text(encoding="utf-8")
                return all(re.search(rf"\b{part}\b", text) for part in parts[count:])
    return False


@cache
def rooms() -> frozenset[str]:
    inside = {path.stem for path in (ROOT / "functions" / "breakeven").iterdir()}
    return frozenset(inside | {"breakeven", "handlers", "infra", "local", "cli"})


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_comments_name_is_there(folder: str) -> None:
    here = [path for path in files() if path.startswith(f"{folder}/")]
    assert here
    assert {path: found for path in here if (found := lacking(comments(path)))} == {}


def test_what_is_not_there_is_seen() -> None:
    assert lacking("as infra/no_such.py has it, and no_such.sh") == ["infra/no_such.py", "no_such.sh"]
    assert lacking("(``loadgen.stamp``, ``pricing.bill.asked.Asked.no_such``)") == [
        "loadgen.stamp",
        "pricing.bill.asked.Asked.no_such",
    ]
    assert lacking("``loadgen.ledger.stamp.Stamper`` and docs/decisions/0018, of ``report.json``") == []
    assert lacking("docs/decisions/99") == ["docs/decisions/99"]


def test_comments_are_told_from_what_is_run() -> None:
    assert _of_python('"""Of a module."""\nname = "infra/no_such.py"  # why') == "# why\nOf a module."
    assert "no_such" not in _behind("#")("#!/bin/sh\ncat infra/no_such.py # it\n")
    assert _of_c("int a; /* of\nb */ c(); // d") == "/* of\nb */\n// d"
