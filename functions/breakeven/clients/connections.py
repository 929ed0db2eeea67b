"""The connections of one AMQP client: driven by who holds them, spread over the nodes, kept alive."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from breakeven.brokers.access import Access, Node
from breakeven.clients.base import BLOCKED_TIMEOUT_S, CALL_TIMEOUT_S, ConnectionLost, Receiver, Sender
from breakeven.workload.case import Workload

#: how loaders' connections begin to call themselves in the broker's lists
LOADER_CONNECTION = "breakeven loader"
#: seconds; a peer that froze (a suspended loader, a paused broker) is noticed within about this time
HEARTBEAT_S = 30
#: how long an orderly close may take, seconds
CLOSE_TIMEOUT_S = 5.0
#: the same of one whose messages nobody confirms: that the broker answers its close is the only sign that
#: it has read them all
UNCONFIRMED_CLOSE_TIMEOUT_S = CALL_TIMEOUT_S


def close_timeout_s(*, confirmed: bool) -> float:
    return CLOSE_TIMEOUT_S if confirmed else UNCONFIRMED_CLOSE_TIMEOUT_S


class Patience:
    """How long a connection's answers are waited for: none is due while the broker says that it takes
    nothing (connection.blocked), as it does for an alarm of its memory or disk.
    """

    def __init__(self) -> None:
        self._blocked_ns: int | None = None
        self._unblocked_ns = 0

    def blocked(self) -> None:
        if self._blocked_ns is None:
            self._blocked_ns = time.monotonic_ns()

    def unblocked(self) -> None:
        self._blocked_ns, self._unblocked_ns = None, time.monotonic_ns()

    def left_s(self, asked_ns: int) -> float:
        """How long what was asked at that instant may still take, seconds."""
        now_ns = time.monotonic_ns()
        if self._blocked_ns is not None:
            return BLOCKED_TIMEOUT_S - (now_ns - self._blocked_ns) / 1e9
        return CALL_TIMEOUT_S - (now_ns - max(asked_ns, self._unblocked_ns)) / 1e9

    def failure(self) -> str | None:
        """Why the connection is as good as gone; None while it is well."""
        if self._blocked_ns is None or self.left_s(0) > 0:
            return None
        return f"the broker has taken nothing for {BLOCKED_TIMEOUT_S:g} s (connection.blocked)"


class DrivenLink(ABC):
    """A connection with one channel, driven by whoever holds it. Hold ``lock`` around any use: the keeper
    shares it.
    """

    def __init__(self, where: str) -> None:
        self.lock, self.ended = threading.RLock(), False
        self.patience = Patience()
        self.driven_elsewhere = False  # by the core, for its owner: nobody else may read
        self._where = where
        self._lost: str | None = None

    @abstractmethod
    def close(self, *, confirmed: bool = True) -> None:
        """Close in order, waiting for the broker's answer, so that a reset drops nothing. Never raises.

        :param confirmed: what was written is answered otherwise; False: it may take longer
        """

    @abstractmethod
    def _turn_until(self, done: Callable[[], bool], timeout_s: float) -> None:
        """Do the connection's I/O until ``done()``, and for at most ``timeout_s``."""

    @abstractmethod
    def _fall(self, reason: str) -> None:
        """Count the connection as lost, with nobody there to close it in order."""

    def drive(self, done: Callable[[], bool], timeout_s: float) -> bool:
        """Do the connection's I/O until ``done()`` or for ``timeout_s``; returns ``done()``.

        Raises ConnectionLost when the connection is gone before.
        """
        with self.lock:
            self._turn_until(lambda: done() or self._lost is not None, timeout_s)
            if done():
                return True
            self.check()
            return False

    def call(self, answered: Callable[[], bool], what: str) -> None:
        """Wait for an answer; a connection that gives none in time counts as lost."""
        asked_ns = time.monotonic_ns()
        while not self.drive(answered, max(0.0, self.patience.left_s(asked_ns))):
            if self.patience.left_s(asked_ns) <= 0:
                self.give_up(what)

    def give_up(self, what: str) -> NoReturn:
        """The broker had its time to answer ``what``: nor will it answer a close. Raises ConnectionLost."""
        self._fall(self.patience.failure() or f"no answer within {CALL_TIMEOUT_S:g} s to {what}")
        raise ConnectionLost(f"{self._where}: {self._lost}")

    def service(self) -> None:
        """Answer heartbeats of a connection that nobody is driving just now. Never raises or waits."""
        if not self.lock.acquire(blocking=False):
            return
        try:
            if not (self.ended or self.driven_elsewhere):
                with contextlib.suppress(ConnectionLost):
                    self.drive(lambda: False, 0.0)
        finally:
            self.lock.release()

    def check(self) -> None:
        """Raise ConnectionLost when the connection is gone."""
        if self._lost is not None:
            raise ConnectionLost(f"{self._where}: {self._lost}")

    def abandon(self, reason: str) -> None:
        """Count the connection as lost from now on; the first reason stays."""
        if self._lost is None:
            self._lost = reason


