"""What nodes send one another of published messages, counted by their own connections."""

from __future__ import annotations

from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from local.servers.brokers import BrokerCluster
from tests.support.loaders.messages import PATIENCE_S

#: of each message, bytes: beside it what nodes say to one another without any is little
SIZE, COUNT = 250_000, 30
#: octets that all nodes have sent to others since their connections were opened
SENT = (
    "lists:sum([B || N <- [node() | nodes()], {_, P} <- rpc:call(N, erlang, system_info, [dist_ctrl]), "
    "{ok, [{send_oct, B}]} <- [rpc:call(N, inet, getstat, [P, [send_oct]])]])."
)


def sends_a_message(cluster: BrokerCluster, queue: str) -> float:
    """How often nodes send a message that is published, in the mean of a publisher at each of them."""
    first = cluster.access.nodes[0].name
    before = int(cluster.evaluate(first, SENT, PATIENCE_S))
    for node in cluster.access.nodes:
        with open_channel(cluster.access, (node,)) as channel:
            channel.confirm_delivery()
            for _ in range(COUNT):
                channel.basic_publish("", queue, b"m" * SIZE)
    after = int(cluster.evaluate(first, SENT, PATIENCE_S))
    return (after - before) / (len(cluster.access.nodes) * COUNT * SIZE)
