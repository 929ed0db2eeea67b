"""The proxy as the run has it: a process of its own, told what to do to calls, and asked what it did."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import breakeven
import local
from breakeven.errors import BreakevenError
from breakeven.workload.service_faults import CallKind, ServiceFault
from local.children import Children, last_lines
from local.ports import LOOPBACK

NAME = "fault proxy"
MODULE = "local.servers.proxy.proxy_main"
#: how long its start, and each of its answers, may take, seconds
PATIENCE_S = 30.0
#: where it finds the project's packages
PACKAGES = os.pathsep.join(str(Path(str(each.__file__)).parents[1]) for each in (local, breakeven))


@dataclass(frozen=True, slots=True)
class Injected:
    """What a fault did, by the proxy's own count. ``at_s``: when it ended, epoch seconds; ``calls``: by kind,
    those that met it; ``seen``: that could have.
    """

    at_s: float
    calls: dict[CallKind, int]
    seen: int


class FaultProxy:
    """Thread-safe. ``endpoint`` is its URL once ``start`` has returned.

    :param server: the URL of the server behind, which speaks plain HTTP
    :param workdir: where its folder is made, and removed again by ``stop``
    """

    def __init__(self, children: Children, server: str, workdir: Path) -> None:
        self._children, self._server, self._workdir = children, urlsplit(server), workdir
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None
        self.endpoint = ""

    def start(self) -> str:
        """Returns the endpoint.

        :raises BreakevenError: it ended, or does not say where it listens
        """
        self._folder = self._children.make_dir(self._workdir, "proxy-")
        with (self._folder / "output").open("wb") as output:
            self._process = self._children.spawn(
                [sys.executable, "-m", MODULE, str(self._server.hostname), str(self._server.port)],
                env={"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": PACKAGES},
                cwd=self._folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                name=NAME,
            )
        try:
            self.endpoint = f"http://{LOOPBACK}:{self._heard(self._process)['port']}"
        except BreakevenError:
            self.stop()
            raise
        return self.endpoint

    def begin(self, name: str, fault: ServiceFault, queues: Sequence[str]) -> float:
        """Have calls to these queues meet it, for as long as it says; returns since when, epoch seconds.

        :raises BreakevenError: the proxy has ended, or does not answer
        """
        order = {"begin": name, "fault": fault.model_dump(mode="json"), "queues": list(queues)}
        return float(self._ask(order)["at_s"])

    def end(self, name: str) -> Injected:
        """No call meets it any more. Raises BreakevenError: the proxy has ended, or does not answer."""
        ended = self._ask({"end": name})
        return Injected(ended["at_s"], ended["injected"], ended["seen"])

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

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            process = self._process
            if process is None or process.stdin is None:
                raise BreakevenError(f"the {NAME} does not run")
            try:
                process.stdin.write(json.dumps(order).encode() + b"\n")
                process.stdin.flush()
            except (OSError, ValueError) as gone:
                raise BreakevenError(f"the {NAME} has ended:\n{self._said()}") from gone
            return self._heard(process)

    def _heard(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        """Its next answer: one line, and nothing more until it is told something.

        A proxy that gives none is ended: a late line would be taken for the answer to what it is told next.
        """
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
        line = process.stdout.readline() if ready else b""
        if not line:
            self._children.stop(process)
            how = "has ended" if ready else f"did not answer within {PATIENCE_S:g} s"
            raise BreakevenError(f"the {NAME} {how}:\n{self._said()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _said(self) -> str:
        return last_lines(self._folder / "output") if self._folder else ""
