"""Questions answered without a run: the files of ``queries/`` over rows in a folder of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from breakeven.report.collector import without_collector
from breakeven.results import layout
from breakeven.results.answered import Answered
from breakeven.results.queries import parameter_count, query
from breakeven.results.schemas import PARTITION, TABLES
from breakeven.results.store import encoded
from local.aws.sql_engine import LoadedTables, SqlTable, tables_of

Rows = list[dict[str, Any]]
RUN_ID = "asked"
AT_ONCE = 2
#: bytes of row files, gzipped: what is more is kept in a file while it is asked, in a tenth of the memory
MOST_IN_MEMORY = 16_000_000


def answers(rows: Mapping[str, Rows], names: Sequence[str]) -> dict[str, Rows]:
    """Each query's rows over the given tables, whose files are gone afterwards.

    :param rows: table -> rows with exactly that table's columns; tables that are not given are empty
    :param names: of the files in ``queries/``
    :raises SqlError: a query cannot be run
    """
    with tempfile.TemporaryDirectory(prefix="breakeven-") as folder:
        found = ask(write_rows(Path(folder), RUN_ID, rows), RUN_ID, names)
        return {name: list(answered) for name, answered in found.items()}


def write_rows(root: Path, run_id: str, rows: Mapping[str, Rows]) -> dict[str, SqlTable]:
    """Row files in a folder that is laid out as a run's bucket, and the tables over them.

    :raises OSError: the folder cannot be written
    """
    files: dict[str, list[Path]] = {}
    for table, content in rows.items():
        if body := encoded(table, content):
            path = root / layout.row_key(table, run_id, "rows")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            files[table] = [path]
    return {
        table.name: SqlTable(table.columns, {PARTITION: "string"}, files.get(table.name, []))
        for table in TABLES
    }


def ask(tables: Mapping[str, SqlTable], run_id: str, names: Sequence[str]) -> dict[str, Answered]:
    """Each query's rows, by its name.

    :raises SqlError: a query cannot be run
    """

    with loaded_for(tables, run_id, names) as loaded:
        return ask_loaded(loaded, run_id, names)


@contextmanager
def loaded_for(tables: Mapping[str, SqlTable], run_id: str, names: Sequence[str]) -> Iterator[LoadedTables]:
    """The tables, read for these queries, whose texts are translated meanwhile: half a second of twenty.

    :raises SqlError: a row file is bad, or a query
    """
    with ExitStack() as kept:
        translator = kept.enter_context(ThreadPoolExecutor(1))
        translated = [
            translator.submit(tables_of, query(name), tables, parameters_of(query(name), run_id))
            for name in names
        ]
        large = are_large(path for table in tables.values() for path in table.files)
        folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="breakeven-")) if large else None
        loaded = kept.enter_context(LoadedTables(tables, Path(folder, "rows.duckdb") if folder else None))
        for one in translated:
            one.result()
        yield loaded


def are_large(files: Iterable[Path]) -> bool:
    """Whether row files take much memory, and seconds to load."""
    return sum(path.stat().st_size for path in files) > MOST_IN_MEMORY


def ask_loaded(loaded: LoadedTables, run_id: str, names: Sequence[str]) -> dict[str, Answered]:
    """The same of tables that are loaded."""

    def answer(name: str) -> Answered:
        sql = query(name)
        return loaded.run(sql, parameters_of(sql, run_id)).by_name()

    def rows_under(name: str) -> int:
        sql = query(name)
        return loaded.rows_under(sql, parameters_of(sql, run_id))

    # what reads most begins first, so that none goes on for long when all others have ended
    ordered = sorted(names, key=rows_under, reverse=True)
    with without_collector(), ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(ordered, pool.map(answer, ordered), strict=True))
    return {name: found[name] for name in names}


def parameters_of(sql: str, run_id: str) -> list[str]:
    """Literals for a query's parameters, each of which is the run's id."""
    return [f"'{run_id}'"] * parameter_count(sql)
