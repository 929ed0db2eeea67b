"""The loss that a fault may cause by what a queue promises, stated without looking at what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from breakeven.agent.impairment import OF_CLIENTS
from breakeven.agent.node_alarms import ALARMS

#: a node of a mirrored pair that is silent for so many seconds may be given up by the other, which goes on
SPLIT_S = 30.0


@dataclass(frozen=True, slots=True)
class ExpectedLoss:
    """Of messages: ``none`` that was confirmed, or ``possible``; None: nothing is expected.
    ``because``: why.
    """

    loss: Literal["none", "possible"] | None
    because: str


@dataclass(frozen=True, slots=True)
class QueueSetup:
    """What decides on a queue's promise. ``copies``: of each message, on as many nodes."""

    copies: int
    is_quorum: bool
    confirms: bool
    persistent: bool
    acks: bool


#: by kind of a fault that takes no node: why nothing that was confirmed may be lost by it
_KEPT: dict[str, str] = {
    **dict.fromkeys(
        ALARMS, "nodes keep what they confirmed, and take nothing more while the alarm is in effect"
    ),
    **dict.fromkeys(OF_CLIENTS, "nodes keep what they confirmed, and what nobody acknowledges comes again"),
}


def expected_loss(
    queue: QueueSetup, kind: str, for_s: float, *, in_sync: bool | None = True, is_back: bool = True
) -> ExpectedLoss:
    """What becomes of the messages when a node that holds them is lost, or raises an alarm. Rule 14 of
    ``docs/rules.md``.

    :param kind: of the fault: kill, stop, pause, partition, an alarm, rolling-restart of one node, or one of
        its network
    :param for_s: how long the node stays so, seconds
    :param in_sync: whether all replicas were when it was due; None: not known
    :param is_back: whether the node's process runs again
    """
    if kept := _KEPT.get(kind):
        return _unpromised(queue) or ExpectedLoss("none", kept)
    if queue.copies == 1 and kind != "pause":
        if not (queue.persistent or queue.is_quorum):
            why = "messages that are not persistent and still in the queue end with its only node's process"
            return ExpectedLoss("possible", why)
        if not is_back:
            return ExpectedLoss(
                None, "the queue's only node did not come back, and nobody can ask for what it holds"
            )
    if unpromised := _unpromised(queue):
        return unpromised
    if queue.copies == 1:
        where = "in its memory" if kind == "pause" else "on its disk"
        return ExpectedLoss("none", f"the queue's only node keeps what it confirmed {where}")
    return _of_replicated(queue, kind, for_s, in_sync)


def _unpromised(queue: QueueSetup) -> ExpectedLoss | None:
    if not queue.confirms:
        return ExpectedLoss(None, "without confirms nothing is promised")
    if not queue.acks:
        return ExpectedLoss(None, "what is handed out without acknowledgements may be lost on its way")
    return None


#: by kind of a fault of calls: why nothing that SQS has confirmed may be lost by it
_OF_CALLS: dict[str, str] = {
    "throttle": "a send that is denied is not confirmed, and a delivery that is not deleted comes again",
    "error": "a send that is not carried out is not confirmed, and what is not deleted comes again",
    "delay": "a call that is answered late is answered",
    "reset": "a send without an answer is not confirmed, and what is handed out to nobody comes again",
    "duplicate": "a copy takes nothing away",
}


def expected_loss_of_calls(kind: str) -> ExpectedLoss:
    """The same of calls to SQS, by the fault's kind. Source: Amazon SQS Developer Guide, "Amazon SQS
    at-least-once delivery" and "Amazon SQS visibility timeout".
    """
    return ExpectedLoss("none", _OF_CALLS[kind])


def _of_replicated(queue: QueueSetup, kind: str, for_s: float, in_sync: bool | None) -> ExpectedLoss:
    if in_sync is None:
        return ExpectedLoss(None, "whether all replicas were in sync when it was due is not known")
    if not in_sync:
        return ExpectedLoss(None, "a replica was not in sync when it was due: a double fault")
    if kind == "pause" and for_s >= SPLIT_S and not queue.is_quorum:
        return ExpectedLoss(None, f"mirrored nodes may part when one pauses for {SPLIT_S:g} s or more")
    if kind in ("cut-peers", "slow-peers") and not queue.is_quorum:
        return ExpectedLoss(None, "mirrored nodes may give up one whose answers are late, and part")
    if kind == "partition" and not queue.is_quorum:
        why = "mirrored nodes that part both go on, and what the one that is restarted confirmed is given up"
        return ExpectedLoss(None, why)
    holders = "most of its queue's members" if queue.is_quorum else "all mirrors"
    return ExpectedLoss("none", f"{holders} had each message before it was confirmed")
