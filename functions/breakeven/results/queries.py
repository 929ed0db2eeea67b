"""The files of ``queries/`` as they are run: each with the parts that it includes put in.

A line ``-- include: NAME`` stands for ``queries/parts/NAME.sql``, a list of common table expressions
that several questions share. Parts may include parts. What is deployed is the whole text.
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
    return {path.stem: query(path.stem) for path in sorted(QUERIES.glob("*.sql"))}


@cache
def query(name: str) -> str:
    """The SQL of one question.

    :raises FileNotFoundError: there is no such question, or no such part
    """
    return _complete(QUERIES / f"{name}.sql")


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
