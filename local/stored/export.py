"""Bring a run's objects out of the simulated bucket, as they are laid out there, secrets left behind."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from breakeven.errors import InputError
from breakeven.results import layout
from breakeven.results.schemas import TABLES
from breakeven.results.state import RunState
from breakeven.results.store import Store


def check_folder(runs: Path) -> None:
    """Make the folder of runs where it is missing.

    :raises InputError: nothing can be written there, which a run would find out only at its end
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=runs):
            pass
    except OSError as error:
        remedy = f"no folder that results can be written to ({error.strerror}); give another one"
        raise InputError("breakeven run", "--runs", str(runs), remedy) from error


def export_run(
    store: Store, state: RunState, run_id: str, runs: Path, leave_out: tuple[str, ...] = ()
) -> Path:
    """Write ``runs/<run_id>/`` (plan, raw results, rows, report, state) and point ``runs/latest`` to it.

    :param leave_out: folders of the run's own that stay where they are
    """
    folder = runs / run_id
    own = layout.run_prefix(run_id)
    for key in store.keys(own):
        if key.removeprefix(own).partition("/")[0] in leave_out:
            continue
        _write(folder / key.removeprefix(own), store.get_bytes(key))
    for table in TABLES:
        for key in store.keys(f"{layout.table_prefix(table.name)}run_id={run_id}/"):
            _write(folder / key, store.get_bytes(key))
    _write(folder / "state.json", json.dumps(state.items(), indent=1, default=str).encode())
    point_latest(runs, run_id)
    return folder


def point_latest(runs: Path, run_id: str) -> None:
    """Make ``runs/latest`` a link to the run, in one step."""
    fresh = runs / f".latest-{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(run_id, target_is_directory=True)
    fresh.replace(runs / "latest")


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
