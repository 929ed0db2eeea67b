"""What nodes send one another of messages, counted by their own connections."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from local.servers.brokers import BrokerCluster
from tests.support.loaders.messages import PATIENCE_S
from tests.support.workflow.processes import eventually

#: of each message, bytes: beside it what nodes say to one another without any is little
SIZE, COUNT = 250_000, 30
#: of messages of which what goes beside their bodies is counted; and how many of them wait for no other
SMALL, MANY, AT_ONCE = 256, 8_000, 200
#: bytes in so many seconds that nodes send one another without any message, at most
QUIET, QUIET_S = 20_000, 0.3
#: octets that all nodes have sent to others since their connections were opened
SENT = (
    "lists:sum([B || N <- [node() | nodes()], {_, P} <- rpc:call(N, erlang, system_info, [dist_ctrl]), "
    "{ok, [{send_oct, B}]} <- [rpc:call(N, inet, getstat, [P, [send_oct]])]])."
)


class Counter:
    """Bytes that a cluster's nodes have sent one another since the last question."""

    def __init__(self, cluster: BrokerCluster) -> None:
        self._cluster, self._before = cluster, 0
        self.more()

    def more(self) -> int:
        """Once the nodes are quiet: what mirrors send round their ring may go on after the confirms."""
        before = self._before
        assert eventually(lambda: self._read() < QUIET, PATIENCE_S)
        return self._before - before

    def _read(self) -> int:
        time.sleep(QUIET_S)
        last = self._before
        self._before = int(self._cluster.evaluate(self._cluster.access.nodes[0].name, SENT, PATIENCE_S))
        return self._before - last


def sends_a_message(cluster: BrokerCluster, queue: str) -> float:
    """How often nodes send a message that is published, in the mean of a publisher at each of them."""
    counter = Counter(cluster)
    for node in cluster.access.nodes:
        with open_channel(cluster.access, (node,)) as channel:
            channel.confirm_delivery()
            _publish(channel, queue, COUNT, SIZE)
    return counter.more() / (len(cluster.access.nodes) * COUNT * SIZE)


def deliveries(cluster: BrokerCluster, queue: str) -> dict[str, float]:
    """How often nodes send a message that a consumer takes, by the node of the consumer."""
    found = {}
    for node in cluster.access.nodes:
        with open_channel(cluster.access, (node,)) as channel:
            channel.queue_purge(queue)  # or others would be prefetched
            channel.confirm_delivery()
            _publish(channel, queue, COUNT, SIZE)
            counter = Counter(cluster)
            _take(channel, queue, COUNT)
        found[node.name] = counter.more() / (COUNT * SIZE)
    return found


def beside_bodies(cluster: BrokerCluster, queue: str, leader: str) -> float:
    """Bytes beside its body of a message that is published and taken at the leader's node, many at once."""
    (node,) = (each for each in cluster.access.nodes if each.name == leader)
    counter = Counter(cluster)
    with ExitStack() as stack:
        published, taken = (stack.enter_context(open_channel(cluster.access, (node,))) for _ in range(2))
        _publish(published, queue, MANY, SMALL)
        assert eventually(lambda: _ready(published, queue) == MANY, PATIENCE_S)
        _take(taken, queue, MANY)
    return counter.more() / MANY


def _publish(channel: Any, queue: str, count: int, size: int) -> None:
    for _ in range(count):
        channel.basic_publish("", queue, b"m" * size)


def _ready(channel: Any, queue: str) -> int:
    return int(channel.queue_declare(queue, passive=True).method.message_count)


def _take(channel: Any, queue: str, count: int) -> None:
    channel.basic_qos(prefetch_count=AT_ONCE)
    for number, (method, _, _) in enumerate(channel.consume(queue), 1):
        channel.basic_ack(method.delivery_tag)
        if number == count:
            break
    channel.cancel()
