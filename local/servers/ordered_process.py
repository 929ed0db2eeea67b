"""Process of the run's own that does what it is ordered: an order a line of JSON, an answer a line.

It ends with its standard input, and so never outlives the run.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import breakeven
import local
from breakeven.errors import BreakevenError
from local.children import Children, last_lines

#: how long its start, and each of its answers, may take, seconds
PATIENCE_S = 30.0
#: where it finds the project's packages
PACKAGES = os.pathsep.join(str(Path(str(each.__file__)).parents[1]) for each in (local, breakeven))
Json = dict[str, Any]


class OrderedProcess:
    """Thread-safe.

    :param name: what it is called in messages
    :param module: that it runs as a program
    :param workdir: where its folder is made, and removed again by ``stop``
    """

    def __init__(self, children: Children, name: str, module: str, workdir: Path) -> None:
        self._children, self._name, self._module, self._workdir = children, name, module, workdir
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None

    def start(self, *arguments: str) -> Json:
        """Returns what it says first.

        :raises BreakevenError: it ended, or says nothing
        """
        self._folder = self._children.make_dir(self._workdir, f"{self._name.replace(' ', '-')}-")
        with (self._folder / "output").open("wb") as output:
            self._process = self._children.spawn(
                [sys.executable, "-m", self._module, *arguments],
                env={"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": PACKAGES},
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                name=self._name,
            )
        try:
            return self._heard(self._process)
        except BreakevenError:
            self.stop()
            raise

    def ask(self, order: Json) -> Json:
        """Its answer. Raises BreakevenError: it has ended, or does not answer."""
        with self._lock:
            process = self._process
            if process is None or process.stdin is None:
                raise BreakevenError(f"the {self._name} does not run")
            try:
                process.stdin.write(json.dumps(order).encode() + b"\n")
                process.stdin.flush()
            except (OSError, ValueError) as gone:
                raise BreakevenError(f"the {self._name} has ended:\n{self._said()}") from gone
            return self._heard(process)

    def stop(self) -> None:
        """End it and remove its folder. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            self._children.stop(process)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):  # it has ended before it read all
                        pipe.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            self._children.remove_dir(folder)

    def _heard(self, process: subprocess.Popen[bytes]) -> Json:
        """Its next answer: one line, and nothing more until it is told something.

        A process that gives none is ended: a late line would be taken for the answer to what it is told next.
        """
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
        line = process.stdout.readline() if ready else b""
        if not line:
            self._children.stop(process)
            how = "has ended" if ready else f"did not answer within {PATIENCE_S:g} s"
            raise BreakevenError(f"the {self._name} {how}:\n{self._said()}")
        answer: Json = json.loads(line)
        return answer

    def _said(self) -> str:
        return last_lines(self._folder / "output") if self._folder else ""
