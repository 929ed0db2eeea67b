"""One AMQP connection with one channel, driven by whoever holds it.

pika's ``BlockingConnection`` waits for a confirm without an end when the broker lives but does not
answer (a paused mirror, a queue without a master). Its asynchronous connection, with the I/O loop turned
here, is the same client on the wire and lets every wait have a deadline.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any

import pika
from pika.adapters.select_connection import IOLoop
from pika.exceptions import AMQPConnectionError, AMQPError

from breakeven.brokers.access import Access, Node, tls_context
from breakeven.clients import connections
from breakeven.clients.base import BLOCKED_TIMEOUT_S, CALL_TIMEOUT_S, ConnectionLost

# What goes wrong is raised to the caller; pika would print each of it too, with its stack.
logging.getLogger("pika").setLevel(logging.CRITICAL)


def connection_parameters(access: Access, node: Node, name: str) -> pika.ConnectionParameters:
    """How to connect to one node; ``name`` is the connection's in the broker's lists."""
    options = pika.SSLOptions(tls_context(access), node.host) if access.tls else None
    return pika.ConnectionParameters(
        host=node.host,
        port=node.amqp_port,
        virtual_host=access.vhost,
        credentials=pika.PlainCredentials(access.username, access.password),
        ssl_options=options,
        heartbeat=connections.HEARTBEAT_S,
        blocked_connection_timeout=BLOCKED_TIMEOUT_S,
        socket_timeout=CALL_TIMEOUT_S,
        stack_timeout=CALL_TIMEOUT_S,
        connection_attempts=1,
        client_properties={"connection_name": name},
    )


class Connection(pika.SelectConnection):  # type: ignore[misc]  # pika is not typed
    """Opens what pika keeps for its own adapters, of which this is one."""

    def unsent_bytes(self) -> int:
        """What has been handed over and is not yet written to the socket."""
        return 0 if self._transport is None else int(self._transport.get_write_buffer_size())

    def abort(self, why: str = "aborted") -> None:
        """Drop the socket without a word to the broker."""
        self._terminate_stream(AMQPConnectionError(why))


class Link(connections.DrivenLink):
    """pika's own connection and its ``channel``."""

    def __init__(self, parameters: pika.ConnectionParameters) -> None:
        """Connect and open the channel. Raises ConnectionLost."""
        super().__init__(f"{parameters.host}:{parameters.port}")
        self.channel: Any = None
        self._mute = False  # the broker did not answer in time: nor will it answer a close
        self._loop = IOLoop()
        self._loop.activate_poller()
        self._connection = Connection(
            parameters,
            on_open_callback=lambda connection: connection.channel(on_open_callback=self._opened),
            on_open_error_callback=self._closed,
            on_close_callback=self._closed,
            custom_ioloop=self._loop,
        )
        self._connection.add_on_connection_blocked_callback(lambda *_: self.patience.blocked())
        self._connection.add_on_connection_unblocked_callback(lambda *_: self.patience.unblocked())
        try:
            self.call(lambda: self.channel is not None, "opening a channel")
        except ConnectionLost:
            self.close()
            raise

    def flush(self) -> None:
        """Wait until all that was handed over is written to the socket. Raises ConnectionLost."""
        self.call(lambda: self._connection.unsent_bytes() == 0, "what was written")
        self.check()

    def close(self, *, confirmed: bool = True) -> None:
        timeout_s = connections.close_timeout_s(confirmed=confirmed)
        with self.lock:
            if self.ended:
                return
            with contextlib.suppress(AMQPError, OSError):
                if self._connection.is_open and not self._mute:
                    self._connection.close()
                    self._turn_until(lambda: bool(self._connection.is_closed), timeout_s)
                if not self._connection.is_closed:
                    self._connection.abort()
                    self._turn_until(lambda: bool(self._connection.is_closed), connections.CLOSE_TIMEOUT_S)
            self.ended = True
            self._loop.close()

    def _turn_until(self, done: Callable[[], bool], timeout_s: float) -> None:
        expired: list[bool] = []
        timer = self._loop.call_later(timeout_s, lambda: expired.append(True))
        while not done() and not expired:
            self._loop.poll()
            self._loop.process_timeouts()
        if not expired:
            self._loop.remove_timeout(timer)

    def _fall(self, reason: str) -> None:
        self._mute = True
        self.abandon(reason)

    def _opened(self, channel: Any) -> None:
        channel.add_on_close_callback(lambda _, reason: self.abandon(in_words(reason)))
        channel.add_on_cancel_callback(lambda _: self.abandon("the broker cancelled the consumer"))
        self.channel = channel

    def _closed(self, _: object, reason: BaseException | str) -> None:
        self.abandon(in_words(reason))


def in_words(reason: BaseException | str) -> str:
    """Why, in words. pika wraps what failed a connection in several layers: the innermost one tells."""
    causes = getattr(reason, "exceptions", None)
    inner = causes[-1] if causes else getattr(reason, "exception", None)
    return in_words(inner) if inner is not None else str(reason) or type(reason).__name__
