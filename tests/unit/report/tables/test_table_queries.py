"""Each table and chart of a report names the queries that its figures are columns of, or has none."""

from __future__ import annotations

import re
from pathlib import Path

from breakeven.report.contents import sections_of
from breakeven.report.elements import Chart, Section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.table_queries import (
    OF_CHARTS,
    OF_NONE,
    OF_SECTIONS,
    OF_TABLES,
    with_queries,
)
from breakeven.results.queries import QUERIES, query_files
from tests.fixtures.report import sample

ALL = (OF_SECTIONS, OF_TABLES, OF_CHARTS)
NAMED = {name for named in ALL for names in named.values() for name in names}


def test_every_query_that_is_named_is_there_and_is_in_the_page() -> None:
    files = query_files()
    page = (Path(QUERIES).parent / "web/src/queries.ts").read_text()
    assert set(files) >= NAMED
    shown = set(re.findall(r"queries/(?:money/)?(\w+)\.sql", page))
    assert shown >= NAMED
    included = {name for each in NAMED for name in _parts(files[each].read_text())}
    assert included <= set(re.findall(r"queries/parts/(\w+)\.sql", page))


def _parts(text: str) -> set[str]:
    found = set(re.findall(r"^-- include: (\w+)$", text, re.MULTILINE))
    return found.union(*(_parts((QUERIES / "parts" / f"{name}.sql").read_text()) for name in found))


def test_each_table_of_a_run_has_its_queries() -> None:
    tables = [table for section in sections_of(Subject(sample.report(), None)) for table in section.tables()]
    assert len(tables) > 20
    without = [table.slug for table in tables if not table.queries and not table.slug.startswith(OF_NONE)]
    assert without == []


def test_each_chart_of_a_run_has_its_queries() -> None:
    sections = sections_of(Subject(sample.report(), None))
    charts = [part for section in sections for part in section.parts if isinstance(part, Chart)]
    queries = {chart.slug: chart.queries for chart in charts}
    assert all(queries.values())
    assert (queries["cost"], queries["map"]) == (("cost_curves",), ("decision_map",))


def test_words_have_none_also_where_their_section_has() -> None:
    (differences,) = [
        section for section in sections_of(Subject(sample.report(), None)) if section.slug == "compared"
    ]
    assert [table.queries for table in differences.tables()] == [()]
    made = with_queries(Section("nodes", "Nodes", (*differences.tables(),)))
    assert [table.queries for table in made.tables()] == [()]
