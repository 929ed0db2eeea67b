"""The sample tables as files: what both engines read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from breakeven.results.schemas import TABLES
from breakeven.results.store import Store
from tests.trino import sample_costs, sample_nodes, sample_tables  # noqa: F401  # each adds its tables
from tests.trino.samples import SAMPLES, Sample

#: a run id that looks like a date must stay text; the rows of one run must not show in another
RUNS = ("2026-11-20", "20261120t101500-7f3a")
#: how many objects the rows of a table are in
PARTS = 3


class Folder:
    """Stands for S3: an object is a file whose path is its key."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put_object(self, *, Key: str, Body: bytes, **_: Any) -> None:
        path = self._root / Key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Body)


def write(data: Path, run_id: str) -> None:
    """Store the rows of one run in every table, in several objects and in no order."""
    store = Store(Folder(data), "bucket")
    for table in TABLES:
        assert table.name in SAMPLES, f"no rows for {table.name}: write a function of that name"
        shared = Sample(table.name, run_id)
        rows = list(SAMPLES[table.name](shared))
        assert rows, f"{table.name} has no rows"
        for row in rows:
            assert set(row) <= set(table.columns), (
                f"{table.name} has no column {set(row) - set(table.columns)}"
            )
        shared.random.shuffle(rows)
        for part in range(PARTS):
            whole = [{column: row.get(column) for column in table.columns} for row in rows[part::PARTS]]
            store.put_rows(table.name, run_id, f"part-{part}", whole)
