"""Rows of answers are the same whether an engine's tuples or mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from breakeven.report.building.report_builder import build_report
from breakeven.results.answered import Answered, picked
from tests.fixtures.report import sample
from tests.fixtures.report.courses import node_rows

MAPPINGS = [{"case_id": "a", "rate": 1.5}, {"case_id": "b", "rate": None}]
OF_MANY_ROWS = ("rate_over_time", "loaders", "nodes_over_time", "cases", "throughput", "ledger")
ROWS = Answered(("case_id", "rate"), [("a", 1.5), ("b", None)])


def as_tuples(rows: Sequence[Mapping[str, Any]]) -> Answered:
    assert rows
    return Answered(tuple(rows[0]), [tuple(row[column] for column in rows[0]) for row in rows])


def test_each_is_a_mapping_of_its_own() -> None:
    assert [*ROWS] == MAPPINGS == [ROWS[0], ROWS[-1]]
    assert [*ROWS[1:]] == MAPPINGS[1:]
    assert len(ROWS) == 2
    ROWS[0]["rate"] = 7.0
    assert ROWS[0] == MAPPINGS[0]


def test_a_row_that_has_not_as_many_values_as_there_are_columns_is_none() -> None:
    with pytest.raises(ValueError, match="shorter"):
        list(Answered(("case_id", "rate"), [("a",)]))


@pytest.mark.parametrize("rows", [ROWS, MAPPINGS, iter(MAPPINGS)])
def test_columns_are_picked_in_the_order_asked_for(rows) -> None:
    assert list(picked(rows, ("rate", "case_id"))) == [(1.5, "a"), (None, "b")]


@pytest.mark.parametrize("rows", [ROWS, MAPPINGS])
def test_a_column_that_is_not_there_is_named(rows) -> None:
    with pytest.raises(KeyError, match="zone"):
        list(picked(rows, ("case_id", "zone")))


def test_a_report_is_the_same_of_both() -> None:
    plan = sample.planned()
    answers = replace(sample.answers(plan), nodes_over_time=node_rows(plan[0].case_id))
    tuples = {name: as_tuples(getattr(answers, name)) for name in OF_MANY_ROWS}
    of_both = [
        build_report(sample.record(plan), sample.manifest(), each)
        for each in (answers, replace(answers, **tuples))
    ]
    assert of_both[0] == of_both[1]
