"""Bring a run's objects out of the simulated bucket, as they are laid out there, secrets left behind."""

from __future__ import annotations

import errno
import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from breakeven.errors import BreakevenError, InputError
from breakeven.results import layout
from breakeven.results.items import CASES, RUN, case_item
from breakeven.results.schemas import TABLES
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.case.prepare_case import OUTCOMES
from breakeven.words import plural
from local.stored.whole_files import write_whole

Items = Mapping[str, Mapping[str, Any]]
#: about what a small run leaves: a folder that does not take as much takes no run
LEAST_BYTES = 2_000_000
#: in the folder of runs, the link to the one that last settled a case
LATEST = "latest"
#: of file systems that have no links
NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS}


class UnwritableError(BreakevenError):
    """The folder of runs takes no more: it is full, or is not there any longer."""


def check_folder(runs: Path) -> None:
    """Make the folder of runs where it is missing.

    :raises InputError: nothing can be written there, which a run would find out only later
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=runs) as file:
            file.write(bytes(LEAST_BYTES))
    except OSError as error:
        wrong = "is a file" if isinstance(error, FileExistsError) else error.strerror
        remedy = f"no folder that results can be written to ({wrong}); give another one"
        raise InputError("breakeven run", "--runs", str(runs), remedy) from error
    if (latest := runs / LATEST).exists() and not latest.is_symlink():
        remedy = "is where the link to the latest run goes, and is none; rename it"
        raise InputError("breakeven run", "--runs", str(latest), remedy)


def export_run(
    store: Store, state: RunState, run_id: str, runs: Path, leave_out: tuple[str, ...] = ()
) -> Path:
    """Write ``runs/<run_id>/`` (plan, raw results, rows, report, state), and point ``runs/latest`` to it
    if any of its cases is settled.

    :param leave_out: folders of the run's own that stay where they are
    :raises UnwritableError: the folder takes no more
    """
    folder = runs / run_id
    own = layout.run_prefix(run_id)
    with writing(folder):
        for table in TABLES:
            for key in store.keys(layout.rows_prefix(table.name, run_id)):
                write_whole(folder / key, store.get_bytes(key))
        for key in store.keys(own):
            if key.removeprefix(own).partition("/")[0] not in leave_out:
                write_whole(folder / key.removeprefix(own), store.get_bytes(key))
        items = state.items()
        write_records(folder, items)
        if settled_cases(items):
            point_latest(runs, run_id)
    return folder


def settled_cases(items: Items) -> set[str]:
    """Ids of the cases that came to an end of their own."""
    return {
        key.removeprefix(CASES)
        for key, item in items.items()
        if key.startswith(CASES) and item.get("status") in OUTCOMES
    }


def recorded_id(folder: Path, items: Items) -> str:
    """The run's id, by which its rows are laid out: the folder may have been renamed or copied since."""
    return str(items.get(RUN, {}).get("run_id", folder.name))


def cases_without_rows(folder: Path, items: Items) -> list[str]:
    """Ids of the cases that are ok by the run's records, and of which the folder lacks rows that each has,
    with the first table of which it does.
    """
    run_id = recorded_id(folder, items)
    is_ok = sorted(case for case in settled_cases(items) if items[case_item(case)]["status"] == "ok")
    gone = {case: _table_without_rows(folder, run_id, case) for case in is_ok}
    return [f"{case} (rows/{table})" for case, table in gone.items() if table]


def _table_without_rows(folder: Path, run_id: str, case_id: str) -> str | None:
    """The first table that lacks rows which a case has that is ok; totals of a case that moved a message."""
    paths = {name: folder / layout.row_key(name, run_id, case_id) for name in ("cases", "ledgers", "totals")}
    missing = next((name for name, path in paths.items() if not path.exists()), None)
    return missing if missing != "totals" or _moved_any(paths["ledgers"]) else None


def _moved_any(ledger: Path) -> bool:
    """Of a file that is damaged it is not known, which is said of it elsewhere."""
    with suppress(OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        row = json.loads(gzip.decompress(ledger.read_bytes()))
        return bool(row["sent"] + row["received"])
    return False


def without_rows(cases: Sequence[str]) -> str:
    """What is said of them."""
    which = f"{plural(len(cases), 'case')} that came to an end, such as {cases[0]}"
    return f"lacks rows of {which}; restore them, or start a new run"


def write_records(folder: Path, items: Items) -> None:
    """Write the run's records, last of all: what they call settled is there.

    :raises OSError: they cannot be written
    """
    write_whole(folder / "state.json", json.dumps(items, indent=1, default=str).encode())


def point_latest(runs: Path, run_id: str) -> None:
    """Make ``runs/latest`` a link to the run, in one step. There is none on a file system without links."""
    fresh = runs / f".latest-{os.getpid()}"
    fresh.unlink(missing_ok=True)
    try:
        fresh.symlink_to(run_id, target_is_directory=True)
    except OSError as error:
        if error.errno in NO_LINKS:
            return
        raise
    fresh.replace(runs / LATEST)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """
    :raises UnwritableError: what is written inside cannot be
    """
    try:
        yield
    except OSError as error:
        raise UnwritableError(f"{folder} cannot be written ({error.strerror or error})") from error
