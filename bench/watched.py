"""A contender's process, watched from outside: each line it prints, and the CPU it had used by then."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from breakeven.errors import BreakevenError
from local.children import Children, last_lines

ROOT = Path(__file__).parents[1]
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
#: of /proc/<pid>/stat, counted from behind the command's name
_USER, _SYSTEM = 11, 12


@dataclass(frozen=True, slots=True)
class Line:
    """``at_s`` monotonic; ``cpu_s``: user and system time of all the process's threads until then."""

    at_s: float
    cpu_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """``environment`` is added to what every contender gets; ``stdin`` is for what nobody else may see."""

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    stdin: str = ""


def watch(children: Children, command: Command, limit_s: float) -> list[Line]:
    """Run a contender to its end.

    :raises BreakevenError: it failed, or was not done within ``limit_s``
    """
    with tempfile.TemporaryFile() as given, tempfile.NamedTemporaryFile() as errors:
        given.write(command.stdin.encode())
        given.seek(0)
        process = children.spawn(
            command.argv,
            env={**environment(), **command.environment},
            cwd=ROOT,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=errors,
            name=command.name,
        )
        deadline = threading.Timer(limit_s, children.stop, [process])
        deadline.start()
        try:
            lines = list(_lines(process))
            process.wait()
        finally:
            deadline.cancel()
            children.stop(process)
        if process.returncode:
            said = "\n".join([line.text for line in lines[-5:]] + [last_lines(Path(errors.name))])
            raise BreakevenError(f"{command.name} ended with {process.returncode}:\n{said}")
        return lines


def cpu_s(pid: int) -> float:
    """User and system time of a process so far, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[_USER]) + int(fields[_SYSTEM])) * _TICK_S


def _lines(process: subprocess.Popen[bytes]) -> list[Line]:
    assert process.stdout
    found = []
    with process.stdout as stream:
        for text in stream:
            found.append(Line(time.monotonic(), cpu_s(process.pid), text.decode().rstrip("\n")))
    return found


def environment() -> dict[str, str]:
    kept = ("PATH", "HOME", "LANG", "JAVA_HOME", "PYTHONPATH")
    return {name: os.environ[name] for name in kept if name in os.environ}
