"""The connections of one AMQP client: spread over the nodes, kept alive, closed together."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

from breakeven.brokers.access import Access, Node
from breakeven.clients.base import ConnectionLost

#: how loaders' connections begin to call themselves in the broker's lists
LOADER_CONNECTION = "breakeven loader"
#: seconds; a peer that froze (a suspended loader, a paused broker) is noticed within about this time
HEARTBEAT_S = 30
#: how long an orderly close may take, seconds
CLOSE_TIMEOUT_S = 5.0

Purpose = Literal["sender", "receiver"]


class Link(Protocol):
    @property
    def ended(self) -> bool: ...

    def service(self) -> None:
        """Answer heartbeats of a connection that nobody is driving just now. Never raises or waits."""

    def close(self) -> None: ...


L = TypeVar("L", bound=Link)
Opened = TypeVar("Opened")


class Connections(Generic[L]):
    """Senders start at the first node, receivers at the second.

    :param connect: opens a connection to a node, under a name for the broker's lists; raises ConnectionLost
    """

    def __init__(self, access: Access, connect: Callable[[Node, str], L]) -> None:
        if not access.nodes:
            raise ValueError("access names no node")
        self._nodes, self._connect = access.nodes, connect
        self._turns = {"sender": itertools.count(0), "receiver": itertools.count(1)}
        self._lock = threading.Lock()
        self._links: list[L] = []
        self._closed = threading.Event()
        threading.Thread(target=self._keep_alive, name="amqp heartbeats", daemon=True).start()

    def open(self, purpose: Purpose, start: Callable[[L], Opened]) -> Opened:
        """What ``start`` makes of a new connection. Raises ConnectionLost."""
        node = self._nodes[next(self._turns[purpose]) % len(self._nodes)]
        link = self._connect(node, f"{LOADER_CONNECTION} {purpose}")
        try:
            opened = start(link)
        except ConnectionLost:
            link.close()
            raise
        with self._lock:
            self._links = [known for known in self._links if not known.ended]
            self._links.append(link)
        return opened

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.close()

    def _keep_alive(self) -> None:
        """Workers wait at gates and between sends for longer than the broker waits for a heartbeat."""
        while not self._closed.wait(HEARTBEAT_S / 6):
            with self._lock:
                links = list(self._links)
            for link in links:
                link.service()
