"""The relay as the run has it: a process of its own between the clients of some cases and a lane's nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from breakeven.agent.impairment import Impairment
from breakeven.brokers.access import Node
from breakeven.errors import BreakevenError
from local.children import Children
from local.servers.ordered_process import OrderedProcess

NAME = "client relay"
MODULE = "local.servers.relay.relay_main"


class ClientRelay:
    """Of one lane. Clients that go by it do so from their first connection to their last.

    :param workdir: where its folder is made, and removed again by ``stop``
    """

    def __init__(self, children: Children, workdir: Path) -> None:
        self._process = OrderedProcess(children, NAME, MODULE, workdir)

    def start(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """The same nodes, with the ports by which the relay leads to them.

        :raises BreakevenError: it ended, or does not say where it listens
        """
        ports = self._process.start(json.dumps({node.name: node.amqp_port for node in nodes}))["ports"]
        return tuple(node.model_copy(update={"relay_port": ports[node.name]}) for node in nodes)

    def impair(self, node: str, impairment: Impairment, for_s: float) -> float:
        """Do it; returns since when, epoch seconds. It ends with the relay at the latest.

        :raises BreakevenError: no relay can do that, or it has ended
        """
        if not impairment.of_clients or impairment.loss_percent:
            raise BreakevenError(f"no relay between clients and {node} causes {impairment.kind} so")
        return float(self._process.ask({"node": node, "impairment": asdict(impairment)})["at_s"])

    def restore(self, node: str) -> float:
        """End whatever impairs it; returns when. Raises BreakevenError: the relay has ended."""
        return float(self._process.ask({"node": node, "impairment": None})["at_s"])

    def stop(self) -> None:
        """End it and remove its folder. Idempotent."""
        self._process.stop()
