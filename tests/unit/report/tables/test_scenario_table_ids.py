"""A suite may call its scenarios as it likes: their tables have ids of their own."""

from __future__ import annotations

from collections import Counter

import pytest

from breakeven.report.render.page import page
from breakeven.report.tables.scenario_tables import comparison_tables
from breakeven.report.tables.table_queries import OF_SECTIONS, queries_of
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse

#: names of other tables, one of which has no query behind it
TAKEN = ("ledger", "metrics", "prices", "bills", "features", "part-1-of-scenario-ledger")


def called(*names: str) -> list[str]:
    """The slugs of the tables of a report whose scenarios have these names."""
    cases = [case.model_copy(update={"scenario": name}) for name in names for case in sample.report().cases]
    return [
        table.slug for table in comparison_tables(sample.report().model_copy(update={"cases": cases}), None)
    ]


@pytest.mark.usefixtures("undrawn")
def test_a_scenario_that_is_called_like_a_table_leaves_every_id_unique() -> None:
    report = sample.report()
    cases = [case.model_copy(update={"scenario": "ledger"}) for case in report.cases]
    root = parse(page(report.model_copy(update={"cases": cases}), None))
    ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
    assert {name: count for name, count in ids.items() if count > 1} == {}
    assert {"table-ledger", "table-scenario-ledger"} <= set(ids)


def test_no_name_takes_another_tables_look_or_queries() -> None:
    slugs = called(*TAKEN)
    assert len(set(slugs)) == len(slugs) >= len(TAKEN)
    assert not set(slugs) & set(TAKEN)
    assert all(queries_of("tests", slug) == OF_SECTIONS["tests"] for slug in slugs)
