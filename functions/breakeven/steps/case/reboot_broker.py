"""Reboot of a broker that Amazon MQ runs, as a case's watch orders it: asked for, and followed to its end.

The watch is inside the VPC, from where no call reaches the service; this function is outside. It looks in the
bucket for the order, as agents on nodes do, and answers there. Each call of it goes by what is in the bucket:
one that comes after another goes on where that ended.
"""

from __future__ import annotations

import time

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.agent.node_orders import FaultAnswer
from breakeven.agent.order_agent import LATE_S
from breakeven.planning.budget.planning_assumptions import ORDER_LOOKS_PER_S
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import lane_item, loaders_prefix
from breakeven.steps.aws_clients import Mq
from breakeven.steps.case.watch import have_ended
from breakeven.steps.managed_brokers import REBOOTING, UP, described_broker
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from breakeven.workload.node_faults import REBOOT_S

#: how often is looked for the order, which comes two seconds before it is due, and at a broker that reboots:
#: seconds
LOOK_S, POLL_S = 1 / ORDER_LOOKS_PER_S, 2.0
#: a broker that runs on for so long after the call is not rebooted, seconds
BEGINS_S = 180.0
NOT_BEGUN = f"after the call the broker ran on for {BEGINS_S:g} s"
NOT_BACK = f"the broker did not run again within {REBOOT_S:g} s"


def reboot_broker(
    services: Services, mq: Mq, run_id: str, case_id: str, attempt: int, seconds_left: float
) -> bool:
    """Do what the attempt's orders say; whether the case goes on, and another call is to follow it."""
    case = services.case(run_id, case_id)
    broker_id = str(services.state(run_id).get(lane_item(case.target))["broker_id"])
    reboots = _Reboots(FaultOrders(services.store, run_id, case.target), mq, broker_id, case, attempt)
    until = time.monotonic() + seconds_left
    # one that is asked for late in a call might begin after it, and the next call would take it to be over
    while time.monotonic() < (until if reboots.under_way else until - BEGINS_S):
        if reboots.go_on() and (reboots.are_over() or _has_ended(services, case, attempt)):
            return False
        time.sleep(POLL_S if reboots.under_way else LOOK_S)
    return True


class _Reboots:
    """Those of an attempt. ``under_way``: one has been asked for and has not ended.

    The bucket is listed for what nobody here knows alone: answers of a call before, once, and orders until
    all are there.
    """

    def __init__(self, orders: FaultOrders, mq: Mq, broker_id: str, case: Case, attempt: int) -> None:
        self._orders, self._mq, self._broker_id = orders, mq, broker_id
        self._case, self._attempt = case, attempt
        self._given: dict[int, FaultOrder] = {}
        self._answers = orders.answered(case.case_id, attempt)
        self.under_way = False
        #: the broker was seen not to run, or a call of this function before has asked
        self._has_begun = True

    def go_on(self) -> bool:
        """Take the step that is due; whether nothing that was ordered is left to do."""
        if len(self._given) < len(self._case.workload.reboots):
            self._given = self._orders.given(self._case.case_id, self._attempt)
        for number, order in self._given.items():
            if number not in self._answers:
                self._begin(order)
            elif not self._answers[number].over:
                self._follow(order, self._answers[number])
        self.under_way = any(not each.over for each in self._answers.values())
        return not self.under_way and self._given.keys() <= self._answers.keys()

    def are_over(self) -> bool:
        return len(self._answers) >= len(self._case.workload.reboots)

    def _begin(self, order: FaultOrder) -> None:
        """At its instant. What the service does not take is no failure of the case."""
        time.sleep(max(0.0, order.due_at_s - time.time()))
        late_s = time.time() - order.due_at_s
        if order.node is None or late_s > LATE_S:
            error = order.error or f"its order came {late_s:.1f} s late"
            self._answer(order, FaultAnswer(over=True, error=error))
            return
        asked_s = time.time()
        try:
            self._mq.reboot_broker(BrokerId=self._broker_id)
        except BotoCoreError:
            pass  # no answer has come, and the broker shows whether the service took it
        except ClientError as refused:
            # of a call that is made again, as its first answer was lost, the service may refuse the second
            if self._state() != REBOOTING:
                error = f"Amazon MQ did not take it: {refused}"
                self._answer(order, FaultAnswer(over=True, error=error))
                return
        self._has_begun = False
        self._answer(order, FaultAnswer(over=False, done_at_s=asked_s))

    def _follow(self, order: FaultOrder, answer: FaultAnswer) -> None:
        """Until the broker runs again, by the service's own description of it."""
        state, begun_s = self._state(), answer.done_at_s or order.due_at_s
        runs = state in UP
        self._has_begun = self._has_begun or not (runs or state is None)
        if runs and self._has_begun:
            self._end(order, begun_s, back_at_s=time.time())
        elif runs and time.time() > begun_s + BEGINS_S:
            self._end(order, None, error=NOT_BEGUN)
        elif time.time() > begun_s + REBOOT_S:
            self._end(order, begun_s, error=f"{NOT_BACK}: its state is {state or 'not known'}")

    def _state(self) -> str | None:
        """None where the service does not say just now: it is asked again."""
        try:
            broker = described_broker(self._mq, self._broker_id)
        except (BotoCoreError, ClientError):
            return None
        return broker.state if broker else None

    def _end(
        self,
        order: FaultOrder,
        done_at_s: float | None,
        back_at_s: float | None = None,
        error: str | None = None,
    ) -> None:
        """:param done_at_s: None: it was not rebooted"""
        self._answer(order, FaultAnswer(over=True, done_at_s=done_at_s, back_at_s=back_at_s, error=error))

    def _answer(self, order: FaultOrder, answer: FaultAnswer) -> None:
        self._orders.answer(order, answer)
        self._answers[order.number] = answer


def _has_ended(services: Services, case: Case, attempt: int) -> bool:
    loaders = services.state(case.run_id).items(loaders_prefix(case.case_id, attempt))
    return have_ended(loaders, case, attempt)
