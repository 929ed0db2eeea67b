"""Ends what a run had started when the run itself is gone, whatever ended it (even SIGKILL).

Runs as a process of its own, in its own session, on the standard library alone. Its standard input is a
pipe whose other end only the run holds: lines of JSON ``[verb, value]`` say what is to be ended. When the
pipe closes, every process group still named is killed and every folder still named is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: a killed process may still be closing files in a folder: removing it is tried for this long
REMOVE_DEADLINE_S = 5.0
#: before the kind of what is not to be ended any more
FORGET = "forget-"


def follow(lines: Iterable[str]) -> tuple[set[int], set[str]]:
    """Read to the pipe's end; returns the process groups and the folders that are left."""
    left: dict[str, set[Any]] = {"group": set(), "folder": set()}
    for line in lines:
        try:
            verb, value = json.loads(line)
        except ValueError:
            continue  # the writer was killed within a line
        kind = verb.removeprefix(FORGET)
        (left[kind].add if kind == verb else left[kind].discard)(value)
    return left["group"], left["folder"]


def signal_group(group: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to a process group; one that is gone already is well."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def remove_folder(path: str | Path, deadline_s: float = REMOVE_DEADLINE_S) -> None:
    """Remove a folder with all that is in it, retrying while its last users are still ending."""
    deadline = time.monotonic() + deadline_s
    while os.path.lexists(path):
        shutil.rmtree(path, ignore_errors=True)
        if not os.path.lexists(path) or time.monotonic() > deadline:
            return
        time.sleep(0.05)


def main() -> None:
    # The session of its own keeps the terminal's Ctrl-C away; a hang-up must not end it either.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    groups, folders = follow(sys.stdin)
    for group in groups:
        signal_group(group)
    for folder in folders:
        remove_folder(folder)


if __name__ == "__main__":
    main()
