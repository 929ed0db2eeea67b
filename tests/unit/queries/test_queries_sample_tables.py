"""Every file of ``queries/`` finds something in the sample tables, by which Trino is compared as well."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.aws.definition import template_of
from tests.trino.deployed import Ask, glue_tables, local_engine, named_queries
from tests.trino.sample_files import RUNS, write

FILES = sorted((Path(__file__).parents[3] / "queries").glob("*.sql"))


@pytest.fixture(scope="module")
def template(assembly: Path) -> dict[str, Any]:
    return template_of(assembly)


@pytest.fixture(scope="module")
def ask(template: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Ask:
    data = tmp_path_factory.mktemp("samples")
    write(data, RUNS[0])
    return local_engine(glue_tables(template), data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_query_has_rows_and_a_value_in_each_of_its_columns(
    path: Path, template: dict[str, Any], ask: Ask
) -> None:
    found = ask(named_queries(template)[path.stem], RUNS[0])
    assert found.rows, f"{path.name} finds nothing in the sample tables: they should have something for it"
    empty = [name for n, (name, _) in enumerate(found.columns) if all(row[n] is None for row in found.rows)]
    assert not empty, f"{path.name}: the sample tables leave columns null in all rows"
