"""Effects of each kind of fault on a node, and how they are undone."""

from __future__ import annotations

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Protocol

from breakeven.agent.impairment import Impairment
from breakeven.agent.node_alarms import NodeAlarm, as_alarm
from breakeven.agent.node_orders import Order
from breakeven.agent.node_peers import cut_off_at
from breakeven.errors import BreakevenError

#: how long before its instant a command is started, seconds: a second or two
COMMAND_EARLY_S = 2.0
#: kinds that end a node's process
ENDING = frozenset({"kill", "stop", "rolling-restart"})
#: seconds that a node may take from its start until it is a member of its cluster again
BACK_S = 100.0
#: the nodes that faults have now, by name
Away = Callable[[], Collection[str]]
KILLED = "it had not ended in good order in time, and was killed"


class Nodes(Protocol):
    """Those of the lane's cluster, by name."""

    def runs(self, node: str) -> bool: ...
    def signal(self, node: str, number: signal.Signals) -> None: ...
    def shut_down(self, node: str) -> bool: ...
    def restart(self, node: str, away: Away) -> None: ...
    def evaluate(self, node: str, expression: str, within_s: float) -> str: ...


class Network(Protocol):
    """What lies between the nodes and those who reach them."""

    def impair(self, node: str, impairment: Impairment, for_s: float) -> float: ...
    def restore(self, node: str) -> float: ...


class NoNetwork:
    """Of nodes that are reached directly."""

    def impair(self, node: str, impairment: Impairment, for_s: float) -> float:
        """:raises BreakevenError: always"""
        raise BreakevenError(f"nothing is between {node} and others that could impair what they send")

    def restore(self, node: str) -> float:
        return time.time()


class Effect(ABC):
    """Of one order. ``early_s``, ``undo_early_s``: how long before its instant each part is to be called, and
    waits itself.
    """

    early_s = undo_early_s = 0.0
    #: what is said of one that could not be done, and of one that could not be undone
    undoable, lasting = "the node could not be taken", "the node did not come back"
    #: what is said of one that could not be done, and may have been half done, once it is undone
    reverted = "the node was started again"
    #: what went otherwise than its kind says, though it was done
    remark: str | None = None

    @abstractmethod
    def do(self, due_at_s: float) -> float:
        """Do it; returns when, epoch seconds. Raises BreakevenError."""

    @abstractmethod
    def undo(self, due_at_s: float) -> float:
        """Undo it; returns when, epoch seconds. Raises BreakevenError."""


class Ended(Effect):
    """A node that is killed, or stopped in good order, and started again."""

    def __init__(self, nodes: Nodes, node: str, away: Away, *, in_order: bool) -> None:
        self._nodes, self._node, self._away, self._in_order = nodes, node, away, in_order

    def do(self, due_at_s: float) -> float:
        done_at_s = time.time()
        if self._in_order:
            self.remark = None if self._nodes.shut_down(self._node) else KILLED
        else:
            self._nodes.signal(self._node, signal.SIGKILL)
        return done_at_s

    def undo(self, due_at_s: float) -> float:
        back_at_s = time.time()
        self._nodes.restart(self._node, self._away)
        return back_at_s


class Paused(Effect):
    """A node that stands still, and goes on."""

    reverted = "the node goes on"

    def __init__(self, nodes: Nodes, node: str) -> None:
        self._nodes, self._node = nodes, node

    def do(self, due_at_s: float) -> float:
        done_at_s = time.time()
        self._nodes.signal(self._node, signal.SIGSTOP)
        return done_at_s

    def undo(self, due_at_s: float) -> float:
        back_at_s = time.time()
        self._nodes.signal(self._node, signal.SIGCONT)
        return back_at_s


class Alarmed(Effect):
    """A node with an alarm in effect, and cleared."""

    early_s = undo_early_s = COMMAND_EARLY_S
    undoable, lasting = "its alarm could not be raised", "its alarm could not be cleared"
    reverted = "its limit was put back"

    def __init__(self, alarm: NodeAlarm) -> None:
        self._alarm = alarm

    def do(self, due_at_s: float) -> float:
        return self._alarm.raise_at(due_at_s)

    def undo(self, due_at_s: float) -> float:
        return self._alarm.clear_at(due_at_s)


class CutOff(Effect):
    """A node that is cut off from its peers, and restarted to join them: what RabbitMQ's documentation has an
    operator do with a node whose side of a partition is given up.
    """

    early_s = COMMAND_EARLY_S
    undoable, reverted = "it could not be cut off", "the node was restarted"

    def __init__(self, nodes: Nodes, node: str, away: Away) -> None:
        self._nodes, self._node, self._away = nodes, node, away

    def do(self, due_at_s: float) -> float:
        return cut_off_at(self._nodes.evaluate, self._node, due_at_s)

    def undo(self, due_at_s: float) -> float:
        back_at_s = time.time()
        self.remark = None if self._nodes.shut_down(self._node) else KILLED
        self._nodes.restart(self._node, self._away)
        return back_at_s


class Impaired(Effect):
    """A node whose traffic with its clients or its peers is impaired, and as it was again."""

    undoable, lasting = "its network could not be impaired", "its network is not as it was"
    reverted = "its network was restored"

    def __init__(self, network: Network, node: str, impairment: Impairment, for_s: float) -> None:
        self._network, self._node, self._impairment, self._for_s = network, node, impairment, for_s

    def do(self, due_at_s: float) -> float:
        return self._network.impair(self._node, self._impairment, self._for_s)

    def undo(self, due_at_s: float) -> float:
        return self._network.restore(self._node)


class Unknown(Effect):
    """One that this agent does not know, as that of an older image does not."""

    undoable, reverted = "it could not be done", "nothing was"

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def do(self, due_at_s: float) -> float:
        """:raises BreakevenError: always"""
        raise BreakevenError(f"this agent knows no {self._kind}")

    def undo(self, due_at_s: float) -> float:
        return time.time()


def effect_of(order: Order, nodes: Nodes, network: Network, node: str, away: Away) -> Effect:
    """What is to be done to that node."""
    if order.network is not None:
        return Impaired(network, node, order.network, order.for_s)
    if alarm := as_alarm(order.kind):
        return Alarmed(NodeAlarm(nodes.evaluate, node, alarm))
    if order.kind == "partition":
        return CutOff(nodes, node, away)
    if order.kind == "pause":
        return Paused(nodes, node)
    if order.kind not in ENDING:
        return Unknown(order.kind)
    return Ended(nodes, node, away, in_order=order.kind != "kill")
