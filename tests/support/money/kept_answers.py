"""What queries answer, asked once a session of the same rows: they take half a second of a processor."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from local.aws.sql_engine import SqlTable
from local.stored import answers
from tests.support.shared import json_made_once

Answers = dict[str, list[dict[str, Any]]]
Ask = Callable[[Mapping[str, SqlTable], str, Sequence[str]], Mapping[str, Sequence[Mapping[str, Any]]]]
#: what has ``ask`` of ``local.stored.answers`` by its name
ASKING = ("local.stored.answers", "local.stored.published_report", "local.stored.settled_report")


def keep_answers(patch: pytest.MonkeyPatch, ask: Ask) -> None:
    """Have who asks get what the same texts have answered over the same rows; refusals are asked for anew.

    Whoever changes the engine, or how it reads, asks it.
    """
    shipped = _engine()

    def kept(tables: Mapping[str, SqlTable], run_id: str, names: Sequence[str]) -> Answers:
        if _engine() != shipped:
            return ask(tables, run_id, names)
        asked = repr((run_id, [(name, answers.query(name)) for name in names], _content(tables)))
        return dict(json_made_once("answers", asked, lambda: _listed(ask(tables, run_id, names))))

    for module in ASKING:
        patch.setattr(f"{module}.ask", kept)


def _listed(answered: Mapping[str, Sequence[Mapping[str, Any]]]) -> Answers:
    """Rows as JSON has them."""
    return {name: [dict(row) for row in rows] for name, rows in answered.items()}


def _engine() -> tuple[Any, ...]:
    return answers.LoadedTables, answers.query, answers.MOST_IN_MEMORY


def _content(tables: Mapping[str, SqlTable]) -> list[Any]:
    return [
        (name, table.columns, table.partitions, [_of_file(path) for path in table.files])
        for name, table in sorted(tables.items())
    ]


def _of_file(path: Path) -> tuple[str, str]:
    """The partition that it is in, and what it holds."""
    return path.parent.name, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
