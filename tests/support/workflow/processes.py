"""What is still there of the processes that were started for a folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def eventually(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Has the condition come true by then?

    It is looked at less and less often: many a look takes milliseconds, here and at the server that is asked.
    """
    deadline, pause_s = time.monotonic() + seconds, 0.02
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause_s)
        pause_s = min(0.3, 1.3 * pause_s)
    return bool(condition())


def alive(pid: int) -> bool:
    """A zombie is not alive: its parent has only not asked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def processes_of(folder: Path) -> list[str]:
    """Command lines of the living processes whose arguments, environment or working folder name it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and alive(int(entry.name)) and str(folder) in _said(entry):
            found.append(_read(entry / "cmdline"))
    return found


def _said(entry: Path) -> str:
    try:
        where = str((entry / "cwd").readlink())
    except OSError:
        where = ""
    return " ".join((_read(entry / "cmdline"), _read(entry / "environ"), where))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
