"""Faults of a case step by step: what is done to one node, or befalls calls, at its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.workload.node_faults import FaultNode
from breakeven.workload.service_faults import CaseFault, ServiceFault


@dataclass(frozen=True, slots=True)
class FaultStep:
    """What is done to one node, or to a whole broker, or befalls calls: then ``node`` is None. ``number``: of
    the case's steps, from 1; ``first``: of its fault's first.

    The first is due at the fault's own time, and a further one as soon as the one before it is over and all
    replicas are in sync.
    """

    number: int
    first: int
    fault: CaseFault
    node: FaultNode | None

    @property
    def before(self) -> int | None:
        """The step that has to be over; None: it is the first."""
        return None if self.number == self.first else self.number - 1

    @property
    def aimed_at(self) -> str:
        """Leader, other, a node's number, or broker; of calls which."""
        if isinstance(self.fault, ServiceFault):
            return self.fault.aimed_at
        return "broker" if self.fault.is_reboot else str(self.node)


def steps_of(faults: Sequence[CaseFault], nodes: int) -> list[FaultStep]:
    """One for each fault, and for each node of a rolling restart, in the order in which they are due."""
    steps: list[FaultStep] = []
    for fault in faults:
        first = len(steps) + 1
        each = _nodes(fault, nodes)
        steps += [FaultStep(number, first, fault, node) for number, node in enumerate(each, first)]
    return sorted(steps, key=lambda step: step.fault.at_s)


def _nodes(fault: CaseFault, nodes: int) -> Sequence[FaultNode | None]:
    if isinstance(fault, ServiceFault) or fault.is_reboot:
        return [None]
    return range(1, nodes + 1) if fault.node == "all" else [fault.node]
