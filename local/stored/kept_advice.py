"""Findings of runs about their loaders, kept between runs: the simulated bucket is empty at each start.

The document stands in the folder of runs under the key that it has in the results bucket.
"""

from __future__ import annotations

from pathlib import Path

from breakeven.planning.loaders.advice import LoaderAdvice, ignored, read_advice
from breakeven.results import layout
from breakeven.results.store import Store
from local.stored.whole_files import write_whole


def path_of(runs: Path, suite: str) -> Path:
    return runs / layout.loader_advice_key(suite)


def known(runs: Path, suite: str) -> tuple[LoaderAdvice, list[str]]:
    """As the workflow's first state will find it, and what is to be said: of a damaged file, its path."""
    path = path_of(runs, suite)
    try:
        return read_advice(_read(path), suite, str(path))
    except OSError as error:
        return LoaderAdvice(suite=suite), [ignored(str(path), error.strerror or type(error).__name__)]


def bring(store: Store, runs: Path, suite: str) -> None:
    """Put the suite's document into the bucket as it is; one that cannot be read was told of already."""
    try:
        body = _read(path_of(runs, suite))
    except OSError:
        return
    if body is not None:
        store.put_bytes(layout.loader_advice_key(suite), body, "application/json")


def keep(store: Store, runs: Path, suite: str) -> str | None:
    """Take the suite's document out of the bucket, in one step; answers why where that cannot be."""
    key, path = layout.loader_advice_key(suite), path_of(runs, suite)
    if key not in store.keys(key):
        return None
    try:
        write_whole(path, store.get_bytes(key))
    except OSError as error:
        return (
            f"{path} cannot be written ({error.strerror}): the next run will not know of this one's loaders"
        )
    return None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
