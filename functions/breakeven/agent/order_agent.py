"""Agent of faults beside the nodes of a lane: it looks in the bucket for orders, and answers there.

On one machine it is a thread of the run, and a node is a group of processes. Whatever ends the run ends its
nodes with it (``local.children``): none stays paused, as SIGKILL ends a stopped process, too. On EC2 each
node has an agent of its own (``breakeven.agent.__main__``), which leaves the orders of other nodes alone.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.agent.effects import BACK_S, Effect, Network, Nodes, NoNetwork, effect_of
from breakeven.agent.node_orders import FaultAnswer, Orders, OrderType
from breakeven.errors import BreakevenError

LOOK_EVERY_S, FREE_EVERY_S = 0.5, 0.05
#: an order that is seen so long after it was due is not carried out any more, seconds
LATE_S = 1.0
#: a node that could not start again, and why
Failed = Callable[[str, str], None]
NOT_RUNNING = "the node did not run when it was due"
STILL_TAKEN = "a fault before it still had the node"
AGENT_ENDED = "the agent beside the node had ended meanwhile"


class OrderAgent(ABC, Generic[OrderType]):
    """What carries out the orders of one lane, each at its instant.

    :param stopped: is the whole run being ended, with all that it has started?
    """

    def __init__(self, orders: Orders[OrderType], stopped: Callable[[], bool]) -> None:
        self._orders, self._stopped = orders, stopped
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._look, name="fault agent", daemon=True).start()

    def end(self) -> None:
        """The lane is: nothing is carried out any more, and nothing undone, as its nodes go, too."""
        self._ended.set()

    @abstractmethod
    def _apply(self, order: OrderType, node: str) -> None:
        """Carry it out, undo it, and answer both."""

    def _early_s(self, order: OrderType, node: str) -> float:
        """How long before it is due it is to be begun."""
        return 0.0

    def _look(self) -> None:
        known: set[str] = set()
        while not self._is_over_after(LOOK_EVERY_S):
            try:
                found = self._orders.beyond(known)
            except (BotoCoreError, ClientError):
                continue  # looked for again; where the bucket itself is gone, so is the lane
            known |= found.keys()
            for order in found.values():
                if order.node is not None:
                    threading.Thread(
                        target=self._carry_out, args=(order, order.node), name="fault", daemon=True
                    ).start()

    def _carry_out(self, order: OrderType, node: str) -> None:
        if self._is_over_after(order.due_at_s - self._early_s(order, node) - time.time()):
            return
        late_s = time.time() - order.due_at_s
        if late_s > LATE_S:
            self._answer(order, FaultAnswer(over=True, error=f"its order came {late_s:.1f} s late"))
        else:
            self._apply(order, node)

    def _answer(self, order: OrderType, answer: FaultAnswer) -> None:
        """Nobody waits for ever for one that cannot be written."""
        try:
            self._orders.answer(order, answer)
        except (BotoCoreError, ClientError):
            if not self._is_over_after(0.0):
                raise

    def _is_over_after(self, seconds: float) -> bool:
        """Wait for so long, or until the lane has ended; whether it has, or the run."""
        return self._ended.wait(max(0.0, seconds)) or self._stopped()


class FaultAgent(OrderAgent[OrderType]):
    """Of one lane's nodes.

    :param failed: told of a node that could not start again, or whose network is not as it was, and why
    :param network: between the nodes and others; None: nothing that could be impaired
    """

    def __init__(
        self,
        orders: Orders[OrderType],
        nodes: Nodes,
        failed: Failed,
        stopped: Callable[[], bool] = lambda: False,
        network: Network | None = None,
    ) -> None:
        super().__init__(orders, stopped)
        self._nodes, self._failed, self._lock = nodes, failed, threading.Lock()
        self._network = network or NoNetwork()
        self._taken: set[str] = set()
        self._waiting: list[tuple[str, float]] = []  # nodes that are waited for, and when that was due

    def resume(self, order: OrderType, answer: FaultAnswer) -> None:
        """Undo at once what an agent before this one had done, and answer so: it ended before that was due,
        or with it.
        """
        if order.node is not None:
            until_s, effect = time.time(), self._effect(order, order.node)
            self._end(order, order.node, effect, until_s, answer.done_at_s, undoable=AGENT_ENDED)

    def _early_s(self, order: OrderType, node: str) -> float:
        return self._effect(order, node).early_s

    def _effect(self, order: OrderType, node: str) -> Effect:
        return effect_of(order, self._nodes, self._network, node, self._away)

    def _away(self) -> frozenset[str]:
        """The nodes that faults have now."""
        with self._lock:
            return frozenset(self._taken)

    def _apply(self, order: OrderType, node: str) -> None:
        if error := self._take_once_free(order.due_at_s, node):
            self._answer(order, FaultAnswer(over=True, error=error))
            return
        try:
            self._cause(order, node, self._effect(order, node))
        finally:
            self._give_back(node)

    def _take_once_free(self, due_at_s: float, node: str) -> str | None:
        """As ``_take``: one that a fault before it still has is waited for. That one may end as this is due,
        by the plan, and then has begun a little late, or its node is still starting.
        """
        with self._lock:
            self._waiting.append((node, due_at_s))
        try:
            while (error := self._take(node, due_at_s)) == STILL_TAKEN and time.time() < due_at_s + BACK_S:
                if self._is_over_after(FREE_EVERY_S):
                    break
            return error
        finally:
            with self._lock:
                self._waiting.remove((node, due_at_s))

    def _take(self, node: str, due_at_s: float) -> str | None:
        """Why the node cannot be taken; None: it is ours now. Those that wait for it have it in the order in
        which they were due: what is known of one rests on those before it.
        """
        with self._lock:
            is_next = all(due_s >= due_at_s for other, due_s in self._waiting if other == node)
            if node in self._taken or not is_next:
                return STILL_TAKEN
            if not self._nodes.runs(node):
                return NOT_RUNNING
            self._taken.add(node)
            return None

    def _give_back(self, node: str) -> None:
        with self._lock:
            self._taken.discard(node)

    def _cause(self, order: OrderType, node: str, effect: Effect) -> None:
        try:
            done_at_s = effect.do(order.due_at_s)
        except BreakevenError as refused:  # when it may be half done
            if not self._is_over_after(0.0):
                self._end(order, node, effect, time.time(), undoable=f"{effect.undoable}: {refused}")
            return
        self._answer(order, FaultAnswer(over=False, done_at_s=done_at_s))
        until_s = done_at_s + order.for_s
        if not self._is_over_after(until_s - effect.undo_early_s - time.time()):
            self._end(order, node, effect, until_s, done_at_s)

    def _end(
        self,
        order: OrderType,
        node: str,
        effect: Effect,
        until_s: float,
        done_at_s: float | None = None,
        undoable: str | None = None,
    ) -> None:
        """Undo it, and answer what became of it.

        :param undoable: why it could not be done, as far as anybody knows
        """
        back_at_s, error = None, effect.reverted if undoable else None
        try:
            back_at_s = effect.undo(until_s)
        except BreakevenError as refused:
            if self._is_over_after(0.0):
                return
            error = f"{effect.lasting}: {refused}"
            self._failed(node, str(refused))
        said = "; ".join(filter(None, (undoable, effect.remark, error))) or None
        back_at_s = back_at_s if done_at_s is not None else None
        self._answer(order, FaultAnswer(over=True, done_at_s=done_at_s, back_at_s=back_at_s, error=said))
