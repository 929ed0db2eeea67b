"""One thread that reads, writes and keeps time to some microseconds.

``epoll`` and ``poll`` take whole milliseconds; ``select`` takes microseconds and still wakes 40 to 130 late.
So it is asked to wake a little before the next instant, and the rest is spent asking it again and again
without waiting.
"""

from __future__ import annotations

import heapq
import select
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress

from breakeven.instrument.notes import Answered

#: how long before an instant the waiting ends and the asking begins
EARLY_NS = 150_000
#: select takes no descriptors from here on
MOST_DESCRIPTORS = 1024
_IDLE_S = 1.0
_READ_BYTES = 262_144
_NOT_NOW = (BlockingIOError, InterruptedError)


class Peer(ABC):
    """The other end of one connection. What is written within a turn of the loop goes out at its end."""

    def __init__(self, loop: Loop, connected: socket.socket) -> None:
        self.loop, self._socket = loop, connected
        self._unsent = bytearray()
        self.closed = self._closing = False

    @abstractmethod
    def received(self, data: bytes) -> None:
        """Bytes that came, split anywhere."""

    @abstractmethod
    def lost(self) -> None:
        """The connection is gone; called once."""

    @property
    def descriptor(self) -> int:
        return self._socket.fileno()

    def write(self, data: bytes) -> None:
        self._unsent += data
        self.loop.to_flush(self)

    def close_when_written(self) -> None:
        self._closing = True
        self.loop.to_flush(self)

    def readable(self) -> None:
        try:
            data = self._socket.recv(_READ_BYTES)
        except _NOT_NOW:
            return
        except OSError:
            data = b""
        if data:
            self.received(data)
        else:
            self.close()

    def flush(self) -> bool:
        """Write what can be written; returns whether something is left."""
        try:
            while self._unsent:
                del self._unsent[: self._socket.send(self._unsent)]
        except _NOT_NOW:
            return True
        except OSError:
            self.close()
            return False
        if self._closing:
            self.close()
        return False

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._unsent.clear()
            self.loop.remove(self._socket)
            self._socket.close()
            self.lost()


class Loop:
    def __init__(self) -> None:
        self._readers: dict[int, Callable[[], None]] = {}
        self._unsent: dict[int, Peer] = {}  # those that the operating system would not take all of
        self._to_flush: dict[Peer, None] = {}
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._answers: list[tuple[Answered, int, int]] = []
        self._count = 0
        self._stopped = False

    def add(self, descriptor: int, on_readable: Callable[[], None]) -> None:
        self._readers[descriptor] = on_readable

    def remove(self, connected: socket.socket) -> None:
        self._readers.pop(connected.fileno(), None)
        self._unsent.pop(connected.fileno(), None)

    def listen(self, listener: socket.socket, welcome: Callable[[socket.socket], Peer]) -> None:
        def accept() -> None:
            with suppress(*_NOT_NOW):
                connected, _ = listener.accept()
                if connected.fileno() >= MOST_DESCRIPTORS:
                    connected.close()
                    return
                connected.setblocking(False)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.add(connected.fileno(), welcome(connected).readable)

        listener.setblocking(False)
        self.add(listener.fileno(), accept)

    def at(self, due_ns: int, action: Callable[[], None]) -> None:
        """Do something at a monotonic instant; what is due at one goes in the order in which it was asked."""
        self._count += 1
        heapq.heappush(self._due, (due_ns, self._count, action))

    def to_flush(self, peer: Peer) -> None:
        self._to_flush[peer] = None

    def answered(self, answered: Answered, arrived_ns: int, due_ns: int) -> None:
        """An answer is among what this turn writes: note when that begins."""
        self._answers.append((answered, arrived_ns, due_ns))

    def stop(self) -> None:
        self._stopped = True

    def run(self) -> None:
        while not self._stopped:
            self._turn()

    def _turn(self) -> None:
        readable, writable, _ = select.select(tuple(self._readers), tuple(self._unsent), (), self._wait_s())
        for descriptor in readable:
            if on_readable := self._readers.get(descriptor):
                on_readable()
        for descriptor in writable:
            if peer := self._unsent.pop(descriptor, None):
                self.to_flush(peer)
        self._act()
        self._flush()

    def _wait_s(self) -> float:
        if not self._due:
            return _IDLE_S
        left = self._due[0][0] - time.monotonic_ns() - EARLY_NS
        return min(left / 1e9, _IDLE_S) if left > 0 else 0.0

    def _act(self) -> None:
        due, now_ns = self._due, time.monotonic_ns()
        while due and due[0][0] <= now_ns:
            heapq.heappop(due)[2]()

    def _flush(self) -> None:
        written_ns = time.monotonic_ns()
        while self._to_flush:
            peers, self._to_flush = self._to_flush, {}
            for peer in peers:
                if not peer.closed and peer.flush():
                    self._unsent[peer.descriptor] = peer
        for answered, arrived_ns, due_ns in self._answers:
            answered.note(arrived_ns, due_ns, written_ns)
        self._answers.clear()
