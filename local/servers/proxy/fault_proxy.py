"""The proxy as the run has it: a process of its own, told what to do to calls, and asked what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from breakeven.workload.service_faults import CallKind, ServiceFault
from local.children import Children
from local.ports import LOOPBACK
from local.servers.ordered_process import OrderedProcess

NAME = "fault proxy"
MODULE = "local.servers.proxy.proxy_main"


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
        self._server = urlsplit(server)
        self._process = OrderedProcess(children, NAME, MODULE, workdir)
        self.endpoint = ""

    def start(self) -> str:
        """Returns the endpoint.

        :raises BreakevenError: it ended, or does not say where it listens
        """
        said = self._process.start(str(self._server.hostname), str(self._server.port))
        self.endpoint = f"http://{LOOPBACK}:{said['port']}"
        return self.endpoint

    def begin(self, name: str, fault: ServiceFault, queues: Sequence[str]) -> float:
        """Have calls to these queues meet it, for as long as it says; returns since when, epoch seconds.

        :raises BreakevenError: the proxy has ended, or does not answer
        """
        order = {"begin": name, "fault": fault.model_dump(mode="json"), "queues": list(queues)}
        return float(self._process.ask(order)["at_s"])

    def end(self, name: str) -> Injected:
        """No call meets it any more. Raises BreakevenError: the proxy has ended, or does not answer."""
        ended = self._process.ask({"end": name})
        return Injected(ended["at_s"], ended["injected"], ended["seen"])

    def stop(self) -> None:
        """End it and remove its folder. Idempotent."""
        self._process.stop()
