"""Cutting a node off from its peers, without a right over the machine's network.

The node gets a cookie of its own for each peer, the secret that nodes show one another, and closes its
connections. Both sides see at once that the other is gone, and every new connection is refused, as by a
firewall that rejects. A network that drops packets is another thing: it is noticed after ``net_ticktime``. A
restart of the node forgets these cookies. Source: documentation of Erlang/OTP, "Distributed Erlang".
"""

from __future__ import annotations

import re

from breakeven.agent.node_alarms import WAITING, Evaluate, instants
from breakeven.errors import BreakevenError

CUTTING = (
    WAITING + "At = os:system_time(millisecond), "
    "Peers = nodes(), [erlang:set_cookie(Peer, cut_off) || Peer <- Peers], "
    "[erlang:disconnect_node(Peer) || Peer <- Peers], {{At, length(Peers), length(nodes())}}."
)
ANSWER = re.compile(r"\{(\d+),(\d+),(\d+)\}")


def cut_off_at(evaluate: Evaluate, node: str, due_at_s: float) -> float:
    """Do it at that instant, epoch seconds, or at once where that is over; returns when.

    :raises BreakevenError: the node does not answer, has no peers, or is still connected to some; it may be
        cut off from others all the same
    """
    times, within_s = instants(due_at_s)
    said = evaluate(node, CUTTING.format(**times), within_s)
    if (found := ANSWER.fullmatch(said)) is None:
        raise BreakevenError(f"{node} answers {said!r}")
    at_ms, peers, left = map(int, found.groups())
    if not peers or left:
        raise BreakevenError(f"{node} was connected to {peers} other nodes, and is to {left}")
    return at_ms / 1000
