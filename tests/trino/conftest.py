"""One Trino server for all tests of this folder, with the tables that the stack declares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.aws.sql_engine import SqlResult
from local.children import Children
from local.ports import LOOPBACK
from tests.support.aws.definition import template_of
from tests.support.workflow.processes import eventually, processes_of
from tests.trino.deployed import Ask, GlueTable, glue_tables, local_engine, named_queries
from tests.trino.sample_files import RUNS, write
from tests.trino.trino_server import CATALOG, PACKAGES, TrinoServer

SCHEMA = "queue_breakeven"


@pytest.fixture(scope="session")
def template(assembly: Path) -> dict[str, Any]:
    return template_of(assembly)


@pytest.fixture(scope="session")
def deployed_queries(template: dict[str, Any]) -> dict[str, str]:
    """Name -> SQL of each query as it is deployed."""
    return named_queries(template)


@pytest.fixture(scope="session")
def tables(template: dict[str, Any]) -> dict[str, GlueTable]:
    return glue_tables(template)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrinoServer]:
    """The server, with the rows of all runs in its data folder; nothing of it is left."""
    workdir = tmp_path_factory.mktemp("trino")
    with Children() as children:
        started = TrinoServer(children, workdir)
        started.start()
        for run_id in RUNS:
            write(started.data, run_id)
        assert processes_of(workdir), "the helper that looks for processes finds them while they run"
        yield started
        started.stop()
    assert eventually(lambda: not processes_of(workdir))
    assert list(workdir.iterdir()) == []


@pytest.fixture(scope="session")
def ask_trino(server: TrinoServer, tables: dict[str, GlueTable]) -> Iterator[Ask]:
    """Puts a query with the run's id for each ``?`` to Trino, by its statement protocol."""
    sys.path.append(str(PACKAGES))  # the tests' own packages come first
    from trino.dbapi import connect  # noqa: PLC0415  # only there once it has been installed

    connection = connect(host=LOOPBACK, port=server.port, user="test", catalog=CATALOG, schema=SCHEMA)

    def execute(sql: str, parameters: list[str]) -> SqlResult:
        cursor = connection.cursor()
        cursor.execute(sql, parameters or None)
        rows = [tuple(row) for row in cursor.fetchall()]
        return SqlResult([(column.name, column.type_code) for column in cursor.description or []], rows)

    execute(f"CREATE SCHEMA {SCHEMA}", [])
    for table in tables.values():
        execute(table.on_trino(), [])
    yield lambda sql, run_id: execute(sql, [run_id] * sql.count("?"))
    connection.close()


@pytest.fixture(scope="session")
def ask_local(server: TrinoServer, tables: dict[str, GlueTable]) -> Ask:
    """Puts the same to the engine that local runs have, on the same files."""
    return local_engine(tables, server.data)
