"""One Trino server for all tests of this folder, with the tables that the stack declares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from breakeven.results.store import Store
from local.aws.sql_engine import SqlResult, run
from local.children import Children
from local.ports import LOOPBACK
from tests.support.aws.definition import template_of
from tests.support.workflow.processes import eventually, processes_of
from tests.trino import sample_costs, sample_nodes, sample_tables  # noqa: F401  # each adds its tables
from tests.trino.deployed import GlueTable, glue_tables, named_queries
from tests.trino.samples import write
from tests.trino.trino_server import CATALOG, PACKAGES, TrinoServer

SCHEMA = "queue_breakeven"
#: a run id that looks like a date must stay text; the rows of one run must not show in another
RUNS = ("2026-11-20", "20261120t101500-7f3a")

Ask = Callable[[str, str], SqlResult]


class Folder:
    """Stands for S3: an object is a file whose path is its key."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put_object(self, *, Key: str, Body: bytes, **_: Any) -> None:
        path = self._root / Key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Body)


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
            write(Store(Folder(started.data), "bucket"), run_id)
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

    def ask(sql: str, run_id: str) -> SqlResult:
        found = {name: table.on_the_local_engine(server.data) for name, table in tables.items()}
        return run(sql, found, [f"'{run_id}'"] * sql.count("?"))

    return ask
