"""Faults of a broker's node at a set time of a case (rule 14 of docs/rules.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.agent.node_alarms import ALARMS, Alarm
from breakeven.terms import Frozen

#: kill: as ``kill -9`` does; stop: in good order; pause: SIGSTOP, and SIGCONT after it; partition: the node
#: and its peers close the connections between them and take no new ones, until it is restarted
FaultKind = Literal["kill", "stop", "pause", Alarm, "partition", "rolling-restart"]
#: of all nodes, one after the other: in good order, each once the one before is back and all is in sync
ROLLING_RESTART = "rolling-restart"
#: of all nodes to another release: what a suite may ask for, and the plan refuses with the reason
UPGRADE = "upgrade"
AskedKind = Literal[FaultKind, "upgrade"]
#: the node of the first queue's leader, another one, or the node of that number, from 1
FaultNode = Literal["leader", "other"] | int
#: how long a node may be kept so, seconds: the workflow waits 330 s for a cluster to be whole after a case
#: (``steps.case.nodes_down``), and a node that was killed takes some of them to start
MAX_FAULT_S = 240.0
#: seconds that a node may take from its start until it is a member of its cluster again
BACK_S = 100.0


class NodeFault(Frozen):
    """One of a case's. Times are seconds, ``at_s`` since the start of the measured stage."""

    at_s: float = Field(ge=0)
    kind: FaultKind
    node: FaultNode | Literal["all"] = "all"
    for_s: float = Field(
        gt=0, description="until the node's process goes on, or is started again, or its alarm is cleared"
    )

    @property
    def end_s(self) -> float:
        return self.at_s + self.for_s

    @property
    def is_alarm(self) -> bool:
        """Does the node stay, and block publishers?"""
        return self.kind in ALARMS

    @property
    def is_rolling(self) -> bool:
        """Is it of all nodes, one after the other?"""
        return self.kind == ROLLING_RESTART

    @property
    def words(self) -> str:
        """Such as ``kill the leader's node at 10 s for 5 s``."""
        which = {"leader": "the leader's node", "other": "another node"}.get(
            str(self.node), f"node {self.node}"
        )
        if self.is_rolling:
            return f"{self.kind} from {self.at_s:g} s, each node away for {self.for_s:g} s"
        what = f"{self.kind} on" if self.is_alarm else self.kind
        return f"{what} {which} at {self.at_s:g} s for {self.for_s:g} s"
