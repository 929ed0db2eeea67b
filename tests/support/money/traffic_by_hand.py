"""Bytes that cross zones, and those that a leader's node sends, as they are worked by hand."""

from __future__ import annotations

#: beside a message's body, bytes: docs/decisions/0061 has how they were counted
MEMBER, MIRROR, HOP, CLIENT = 250, 360, 370, 90


def moved(size: int, *, copies: float = 0, mirrored: float = 0, clients: float = 0, hops: float = 0) -> float:
    """Bytes of one message: so many copies to members or to mirrors, to and from clients, and hops."""
    return (
        copies * (size + MEMBER)
        + mirrored * (size + MIRROR)
        + clients * (size + CLIENT)
        + hops * (size + HOP)
    )


def usd(messages: float, each: float) -> float:
    """Both directions of a crossing at $0.01 a GB, which has 2^30 bytes."""
    return 2 * each * messages / 2**30 * 0.01
