"""The relay: a listening port for each node; each client connection has one of its own to the node.

While the link is cut nothing is read of either end, so that a close does not pass either, and what was
written stays where it is: it arrives when the link is whole again, as what a network has dropped is sent
once more.
"""

from __future__ import annotations

import asyncio
import socket
from asyncio import AbstractEventLoop, Transport
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import cast

from local.ports import LOOPBACK
from local.servers.relay.relayed_link import PIECE, Direction, Link

#: of each socket's buffers, bytes: what they hold is hidden from the link
BUFFER = 256 * 1024
BACKLOG = 512


class End(asyncio.Protocol):
    """One end of a relayed connection: what it hears goes to the other, by way of the link."""

    def __init__(
        self,
        link: Link,
        direction: Direction,
        loop: AbstractEventLoop,
        made: Callable[[End], None] = lambda _: None,
    ) -> None:
        """
        :param direction: of what it hears
        :param made: called with it, once it is connected
        """
        self._link, self._direction, self._loop, self._made = link, direction, loop, made
        self._waiting: deque[tuple[float, bytes]] = deque()
        self._held = 0
        self._timer: asyncio.TimerHandle | None = None
        self._transport: Transport | None = None
        self._other: End | None = None
        self._is_crowded = self._has_ended = self._is_closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(Transport, transport)
        connected = cast(socket.socket, transport.get_extra_info("socket"))
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._link.watchers.add(self.changed)
        # no earlier: asyncio of Python 3.11 begins to read after this method, whatever it has said
        self._loop.call_soon(self._read_or_not)
        self._made(self)

    def join(self, other: End) -> None:
        self._other = other
        self.changed()

    def data_received(self, data: bytes) -> None:
        if self._link.is_clear and self._other is not None and not self._waiting:
            self._pass(data)
            return
        now_s = self._loop.time()
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            self._waiting.append((self._link.due_s(self._direction, len(piece), now_s), piece))
        self._held += len(data)
        self._go_on()

    def eof_received(self) -> bool:
        """Keeps the other direction open: an end that has said all may still listen."""
        self._has_ended = True
        self._go_on()
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """The other end hears so once all that was heard before has passed."""
        self._has_ended = self._is_closed = True
        if self._other is None:
            self._link.watchers.discard(self.changed)
        self._go_on()

    def pause_writing(self) -> None:
        """Its peer takes no more for now: the other end is not read."""
        if self._other is not None:
            self._other.crowd(True)

    def resume_writing(self) -> None:
        if self._other is not None:
            self._other.crowd(False)

    def crowd(self, is_crowded: bool) -> None:
        self._is_crowded = is_crowded
        self._read_or_not()

    def changed(self) -> None:
        """The link has: what waits is not late any more where nothing is."""
        if self._link.is_clear:
            self._waiting = deque((0.0, piece) for _, piece in self._waiting)
        self._go_on()

    def _go_on(self) -> None:
        """Pass on what is due, and come back for the rest."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._link.is_cut and self._other is not None:
            now_s = self._loop.time()
            while self._waiting and self._waiting[0][0] <= now_s:
                piece = self._waiting.popleft()[1]
                self._held -= len(piece)
                self._pass(piece)
            if self._waiting:
                self._timer = self._loop.call_at(self._waiting[0][0], self._go_on)
            elif self._has_ended:
                self._hand_on_end()
        self._read_or_not()

    def _hand_on_end(self) -> None:
        if self._other is not None:
            self._other.end(whole=self._is_closed)
        if self._is_closed:
            self._link.watchers.discard(self.changed)

    def _pass(self, data: bytes) -> None:
        if self._other is not None:
            self._other.write(data)

    def write(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def end(self, *, whole: bool) -> None:
        """Nothing more is to be said at this end, or it is to be closed as a whole, as is one that has
        nothing more to say either.
        """
        if self._transport is None or self._transport.is_closing():
            return
        if whole or (self._has_ended and not self._waiting):
            self._transport.close()
        elif self._transport.can_write_eof():
            self._transport.write_eof()

    def _read_or_not(self) -> None:
        if self._transport is None or self._transport.is_closing() or self._has_ended:
            return
        is_full = self._held > self._link.holds(self._direction)
        if self._other is None or self._link.is_cut or self._is_crowded or (is_full and self._waiting):
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()


class Relay:
    """Of one cluster.

    :param nodes: name -> port of AMQP, on the loopback interface
    """

    def __init__(self, nodes: dict[str, int]) -> None:
        self._nodes = nodes
        self.links = {name: Link() for name in nodes}
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> dict[str, int]:
        """On ports that are free, one a node, which are returned by name."""
        loop, ports = asyncio.get_running_loop(), {}
        for name, link in self.links.items():
            listener = socket.create_server((LOOPBACK, 0), backlog=BACKLOG)
            for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):  # which its connections have, too
                listener.setsockopt(socket.SOL_SOCKET, option, BUFFER)
            accepted = partial(End, link, link.to_node, loop, partial(self._begin, name))
            self._servers.append(await loop.create_server(accepted, sock=listener))
            ports[name] = int(listener.getsockname()[1])
        return ports

    def _begin(self, name: str, before: End) -> None:
        task = asyncio.get_running_loop().create_task(self._connect(before, name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, before: End, name: str) -> None:
        """To the node behind, once the link lets anything through."""
        loop, link = asyncio.get_running_loop(), self.links[name]
        await _until_whole(link)
        try:
            made = partial(End, link, link.to_clients, loop)
            _, behind = await loop.create_connection(made, LOOPBACK, self._nodes[name])
        except OSError:  # the node is down
            before.end(whole=True)
            return
        behind.join(before)
        before.join(behind)


async def _until_whole(link: Link) -> None:
    changed = asyncio.Event()
    link.watchers.add(changed.set)
    while link.is_cut:
        changed.clear()
        await changed.wait()
    link.watchers.discard(changed.set)
