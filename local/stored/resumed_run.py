"""Runs of this machine that did not come to their end, brought back to where the workflow looks for them.

The simulated AWS is empty at each start: what a run left is in the folder of runs, by ``export``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.run.resume_run import Earlier, read_earlier, refused
from local.stored.damage import damaged_rows
from local.stored.export import cases_without_rows, recorded_id, without_rows
from local.stored.settled_cases import is_under_way
from local.stored.whole_files import read_object, read_records, why

#: of what is in a run's folder beside its rows, what the workflow takes over
OWN = ("plan.json", "price_book.json", "histograms")
#: of a record: its keys, and what is of the simulated AWS that is gone
LEFT_OUT = {"run_id", "item", "expires_at", "execution"}


def earlier_run(runs: Path, run_id: str) -> Earlier:
    """:raises InputError: there is no such run, or it cannot be gone on with"""
    named = runs / run_id
    try:
        folder = named.resolve(strict=named.is_symlink())  # ``latest`` is a link
    except PermissionError:
        raise
    except (OSError, RuntimeError):
        raise refused(run_id, f"{named} is a link that leads nowhere; name a run's folder") from None
    if is_under_way(folder):
        raise refused(folder.name, "it is under way; wait for its end, or interrupt it")
    items = _items(folder)
    run_id = recorded_id(folder, items)
    if run_id != folder.name:  # its rows, histograms and records all have that name
        raise refused(folder.name, f"is a copy of run {run_id}, or was renamed; name the folder {run_id}")
    if gone := cases_without_rows(folder, items):
        raise refused(folder.name, f"its folder {without_rows(gone)}")
    if damaged := damaged_rows(folder, run_id):  # its queries would fail once all else was measured
        raise damaged
    return read_earlier(folder.name, _json(folder / "plan.json"), items, str(runs))


def bring(store: Store, state: RunState, runs: Path) -> None:
    """Put the run's objects into the bucket, and its records into the table; ``state`` is of that run."""
    folder = runs / state.run_id
    for name in OWN:
        for path in _files(folder / name):
            key = f"{layout.run_prefix(state.run_id)}{path.relative_to(folder).as_posix()}"
            store.put_bytes(key, path.read_bytes())
    for path in _files(folder / "rows"):
        store.put_bytes(path.relative_to(folder).as_posix(), path.read_bytes())
    for item, fields in _items(folder).items():
        state.update(item, **{name: value for name, value in fields.items() if name not in LEFT_OUT})


def _items(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = _json(folder / "state.json", read_records) or {}
    return found if RUN in found else {}


def _json(path: Path, read: Callable[[Path], dict[str, Any]] = read_object) -> dict[str, Any] | None:
    """:raises InputError: the file is damaged"""
    try:
        return read(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise refused(path.parent.name, f"{path} cannot be read ({why(error)}); start a new run") from None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    # a hidden one is half of what a killed run was writing
    return sorted(one for one in path.rglob("*") if one.is_file() and not one.name.startswith("."))
