"""The agent of a lane's faults of calls: when it has the proxy begin and end them, and what it answers."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from breakeven.agent import order_agent
from breakeven.agent.node_orders import FaultAnswer
from breakeven.errors import BreakevenError
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.workload.service_faults import ServiceFault
from local.servers.proxy.fault_proxy import Injected
from local.servers.proxy.proxy_agent import ProxyAgent
from tests.support.aws.moto_results import installed
from tests.support.workflow.processes import eventually

CASE = "cut.threads-4.sqs-standard.r1"
FAULT = ServiceFault(at_s=2, kind="reset", when="after", for_s=0.2, percent=5)


class Noted:
    """A proxy that writes down what it is told."""

    def __init__(self) -> None:
        self.noted: list[tuple[Any, ...]] = []
        self.gone = ""

    def begin(self, name: str, fault: ServiceFault, queues: Sequence[str]) -> float:
        return self._tell("begin", name, fault, tuple(queues))

    def end(self, name: str) -> Injected:
        return Injected(self._tell("end", name), {"send": 3}, 60)

    def _tell(self, what: str, *more: Any) -> float:
        if self.gone == what:
            raise BreakevenError("the fault proxy has ended")
        self.noted.append((what, *more))
        return time.time()


class Lane:
    def __init__(self, services: Any) -> None:
        self.orders, self.proxy = FaultOrders(services.store, "run", "sqs-standard"), Noted()
        self.agent = ProxyAgent(self.orders, self.proxy)
        self.agent.start()

    def order(self, **changes: Any) -> FaultOrder:
        given = {"kind": "reset", "aimed_at": "calls", "node": "fault proxy", "for_s": 0.2, "in_sync": None}
        times = {"due_at_s": time.time() + 0.3, "case_id": CASE, "attempt": 1, "number": 2}
        made = FaultOrder(**{**given, **times, "calls": FAULT, "queues": ("http://sqs/1/q",), **changes})
        self.orders.give(made)
        return made

    def answer(self) -> FaultAnswer:
        """Once it is over."""
        assert eventually(lambda: (found := self.answers().get(2)) and found.over, 20)
        return self.answers()[2]

    def answers(self) -> dict[int, FaultAnswer]:
        return self.orders.answered(CASE, 1)


@pytest.fixture
def lane(monkeypatch) -> Iterator[Lane]:
    monkeypatch.setattr(order_agent, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(order_agent, "LATE_S", 20.0)  # a busy machine may find an order seconds late
    with installed(monkeypatch) as services:
        made = Lane(services)
        yield made
        made.agent.end()
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads()))


def test_it_begins_at_its_instant_and_ends_after_its_time_and_the_answer_has_the_proxys_counts(lane) -> None:
    order = lane.order()
    answer = lane.answer()
    name = f"{CASE}/a1/2"
    assert lane.proxy.noted == [("begin", name, FAULT, ("http://sqs/1/q",)), ("end", name)]
    assert (answer.error, answer.injected, answer.seen) == (None, {"send": 3}, 60)
    assert order.due_at_s <= answer.done_at_s < order.due_at_s + order_agent.LATE_S
    assert answer.back_at_s >= answer.done_at_s + 0.2


def test_while_calls_meet_it_the_answer_says_since_when(lane) -> None:
    lane.order(for_s=60)
    assert eventually(lambda: 2 in lane.answers(), 20)
    answer = lane.answers()[2]
    assert (answer.over, answer.back_at_s, answer.done_at_s is not None) == (False, None, True)


def test_an_order_that_comes_late_is_not_carried_out(lane) -> None:
    lane.order(due_at_s=time.time() - 30)
    late = re.fullmatch(r"its order came (\d+\.\d) s late", str(lane.answer().error))
    assert late is not None
    assert float(late[1]) >= 30
    assert lane.proxy.noted == []


@pytest.mark.parametrize(("when", "was_done"), [("begin", False), ("end", True)])
def test_a_proxy_that_has_gone_is_the_answer_and_what_it_caused_was_done(lane, when, was_done) -> None:
    lane.proxy.gone = when
    lane.order()
    answer = lane.answer()
    assert (answer.error, answer.injected) == ("the fault proxy has ended", None)
    assert (answer.done_at_s is not None, answer.back_at_s) == (was_done, None)


def test_an_order_that_does_not_say_which_calls_is_answered(lane) -> None:
    lane.order(calls=None)
    assert "does not say what befalls which calls" in str(lane.answer().error)
