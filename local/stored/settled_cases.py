"""A run under way on this machine, as far as it is settled: whatever ends the run, that stays."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.schemas import TABLES
from breakeven.results.store import Store
from breakeven.steps.run.resume_run import QUESTIONS
from local.stored.export import Items, point_latest, settled_cases, write_records, writing
from local.stored.whole_files import write_whole


class SettledCases:
    """Writes each case that is settled to the run's folder, laid out there as ``export_run`` does it.

    The folder is locked for as long as its run is under way: see ``is_under_way``.
    """

    def __init__(self, store: Store, run_id: str, runs: Path) -> None:
        self._store, self._run_id, self._runs = store, run_id, runs
        self._folder = runs / run_id
        self._lock: int | None = None
        self._begun = False
        self._written: set[str] = set()

    def keep(self, items: Items) -> None:
        """Write what has been settled since the last call, then the records that say so.

        :param items: the run's records
        :raises UnwritableError: the folder takes no more
        """
        fresh = sorted(settled_cases(items) - self._written)
        if RUN not in items or (self._begun and not fresh):
            return
        with writing(self._folder):
            for case_id in fresh:
                self._write_case(case_id)
            if not self._begun:
                self._write_documents()
            write_records(self._folder, items)
            if not self._begun:
                self._begin()
            if fresh:
                point_latest(self._runs, self._run_id)
        self._written.update(fresh)

    def close(self) -> None:
        """Let go of the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _begin(self) -> None:
        """From now on the run is known to be under way; with its first settled case it is the latest."""
        self._lock = os.open(self._folder, os.O_RDONLY)
        with suppress(OSError):  # a file system that has no locks
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._begun = True

    def _write_documents(self) -> None:
        """What of the run is of no case: its plan, its prices and what was asked of them."""
        self._write_own(layout.plan_key(self._run_id))
        self._write_own(layout.price_book_key(self._run_id))
        self._write_rows(QUESTIONS)

    def _write_case(self, case_id: str) -> None:
        self._write_rows(case_id)
        self._write_own(layout.histogram_key(self._run_id, case_id))

    def _write_rows(self, name: str) -> None:
        for table in TABLES:
            key = layout.row_key(table.name, self._run_id, name)
            self._write(key, self._folder / key)

    def _write_own(self, key: str) -> None:
        self._write(key, self._folder / key.removeprefix(layout.run_prefix(self._run_id)))

    def _write(self, key: str, path: Path) -> None:
        """Not every case has rows in every table, or a histogram."""
        body = self._store.find_bytes(key)
        if body is not None:
            write_whole(path, body)


def is_under_way(folder: Path) -> bool:
    """Is the run of that folder under way, in another process of this machine?"""
    try:
        looked = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(looked, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system that has no locks
        return False
    finally:
        os.close(looked)
    return False
