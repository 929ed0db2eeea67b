"""The files of ``queries/`` as they are run: each with the parts that it includes put in.

Those about money are in ``queries/money/``. A line ``-- include: NAME`` stands for a list of common table
expressions that several questions share, ``queries/parts/NAME.sql``. Parts may include parts. What is
deployed is the whole text.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

QUERIES = Path(__file__).parents[3] / "queries"
COMMENT = re.compile(r"[ \t]*--[^\n]*")
INCLUDE = re.compile(r"^-- include: (\w+)\n", re.MULTILINE)


@cache
def queries() -> dict[str, str]:
    """Name -> SQL of every question, sorted by name. Read where the sources are: they are not in a Lambda."""
    return {name: query(name) for name in sorted(query_files())}


@cache
def query_files() -> dict[str, Path]:
    """Name -> file of every question."""
    return {path.stem: path for folder in (QUERIES, QUERIES / "money") for path in folder.glob("*.sql")}


@cache
def query(name: str) -> str:
    """The SQL of one question.

    :raises KeyError: there is no such question
    :raises FileNotFoundError: there is no such part
    """
    return _complete(query_files()[name])


def bare(sql: str) -> str:
    """The same without its comments, as Athena is asked: what puts parameters into a text need not know that
    an apostrophe in a comment begins no string.
    """
    return "\n".join(line for line in COMMENT.sub("", sql).splitlines() if line)


def parameter_count(sql: str) -> int:
    """How many ``?`` a query has, comments apart."""
    return bare(sql).count("?")


def _complete(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return INCLUDE.sub(lambda found: _complete(QUERIES / "parts" / f"{found[1]}.sql"), text)
