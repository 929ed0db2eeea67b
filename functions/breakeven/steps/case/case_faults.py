"""A case's faults: ordered while it is watched, awaited at its end, and written down as rows.

The watch knows when the measured stage starts. A moment before a fault is due it chooses the node, sees
whether all replicas are in sync, and writes an order, which the agent beside the nodes carries out. One of a
service's calls is ordered likewise, of the agent beside the proxy before the service.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from breakeven.agent.effects import BACK_S
from breakeven.agent.node_orders import FaultAnswer
from breakeven.errors import CaseError
from breakeven.results.coordinator import opening
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import all_loaders_item
from breakeven.steps.services import Services
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case
from breakeven.workload.fault_steps import FaultStep, steps_of
from breakeven.workload.node_faults import MAX_FAULT_S, REBOOT, REBOOT_S, NodeFault
from breakeven.workload.service_faults import CALL_KINDS, ServiceFault

#: how long before it is due a fault is ordered, seconds: the agent looks each half a second
LEAD_S = 2.0
#: how long a failed case waits for its faults to be over, seconds, at most. The next one waits for the
#: cluster anyway, but that is whole while a node's network is bad, and until a fault or a reboot begins late
FAILED_WAIT_S, FAILED_REBOOT_WAIT_S = MAX_FAULT_S + BACK_S + LEAD_S, REBOOT_S + LEAD_S
POLL_S = 0.5
NOT_ORDERED = "the case had ended before it was due"
NOT_ITS_TURN = "the node before it was not back, with all replicas in sync, before the case ended"
NOT_ANSWERED = "nothing beside the nodes has answered"
NOT_BACK = "the node was not back when the case was settled"
NO_PROXY_ANSWERED = "nothing beside the service has answered"
NOT_OVER = "it was not over when the case was settled"
#: what stands before a service, in the place of a node's name
PROXY = "fault proxy"
#: what a reboot is of, likewise
BROKER = "the broker"


class Faults(AbstractContextManager["Faults"]):
    """Those of an attempt, ordered in a thread of its own: a target that keeps others waiting, as one does
    whose node is away, does not keep it.
    """

    def __init__(self, services: Services, case: Case, attempt: int, queues: tuple[str, ...]) -> None:
        self._services, self._case, self._attempt, self._queues = services, case, attempt, queues
        self._orders = FaultOrders(services.store, case.run_id, case.target)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: Exception | None = None

    def __exit__(self, *_: object) -> None:
        self._stop()

    def expect(self, for_s: float) -> None:
        """Tell agents on nodes that orders may come, for so long."""
        if self._case.workload.node_faults:
            self._orders.expect(self._case.case_id, self._attempt, time.time() + for_s)

    def follow(self, loaders: Mapping[str, Mapping[str, Any]], *, ended: bool) -> None:
        """See the loaders' items: from their gate on faults are ordered, and none any more at their end.

        Raises what kept them from being ordered: a call of the watch that is tried again orders the rest.
        """
        if self._failure is not None:
            raise self._failure
        if ended or not self._case.workload.faults:
            self._stop()
        elif self._thread is None and (gate_s := self._gate_s(loaders)) is not None:
            start_s = gate_s + self._case.workload.warmup_s
            self._thread = threading.Thread(target=self._give, args=(start_s,), name="faults", daemon=True)
            self._thread.start()

    def are_over(self) -> bool:
        """Is every fault over, and every node that was taken back, or so late that nobody waits for it?"""
        return not self._case.workload.faults or are_over(self._orders, self._case, self._attempt)

    def _stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _gate_s(self, loaders: Mapping[str, Mapping[str, Any]]) -> float | None:
        gate = "prefilled" if self._case.workload.prefill else "start"
        summary = all_loaders_item(self._case.case_id, self._attempt)
        return opening(gate, loaders, summary, self._case.loaders)

    def _give(self, start_s: float) -> None:
        try:
            self._give_each(start_s)
        except Exception as error:
            self._failure = error

    def _give_each(self, start_s: float) -> None:
        """In the order in which they are due; a call of the watch before this one may have given some."""
        given = self._orders.given(self._case.case_id, self._attempt)
        for step in steps_of_case(self._case):
            if step.number in given:
                continue
            due_s = start_s + step.fault.at_s if step.before is None else self._due_after(step.before)
            if (
                due_s is None
                or self._stopped.wait(max(0.0, due_s - LEAD_S - time.time()))
                or self._is_aborted()
            ):
                return
            self._orders.give(self._order(step, due_s))

    def _due_after(self, number: int) -> float | None:
        """When the next node may be taken: a moment after that one is back, with all in sync. None: the
        case has ended before, or the node has not come back.
        """
        while not self._stopped.wait(POLL_S):
            answer = self._orders.answered(self._case.case_id, self._attempt).get(number)
            if answer is None or not answer.over:
                continue
            if answer.back_at_s is None:
                return None
            if self._services.target_of(self._case).lacking() is None:
                return time.time() + LEAD_S
        return None

    def _is_aborted(self) -> bool:
        item = all_loaders_item(self._case.case_id, self._attempt)
        return "reason" in self._services.state(self._case.run_id).get(item)

    def _order(self, step: FaultStep, due_s: float) -> FaultOrder:
        if isinstance(step.fault, ServiceFault):
            return self._order_of_calls(step.number, step.fault, due_s)
        target, node, error = self._services.target_of(self._case), None, None
        in_sync: bool | None = None
        try:
            node = target.node_for(step.node, self._queues[0]) if step.node is not None else BROKER
            in_sync = target.in_sync(self._queues)
        except CaseError as refused:
            error = None if node else f"no node could be chosen: {refused}"
        return FaultOrder(
            case_id=self._case.case_id,
            attempt=self._attempt,
            number=step.number,
            kind=step.fault.kind,
            aimed_at=step.aimed_at,
            node=node,
            due_at_s=due_s,
            for_s=step.fault.for_s,
            in_sync=in_sync,
            error=error,
            network=step.fault.network,
        )

    def _order_of_calls(self, number: int, fault: ServiceFault, due_s: float) -> FaultOrder:
        return FaultOrder(
            case_id=self._case.case_id,
            attempt=self._attempt,
            number=number,
            kind=fault.kind,
            aimed_at=fault.aimed_at,
            node=PROXY,
            due_at_s=due_s,
            for_s=fault.for_s,
            in_sync=None,
            calls=fault,
            queues=self._queues,
        )


def are_over(orders: FaultOrders, case: Case, attempt: int) -> bool:
    """Has every order of the attempt that a node was chosen for its answer, or had its time?"""
    answers = orders.answered(case.case_id, attempt)
    return all(
        (number in answers and answers[number].over) or time.time() > order.due_at_s + _most_s(order)
        for number, order in orders.given(case.case_id, attempt).items()
        if order.node
    )


def _most_s(order: FaultOrder) -> float:
    return REBOOT_S if order.kind == REBOOT else order.for_s + BACK_S


def await_answers(services: Services, case: Case, attempt: int, wait_s: float | None = None) -> None:
    """Wait until the nodes that faults have taken are back, or for so long; None: as a failed case does."""
    if wait_s is None:
        wait_s = FAILED_REBOOT_WAIT_S if case.workload.reboots else FAILED_WAIT_S
    orders, until = FaultOrders(services.store, case.run_id, case.target), time.monotonic() + wait_s
    while case.workload.faults and not are_over(orders, case, attempt) and time.monotonic() < until:
        time.sleep(POLL_S)


def write_faults(services: Services, case: Case, attempt: int) -> None:
    """The rows of the attempt's faults; none of a case without any."""
    if not case.workload.faults:
        return
    orders = FaultOrders(services.store, case.run_id, case.target)
    given, answers = orders.given(case.case_id, attempt), orders.answered(case.case_id, attempt)
    steps = sorted(steps_of_case(case), key=lambda step: step.number)
    rows = [_row(case, step, given, answers.get(step.number)) for step in steps]
    services.store.put_rows("faults", case.run_id, case.case_id, rows)


