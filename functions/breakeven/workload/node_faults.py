"""Faults of a broker's node at a set time of a case (rule 14 of docs/rules.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.agent.effects import BACK_S
from breakeven.agent.host_network import DRAINED_S
from breakeven.agent.impairment import CUTS, NETWORK_KINDS, OF_CLIENTS, Impairment, NetworkKind
from breakeven.agent.node_alarms import ALARMS, Alarm
from breakeven.terms import Frozen

#: kill: as ``kill -9`` does; stop: in good order; pause: SIGSTOP, and SIGCONT after it; partition: the node
#: and its peers close the connections between them and take no new ones, until it is restarted; cut- and
#: slow-: what clients, or peers, and the node send one another is dropped, or is late, slow or lost in part
FaultKind = Literal["kill", "stop", "pause", Alarm, "partition", "rolling-restart", "reboot", NetworkKind]
#: kinds that say themselves by how much
SLOW: tuple[NetworkKind, ...] = tuple(kind for kind in NETWORK_KINDS if kind not in CUTS)
#: of all nodes, one after the other: in good order, each once the one before is back and all is in sync
ROLLING_RESTART = "rolling-restart"
#: of a broker that a service runs, by the service's own call: it takes as long as the service does
REBOOT = "reboot"
#: how long that may take, seconds. No source says how long it does; nodes are restarted one after
#: another in maintenance
REBOOT_S = 600.0
#: of all nodes to another release: what a suite may ask for, and the plan refuses with the reason
UPGRADE = "upgrade"
AskedKind = Literal[FaultKind, "upgrade"]
#: the node of the first queue's leader, another one, or the node of that number, from 1
FaultNode = Literal["leader", "other"] | int
#: lateness, milliseconds, or loss, percent, of what a node and its peers send each other by which members of
#: a quorum queue may take it to be gone: their detector hears ten heartbeats a second and judges each second
#: (heartbeat_interval and poll_interval of aten 0.6, RabbitMQ 4.0). What is lost three times in a row is sent
#: again after 0.2, 0.4 and 0.8 s (RFC 6298, with the least timeout of Linux): at 20% of one heartbeat in 125
FELT_DELAY_MS, FELT_LOSS_PERCENT = 1000.0, 20.0
#: seconds of a cut from which TCP, which sends again at intervals that double, may be silent until after the
#: 45 s at which peers may give a node up
FELT_CUT_S = 25.0
#: how long a node may be kept so, seconds: the workflow waits 330 s for a cluster to be whole after a case
#: (``steps.case.nodes_down``), and a node that was killed takes some of them to start
MAX_FAULT_S = 240.0


class NodeFault(Frozen):
    """One of a case's. Times are seconds, ``at_s`` since the start of the measured stage."""

    at_s: float = Field(ge=0)
    kind: FaultKind
    node: FaultNode | Literal["all"] = "all"
    for_s: float = Field(
        default=0.0,
        ge=0,
        description="0: as long as a service takes to reboot; until the node's process goes on, or is "
        "started again, its alarm is cleared, or its network restored",
    )
    delay_ms: float | None = Field(default=None, description="slow: by which the node's answers are late")
    mbit_per_s: float | None = Field(default=None, description="slow: that pass at most, each way")
    loss_percent: float | None = Field(default=None, description="slow: of packets, each way")

    @property
    def end_s(self) -> float:
        return self.at_s + self.for_s

    @property
    def free_s(self) -> float:
        """From when on its node can have another: what a bad network holds back leaves first."""
        return self.end_s + ((self.delay_ms or 0.0) / 1000 + DRAINED_S if self.network else 0.0)

    @property
    def is_alarm(self) -> bool:
        """Does the node stay, and block publishers?"""
        return self.kind in ALARMS

    @property
    def network(self) -> Impairment | None:
        """How it impairs its node's network; None: it is of another kind."""
        for kind in NETWORK_KINDS:
            if kind == self.kind:
                return Impairment(kind, self.delay_ms, self.mbit_per_s, self.loss_percent)
        return None

    @property
    def is_of_clients(self) -> bool:
        """Does it lie between clients and a node?"""
        return self.kind in OF_CLIENTS

    @property
    def takes_away(self) -> bool:
        """Do the other nodes lose its node, or may they take it to be lost?"""
        if self.kind == "slow-peers":
            return (self.delay_ms or 0.0) > FELT_DELAY_MS or (self.loss_percent or 0.0) >= FELT_LOSS_PERCENT
        return not (self.is_alarm or self.is_of_clients)

    @property
    def moves_leaders(self) -> bool:
        """Are the leaders on its node surely others, or unknown, from its beginning on?"""
        return self.takes_away and self.kind != "slow-peers"

    @property
    def depends_on_replicas(self) -> bool:
        """Does it matter to its loss whether all replicas are in sync?"""
        return not (self.is_alarm or self.is_of_clients)

    @property
    def extent(self) -> str | None:
        """By how much, such as ``100 ms later, at most 10 Mbit/s``; None: its kind says all."""
        parts = (
            f"{self.delay_ms:g} ms later" if self.delay_ms else "",
            f"at most {self.mbit_per_s:g} Mbit/s" if self.mbit_per_s else "",
            f"{self.loss_percent:g}% lost" if self.loss_percent else "",
        )
        return ", ".join(filter(None, parts)) or None

    @property
    def is_rolling(self) -> bool:
        """Is it of all nodes, one after the other?"""
        return self.kind == ROLLING_RESTART

    @property
    def is_reboot(self) -> bool:
        """Is it of a service's broker, by the service?"""
        return self.kind == REBOOT

    @property
    def most_s(self) -> float:
        """How long it may last, and what it took be away after that."""
        return REBOOT_S if self.is_reboot else self.for_s + BACK_S

    @property
    def words(self) -> str:
        """Such as ``kill the leader's node at 10 s for 5 s``."""
        which = {"leader": "the leader's node", "other": "another node"}.get(
            str(self.node), f"node {self.node}"
        )
        if self.is_reboot:
            return f"{self.kind} the broker at {self.at_s:g} s"
        if self.is_rolling:
            return f"{self.kind} from {self.at_s:g} s, each node away for {self.for_s:g} s"
        what = f"{self.kind} on" if self.is_alarm else f"{self.kind} of" if self.network else self.kind
        extent = f" ({self.extent})" if self.extent else ""
        return f"{what} {which}{extent} at {self.at_s:g} s for {self.for_s:g} s"
