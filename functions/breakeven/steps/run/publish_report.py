"""Publication of a run's report, as readers without any other right may get it.

Under ``reports/<run id>/``, and under ``reports/latest/`` where no newer run's is there. A run that reports
late, resumed or outlived by its lock, replaces nothing that is newer: each file of ``latest`` says when its
run started, and S3 writes it only where it is the one that was looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

from breakeven.results import layout
from breakeven.results.store import Age, Store

CONTENT_TYPES = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
#: of a run's report, which does not change: an hour, so that one that is withdrawn is gone within it
OF_A_RUN = "public, max-age=3600"
#: of the latest: whoever has a copy asks whether it still is
OF_THE_LATEST = "no-cache"


def content_type(name: str) -> str:
    """Of a report's file, by how its name ends."""
    return CONTENT_TYPES[name.rpartition(".")[2]]


def publish(store: Store, run_id: str, started_at: str, files: Mapping[str, bytes], *, good: bool) -> None:
    """Store the copies for readers.

    :param started_at: when the run started, ISO 8601
    :param files: content by name
    :param good: whether any of its cases is ok: a run that failed as a whole is never the latest
    """
    for name, body in files.items():
        key = layout.published_key(run_id, name)
        store.put_bytes(key, body, content_type(name), CacheControl=OF_A_RUN)
    if not good:
        return
    age = Age.of(started_at, run_id)
    for name, body in files.items():
        key = layout.published_key(layout.LATEST, name)
        store.put_newest(key, body, content_type(name), age, CacheControl=OF_THE_LATEST)
