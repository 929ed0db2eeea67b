"""Many calls in flight for one worker, over any client that makes one call at a time.

``submit`` returns before the answers are there, and ``poll``, ``receive`` and ``settle`` give what has come.
A call that fails costs the others nothing: it is returned beside their answers. An error is raised only when
no call goes well any more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from breakeven.clients.base import (
    Answers,
    Client,
    ConnectionLost,
    Deliveries,
    Outcome,
    Receiver,
    Sender,
    Settled,
)
from breakeven.clients.columns import together
from breakeven.clients.pool.connection_pool import ConnectionPool, Done, Result

#: how long ``settle`` waits for the first reply before it returns without any, seconds
SETTLE_WAIT_S = 0.25
Message = tuple[int, bytes]  # sequence, body
Messages = list[Message]


class PooledSender:
    """At most ``in_flight`` calls at a time, of at most ``batch`` messages; what is submitted beyond waits
    for a free connection, which then takes as much of it as one call carries.

    A message whose call failed is answered as ``unknown``, with the error's kind.
    """

    def __init__(self, client: Client, queue: str, in_flight: int, batch: int = 1) -> None:
        self._in_flight, self._batch = in_flight, batch
        self._waiting: deque[Message] = deque()
        self._calls = ConnectionPool[Sender, Messages, Answers](
            "send", in_flight, lambda: client.sender(queue), _send
        )

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        self._waiting.extend(zip(sequences, bodies, strict=True))
        self._give()

    def poll(self, timeout_s: float) -> Answers:
        done = self._calls.take(timeout_s)
        if error := _hopeless(self._calls, done):
            # not the call's own error: all that is not answered must count as unknown, not only its message
            raise ConnectionLost(f"no call goes well any more: {error}") from error
        self._give()
        return together(Answers, [_answer(each) for each in done])

    def close(self) -> None:
        self._calls.close()

    def _give(self) -> None:
        while self._waiting and (self._batch == 1 or self._calls.going < self._in_flight):
            count = min(self._batch, len(self._waiting))
            self._calls.give([self._waiting.popleft() for _ in range(count)])


class PooledReceiver:
    """At most ``in_flight`` asks and as many settlements at a time, on connections of their own: a settlement
    does not wait for the end of a long poll. A settlement is of at most ``batch`` messages.
    """

    def __init__(self, client: Client, queue: str, in_flight: int, batch: int = 1) -> None:
        self._in_flight, self._batch = in_flight, batch
        self._asks = ConnectionPool[Receiver, float, Deliveries](
            "receive", in_flight, lambda: client.receiver(queue), lambda link, wait: link.receive(wait)
        )
        try:
            self._settlements = ConnectionPool[Receiver, tuple[object, ...], Settled](
                "settle",
                in_flight,
                lambda: client.receiver(queue),
                lambda link, handles: link.settle(handles),
            )
        except BaseException:
            self._asks.close()
            raise
        self._settling: set[object] = set()
        self._waiting: deque[object] = deque()

    def receive(self, timeout_s: float) -> Deliveries:
        """Make up the number of asks, and wait up to ``timeout_s`` for the first that comes back."""
        while self._asks.going < self._in_flight:
            self._asks.give(timeout_s)
        done = self._asks.take(timeout_s)
        if error := _hopeless(self._asks, done):
            raise error
        deliveries = together(Deliveries, _results(done))
        deliveries.failed = _failed(done)
        return deliveries

    def settle(self, handles: Sequence[object]) -> Settled:
        """Those that are settled by now, whenever they were handed in; the rest may be handed in again."""
        new = [handle for handle in handles if handle not in self._settling]
        self._settling.update(new)
        self._waiting.extend(new)
        self._give()
        done = self._settlements.take(SETTLE_WAIT_S if handles else 0.0)
        for each in done:
            self._settling.difference_update(each.job)
        if error := _hopeless(self._settlements, done):
            raise error
        settled = together(Settled, _results(done))
        settled.failed = [*settled.failed, *_failed(done)]
        self._give()
        return settled

    def close(self) -> None:
        self._asks.close()
        self._settlements.close()

    def _give(self) -> None:
        while self._waiting and (self._batch == 1 or self._settlements.going < self._in_flight):
            count = min(self._batch, len(self._waiting))
            self._settlements.give(tuple(self._waiting.popleft() for _ in range(count)))


class PooledClient:
    """:param client: one whose senders and receivers wait for each call's answer"""

    def __init__(self, client: Client, in_flight: int, *, send_batch: int = 1, delete_batch: int = 1) -> None:
        self._client, self._in_flight = client, in_flight
        self._send_batch, self._delete_batch = send_batch, delete_batch
        self.name = client.name

    def sender(self, queue: str) -> PooledSender:
        return PooledSender(self._client, queue, self._in_flight, self._send_batch)

    def receiver(self, queue: str) -> PooledReceiver:
        return PooledReceiver(self._client, queue, self._in_flight, self._delete_batch)

    def close(self) -> None:
        self._client.close()


def _send(link: Sender, messages: Messages) -> Answers:
    sequences, bodies = zip(*messages, strict=True)
    link.submit(sequences, bodies)
    return link.poll(0.0)


def _hopeless(pool: ConnectionPool[Any, Any, Any], done: Sequence[Done[Any, Any]]) -> BaseException | None:
    """The error to raise, so that the worker waits and its case can fail, when no call goes well any more."""
    if pool.is_hopeless and done and all(each.error for each in done):
        return done[-1].error
    return None


def _answer(done: Done[Messages, Answers]) -> Answers:
    if done.result is None:
        sequence, count = [sequence for sequence, _ in done.job], len(done.job)
        instants = [done.started_ns] * count, [done.ended_ns] * count
        return Answers(sequence, [Outcome.UNKNOWN] * count, *instants, [done.kind] * count)
    # each has an error or None: they stand side by side with those of others
    done.result.error = done.result.error or (None,) * len(done.result.sequence)
    return done.result


def _results(done: Sequence[Done[Any, Result]]) -> list[Result]:
    return [each.result for each in done if each.result is not None]


def _failed(done: Sequence[Done[Any, Any]]) -> list[tuple[str, int]]:
    return [(each.kind, each.ended_ns) for each in done if each.kind for _ in range(each.count)]
