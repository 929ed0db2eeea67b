"""Arguments of queues that workloads have, and the values that they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from breakeven.terms import MAX_NODES

GROUP_SIZE: Final = "x-quorum-initial-group-size"
#: argument -> its values
_VALUES: Final[Mapping[str, Sequence[str]]] = {
    "x-queue-type": ("classic", "quorum"),
    "x-queue-mode": ("default", "lazy"),
    GROUP_SIZE: [str(nodes) for nodes in range(1, MAX_NODES + 1)],
}


def argument_remedy(name: str, value: str) -> str:
    """What an argument takes instead of a value; empty where it takes it, or is no argument of workloads."""
    known = _VALUES.get(name, (value,))
    if value in known:
        return ""
    if name == GROUP_SIZE:
        return f"must be a whole number of nodes, 1 to {MAX_NODES}, such as {GROUP_SIZE}=3"
    return f"must be {' or '.join(f'{name}={each}' for each in known)}"
