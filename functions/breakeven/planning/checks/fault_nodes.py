"""Numbers of the nodes that faults are aimed at, as far as a plan can know them, and which two are of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.workload.node_faults import NodeFault

#: where the first queue is declared, however ``leaders`` are placed, and with that its leader
FIRST = 1


@dataclass(frozen=True, slots=True)
class Aimed:
    """A fault, and the number of its node; None: which it is shows in the run alone."""

    fault: NodeFault
    number: int | None

    def shares_node(self, earlier: Aimed) -> bool:
        """Is it on the node of one that began before it?"""
        if self.number is not None and earlier.number is not None:
            return self.number == earlier.number
        # a leader is another one once its node was taken away, and the same while only its network is bad
        return self.fault.node == earlier.fault.node and not earlier.fault.moves_leaders

    def named_as(self, earlier: Aimed) -> str:
        """The node that it shares with that one, in words."""
        if isinstance(self.fault.node, int) and self.fault.node == earlier.fault.node:
            return f"node {self.fault.node}"
        if self.fault.node == earlier.fault.node:
            return f"the same node ({self.fault.node})"
        return f"the same node (the first queue's leader is on node {FIRST} until that is taken away)"


def aimed(faults: Sequence[NodeFault], nodes: int) -> list[Aimed]:
    """Each with its node's number, in the order of ``faults``."""
    numbers: dict[int, int | None] = {}
    is_first = True
    for index in sorted(range(len(faults)), key=lambda index: (faults[index].at_s, index)):
        each = faults[index]
        numbers[index] = _number(each, nodes, is_first=is_first)
        spares_leader = is_first and each.node == "other"
        if each.takes_away and numbers[index] in (FIRST, None) and not spares_leader:
            is_first = False
    return [Aimed(each, numbers[index]) for index, each in enumerate(faults)]


def _number(each: NodeFault, nodes: int, *, is_first: bool) -> int | None:
    """:param is_first: is the leader of the first queue still where it was declared?"""
    if isinstance(each.node, int):
        return each.node
    if each.node == "leader" and is_first:
        return FIRST
    return FIRST + 1 if each.node == "other" and is_first and nodes == FIRST + 1 else None
