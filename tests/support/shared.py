"""What several kinds of tests share: what is made once a session, and records of targets that are changed."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from breakeven.targets.catalog import CATALOG

#: the variable with the folder of what workers share, which the session's first process makes and removes
FOLDER = "BREAKEVEN_TESTS_FOLDER"


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The path of that name that all workers share, made if none has made it; whoever comes meanwhile waits.

    :param make: called with the path, where nothing is; when it raises, the next worker tries again elsewhere
    """
    base = factory.getbasetemp()
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    done = root / f"{name}.done"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            path = factory.mktemp(name) / name
            make(path)
            done.write_text(str(path))
    return Path(done.read_text())


def json_made_once(name: str, of: str, make: Callable[[], Any]) -> Any:
    """What ``make`` answers, as JSON has it; of all workers, one asks it, and whoever comes meanwhile waits.

    For pure functions that take seconds, at import of a module, too, where there is no fixture yet.

    :param of: the arguments, in words that tell them from all others
    """
    path = Path(os.environ[FOLDER], f"{name}-{hashlib.sha256(of.encode()).hexdigest()[:20]}.json")
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            text = json.dumps(make())
            path.write_text(text)
            return json.loads(text)
    return json.loads(path.read_text())


def change_record(monkeypatch: pytest.MonkeyPatch, target: str, **changes: Any) -> None:
    """Have another record of that target, as long as the test runs."""
    monkeypatch.setitem(CATALOG, target, replace(CATALOG[target], **changes))
