"""Traffic between a cluster's nodes: decisions 0060 and 0061 have why, and how it was counted.

A quorum queue's leader sends each message once to each other member, and the member on a consumer's own
node delivers it. Mirrors are sent each message twice: by the channel that it was published on, and round a
ring from the master by all copies back to the master, which alone delivers.
"""

from __future__ import annotations

from breakeven.pricing.cluster_form import ClusterForm

#: bytes that go beside a message's body, counted at some thousand messages a second; at a few a second, each
#: of which goes by itself, they are about twice as many. Between nodes: a copy to a member of a quorum queue
#: or to a mirror, with what settles it later; a publish or a delivery on its way to or from the leader's node
MEMBER_BYTES, MIRROR_BYTES, HOP_BYTES = 250, 360, 370
#: and between a client and its node: frames of AMQP 0-9-1 and the answer, the mean of publish and delivery
CLIENT_BYTES = 90


def hop_share(nodes: int, known: float | None) -> float:
    """Of clients: how many speak to another node than the queue's leader; any node, where it is not known."""
    return (nodes - 1) / nodes if known is None or nodes == 1 else known


def hops(form: ClusterForm, hop: float) -> float:
    """How often a message goes between the leader's node and a client's other one: to be published, and to be
    delivered where that node has no member of the queue that could.

    :param hop: as ``hop_share`` has it
    """
    return hop + _delivered_from_afar(form, hop)


def _delivered_from_afar(form: ClusterForm, hop: float) -> float:
    if form.is_mirrored:
        return hop
    return hop * (form.nodes - form.copies) / (form.nodes - 1) if form.nodes > 1 else 0.0


def replicated(form: ClusterForm, hop: float) -> float:
    """How often nodes send a message so that all copies have it, beside the hop to the queue's leader.

    :param hop: as ``hop_share`` has it
    """
    mirrors = form.copies - 1
    if not (form.is_mirrored and mirrors):
        return float(mirrors)
    # a channel on another node than the master's may have a mirror beside it
    elsewhere = 1 - hop / (form.nodes - 1)
    return form.copies + mirrors * elsewhere


def copy_bytes(form: ClusterForm) -> int:
    """Beside the body of each copy that is sent."""
    return MIRROR_BYTES if form.is_mirrored else MEMBER_BYTES


def leader_sends(form: ClusterForm, hop: float, message_bytes: int) -> float:
    """Bytes that the leader's node sends of a message: to its copies, and to consumers that it serves.

    :param hop: as ``hop_share`` has it
    """
    mirrors = form.copies - 1
    copies = 1 + mirrors * (1 - hop) if form.is_mirrored and mirrors else float(mirrors)
    served = 1 - hop + _delivered_from_afar(form, hop)
    return copies * (message_bytes + copy_bytes(form)) + served * (message_bytes + CLIENT_BYTES)