def steps_of_case(case: Case) -> list[FaultStep]:
    nodes = case.machines.nodes if case.machines else record_of(case.target).node_count
    return steps_of(case.workload.faults, nodes)


def _row(
    case: Case, step: FaultStep, given: Mapping[int, FaultOrder], answer: FaultAnswer | None
) -> dict[str, Any]:
    order, injected = given.get(step.number), answer.injected if answer else None
    return {
        "case_id": case.case_id,
        "number": step.number,
        "kind": step.fault.kind,
        "aimed_at": step.aimed_at,
        "node": order.node if order else None,
        "due_s": _due_s(step, given),
        "for_s": step.fault.for_s,
        "extent": step.fault.extent if isinstance(step.fault, NodeFault) else None,
        "due_at_s": order.due_at_s if order else None,
        "done_at_s": answer.done_at_s if answer else None,
        "back_at_s": answer.back_at_s if answer else None,
        "in_sync": order.in_sync if order else None,
        "error": _error(step, order, answer),
        **{
            f"injected_{call}s": injected.get(call, 0) if injected is not None else None
            for call in CALL_KINDS
        },
        "calls_seen": answer.seen if answer else None,
    }


def _due_s(step: FaultStep, given: Mapping[int, FaultOrder]) -> float:
    """Since the start of the measured stage: of a node that others came before, when its turn came."""
    order, first = given.get(step.number), given.get(step.first)
    return step.fault.at_s + (order.due_at_s - first.due_at_s if order and first else 0.0)


def _error(step: FaultStep, order: FaultOrder | None, answer: FaultAnswer | None) -> str | None:
    if order is None:
        return NOT_ORDERED if step.before is None else NOT_ITS_TURN
    if answer is None:
        return order.error or (NO_PROXY_ANSWERED if order.calls else NOT_ANSWERED)
    if answer.over:
        return answer.error
    return NOT_OVER if order.calls else NOT_BACK
