"""Alarms of a node's memory and its disk: raised by a limit that any node is beyond, cleared by the old one.

While an alarm is in effect on one node, each node of its cluster blocks the connections that publish. Source:
RabbitMQ documentation, "Memory and Disk Alarms". What the commands ``set_vm_memory_high_watermark`` and
``set_disk_free_limit`` call is called here in the node itself, which waits for the instant: a command takes a
second or two to start.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

from breakeven.errors import BreakevenError

#: an alarm of a resource: while it is in effect on any node, the cluster blocks all who publish
Alarm = Literal["memory-alarm", "disk-alarm"]
ALARMS: tuple[Alarm, ...] = get_args(Alarm)
#: node, Erlang expression, seconds -> what it gives, as Erlang writes it
Evaluate = Callable[[str, str, float], str]
#: how long a command may take beyond what the node is to wait, seconds; what the node has not begun some
#: seconds before, it leaves, so that nothing is done that nobody waits for any more
COMMAND_S, BEGUN_S = 30.0, 25.0
ANSWER = re.compile(r"\{(\d+),(true|false),(.+)\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Limit:
    """Of a resource: Erlang's functions that tell it and set it, and a limit that any node is beyond."""

    resource: str
    read_by: str
    set_by: str
    beyond: str
    configured: str


LIMITS: dict[Alarm, Limit] = {
    "memory-alarm": Limit(
        "memory",
        "vm_memory_monitor:get_vm_memory_high_watermark",
        "vm_memory_monitor:set_vm_memory_high_watermark",
        "0.0",
        "application:get_env(rabbit, vm_memory_high_watermark)",
    ),
    "disk-alarm": Limit(
        "disk",
        "rabbit_disk_monitor:get_disk_free_limit",
        "rabbit_disk_monitor:set_disk_free_limit",
        "1 bsl 60",
        "application:get_env(rabbit, disk_free_limit)",
    ),
}
#: waits for an instant; whoever asked for it may have given up then
WAITING = (
    "timer:sleep(max(0, {due_ms} - os:system_time(millisecond))), "
    "true = os:system_time(millisecond) < {latest_ms}, "
)
#: sets a limit at an instant, and gives that in milliseconds, whether the alarm is in effect now, and the
#: limit that was before
SETTING = (
    WAITING + "Before = {read_by}(), At = os:system_time(millisecond), ok = {set_by}({limit}), "
    "Alarms = [Node || {{{{resource_limit, {resource}, Node}}, _}} <- rabbit_alarm:get_alarms()], "
    "{{At, lists:member(node(), Alarms), Before}}."
)


def as_alarm(kind: str) -> Alarm | None:
    """The fault's kind, where it is an alarm."""
    return next((alarm for alarm in ALARMS if alarm == kind), None)


def instants(due_at_s: float) -> tuple[dict[str, int], float]:
    """Those of ``WAITING``, and how long the whole command may take, seconds."""
    wait_s, due_ms = max(0.0, due_at_s - time.time()), ceil(due_at_s * 1000)
    latest_ms = ceil((time.time() + wait_s + BEGUN_S) * 1000)
    return {"due_ms": due_ms, "latest_ms": latest_ms}, wait_s + COMMAND_S


class NodeAlarm:
    """One alarm of one node, raised once and cleared once. Instants are epoch seconds."""

    def __init__(self, evaluate: Evaluate, node: str, kind: Alarm) -> None:
        self._evaluate, self._node, self._kind, self._limit = evaluate, node, kind, LIMITS[kind]
        #: where raising it ends without an answer, the limit that the node was started with
        self._before = f"element(2, {self._limit.configured})"

    def raise_at(self, due_at_s: float) -> float:
        """Raise it at that instant, or at once where that is over; returns when.

        :raises BreakevenError: the node does not answer, or raises none; its limit may have changed
        """
        at_s, is_raised, self._before = self._set(self._limit.beyond, due_at_s)
        if not is_raised:
            raise BreakevenError(f"{self._node} has raised no {self._kind}")
        return at_s

    def clear_at(self, due_at_s: float) -> float:
        """Put its limit back at that instant, likewise.

        :raises BreakevenError: the node does not answer, or the alarm is still in effect
        """
        at_s, is_raised, _ = self._set(self._before, due_at_s)
        if is_raised:
            raise BreakevenError(f"the {self._kind} of {self._node} is in effect with its old limit, too")
        return at_s

    def _set(self, limit: str, due_at_s: float) -> tuple[float, bool, str]:
        """When that limit was set, whether the alarm was in effect then, and the limit before."""
        names = {
            "read_by": self._limit.read_by,
            "set_by": self._limit.set_by,
            "resource": self._limit.resource,
        }
        times, within_s = instants(due_at_s)
        said = self._evaluate(self._node, SETTING.format(limit=limit, **times, **names), within_s)
        if (found := ANSWER.fullmatch(said)) is None:
            raise BreakevenError(f"{self._node} answers {said!r}")
        return int(found[1]) / 1000, found[2] == "true", found[3]
