"""Traffic between a cluster's nodes: decision 0060 has why, and how it was counted.

A quorum queue's leader sends each message once to each other member. Mirrors are sent it twice: by the
channel that it was published on, and round a ring from the master by all copies back to the master.
"""

from __future__ import annotations

from breakeven.pricing.cluster_form import ClusterForm


def hop_share(nodes: int, known: float | None) -> float:
    """Of clients: how many speak to another node than the queue's leader; any node, where it is not known."""
    return (nodes - 1) / nodes if known is None else known


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


def leader_sends(form: ClusterForm, hop: float) -> float:
    """How often the leader's node sends a message: once to a consumer, and for the copies.

    :param hop: as ``hop_share`` has it
    """
    mirrors = form.copies - 1
    if not (form.is_mirrored and mirrors):
        return float(form.copies)
    return 2 + mirrors * (1 - hop)
