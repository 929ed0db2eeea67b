"""What is kept of queries' answers is of the same texts, rows and engine, and of nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from breakeven.results.queries import queries
from local.aws.sql_engine import SqlError, SqlTable
from local.stored import answers
from tests.support.money.kept_answers import keep_answers

FIRST, SECOND = list(queries())[:2]


class Engine:
    """Answers with a row that counts the calls."""

    def __init__(self) -> None:
        self.asked = 0
        self.refuses = False

    def ask(self, tables: Mapping[str, SqlTable], run_id: str, names: Sequence[str]) -> Any:
        self.asked += 1
        if self.refuses:
            raise SqlError("no")
        return {name: [{"call": self.asked}] for name in names}


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = Engine()
    keep_answers(monkeypatch, made.ask)
    return made


def table(folder: Path, content: str, partition: str = "run_id=r") -> dict[str, SqlTable]:
    path = folder / partition / "rows.json.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return {"totals": SqlTable({"case_id": "string"}, {"run_id": "string"}, [path])}


def test_the_same_is_asked_once_and_each_who_asks_has_rows_of_its_own(tmp_path: Path, engine: Engine) -> None:
    same = f"{tmp_path} of this test alone"
    first, again = (answers.ask(table(tmp_path / place, same), "r", [FIRST]) for place in "ab")
    assert first == again == {FIRST: [{"call": 1}]}
    first[FIRST][0]["call"] = 7
    assert answers.ask(table(tmp_path / "a", same), "r", [FIRST]) == again


def test_anything_else_is_asked_anew(tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = f"{tmp_path} of this test alone"
    questions: list[tuple[dict[str, SqlTable], str, list[str]]] = [
        (table(tmp_path, rows), "r", [FIRST]),
        (table(tmp_path, rows), "other", [FIRST]),
        (table(tmp_path, rows), "r", [SECOND]),
        (table(tmp_path, rows), "r", [FIRST, SECOND]),
        (table(tmp_path / "elsewhere", rows, "run_id=other"), "r", [FIRST]),
    ]
    for number, asked in enumerate(questions, 1):
        answers.ask(*asked)
        assert engine.asked == number
    answers.ask(table(tmp_path, f"{rows}, changed"), "r", [FIRST])
    assert engine.asked == len(questions) + 1


@pytest.mark.parametrize("name", ["LoadedTables", "query", "MOST_IN_MEMORY"])
def test_who_changes_the_engine_asks_it(
    tmp_path: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asked = table(tmp_path, f"{tmp_path} of this test alone"), "r", [FIRST]
    answers.ask(*asked)
    monkeypatch.setattr(answers, name, object())
    answers.ask(*asked)
    answers.ask(*asked)
    assert engine.asked == 3


def test_a_refusal_is_not_kept(tmp_path: Path, engine: Engine) -> None:
    asked = table(tmp_path, f"{tmp_path} of this test alone"), "r", [FIRST]
    engine.refuses = True
    for _ in range(2):
        with pytest.raises(SqlError):
            answers.ask(*asked)
    assert engine.asked == 2
