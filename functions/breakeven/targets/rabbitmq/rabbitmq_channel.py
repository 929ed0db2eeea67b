"""AMQP for the control plane: declare, look, delete. What loaders do is in ``clients``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pika
from pika.exceptions import AMQPError

from breakeven.brokers.access import Access, Node
from breakeven.clients.reference.pika_link import Connection, connection_parameters, in_words
from breakeven.errors import CaseError

#: how long one use of a channel may take, seconds. pika waits for ever for a queue that does not answer as
#: long as its broker sends heartbeats
MOST_S = 120.0


class _Bounded(Connection):
    """Is dropped when its time is over."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.ioloop.call_later(MOST_S, self._end)

    def _end(self) -> None:
        if not self.is_closed:
            self.abort(f"no answer within {MOST_S:g} s")


@contextmanager
def open_channel(access: Access, nodes: Sequence[Node]) -> Iterator[Any]:
    """A channel to the first of ``nodes`` that gives one.

    :raises CaseError: none does, or what was done with the channel failed
    """
    connection = _connect(access, nodes)
    try:
        yield connection.channel()
    except AMQPError as error:
        raise CaseError(f"RabbitMQ: {in_words(error)}") from error
    finally:
        with suppress(AMQPError):
            connection.close()


def _connect(access: Access, nodes: Sequence[Node]) -> Any:
    refusals = []
    for node in nodes:
        try:
            parameters = connection_parameters(access, node, "breakeven control")
            return pika.BlockingConnection(parameters, _impl_class=_Bounded)
        except (AMQPError, OSError) as error:
            refusals.append(f"{node.host}:{node.amqp_port}: {in_words(error)}")
    raise CaseError(f"no node takes AMQP connections: {'; '.join(refusals)}")