L = TypeVar("L", bound=DrivenLink)
Opened = TypeVar("Opened")


class AmqpClient(Generic[L]):
    """One connection a sender or receiver: senders start at the first node, receivers at the second.

    :param connect: opens a connection to a node, under a name for the broker's lists; raises ConnectionLost
    :param senders: what sends to a queue over it; ``receivers``: what receives
    :param leader_of: the name of the node that a queue's leader is on now; raises ConnectionLost. None where
        the workload connects to any node
    """

    name: str

    def __init__(
        self,
        workload: Workload,
        access: Access,
        connect: Callable[[Node, str], L],
        senders: Callable[[L, str, Workload], Sender],
        receivers: Callable[[L, str, Workload], Receiver],
        leader_of: Callable[[str], str] | None = None,
    ) -> None:
        if not access.nodes:
            raise ValueError("access names no node")
        if leader_of is None and workload.connect_to != "any":
            raise ValueError(f"connect_to {workload.connect_to}: nobody tells where leaders are")
        self._leader_of = leader_of
        self._workload, self._nodes, self._connect = workload, access.nodes, connect
        self._senders, self._receivers = senders, receivers
        self._turns = {"sender": itertools.count(0), "receiver": itertools.count(1)}
        self._lock = threading.Lock()
        self._links: list[L] = []
        self._closed = threading.Event()
        threading.Thread(target=self._keep_alive, name="amqp heartbeats", daemon=True).start()

    def sender(self, queue: str) -> Sender:
        return self._open("sender", queue, lambda link: self._senders(link, queue, self._workload))

    def receiver(self, queue: str) -> Receiver:
        return self._open("receiver", queue, lambda link: self._receivers(link, queue, self._workload))

    def close(self) -> None:
        self._closed.set()
        with self._lock:
            links, self._links = self._links, []
        for link in links:
            link.close()

    def _open(self, purpose: str, queue: str, start: Callable[[L], Opened]) -> Opened:
        """What ``start`` makes of a new connection. Raises ConnectionLost."""
        nodes = self._nodes_for(queue)
        node = nodes[next(self._turns[purpose]) % len(nodes)]
        link = self._connect(node, f"{LOADER_CONNECTION} {purpose}")
        try:
            opened = start(link)
        except BaseException:
            link.close()
            raise
        with self._lock:
            self._links = [known for known in self._links if not known.ended]
            self._links.append(link)
        return opened

    def _nodes_for(self, queue: str) -> tuple[Node, ...]:
        """Those that the workload connects a queue's clients to, by where its leader is now. Raises
        ConnectionLost.
        """
        wanted = self._workload.connect_to
        if wanted == "any" or self._leader_of is None:
            return self._nodes
        leader = self._leader_of(queue)
        found = tuple(node for node in self._nodes if (node.name == leader) == (wanted == "leader"))
        if not found:
            raise ConnectionLost(
                f"{queue}: its leader is on {leader or 'no node'}, and no such node is there"
            )
        return found

    def _keep_alive(self) -> None:
        """Workers wait at gates and between sends for longer than the broker waits for a heartbeat."""
        while not self._closed.wait(HEARTBEAT_S / 6):
            with self._lock:
                links = list(self._links)
            for link in links:
                link.service()
