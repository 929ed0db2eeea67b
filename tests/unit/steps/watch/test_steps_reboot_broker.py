"""Reboot of a broker of Amazon MQ as the workflow's step has it: asked for once, followed, answered."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.agent.node_orders import FaultAnswer
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import all_loaders_item, lane_item
from breakeven.steps.case import reboot_broker as step
from breakeven.steps.case.reboot_broker import NOT_BACK, NOT_BEGUN, reboot_broker
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with

TARGET, BROKER_ID = "amazon-mq-cluster", "b-1"
REBOOT, RUNS, CREATING = "REBOOT_IN_PROGRESS", "RUNNING", "CREATION_IN_PROGRESS"


class Mq:
    """The service, whose states are given one after another; the last one stays."""

    def __init__(self, *states: str) -> None:
        self.asked: list[str] = []
        self.states, self.refuses = list(states), False

    def reboot_broker(self, BrokerId: str) -> Any:
        self.asked.append(BrokerId)
        if self.refuses:
            answer: Any = {"Error": {"Code": "BadRequestException", "Message": "it is being created"}}
            raise ClientError(answer, "RebootBroker")
        return {}

    def describe_broker(self, BrokerId: str) -> Any:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {"BrokerId": BrokerId, "BrokerState": state}


@pytest.fixture
def services(monkeypatch):
    monkeypatch.setattr(step, "LOOK_S", 0.01)
    monkeypatch.setattr(step, "POLL_S", 0.01)
    with installed(monkeypatch) as found:
        case = case_with(workload_with(faults=[{"at_s": 1, "kind": "reboot"}], measure_s=60), target=TARGET)
        found.store.put_json(layout.case_key("run", "case"), case.model_dump(mode="json"))
        found.state("run").update(lane_item(TARGET), broker_id=BROKER_ID)
        yield found


def orders(services) -> FaultOrders:
    return FaultOrders(services.store, "run", TARGET)


def order(services, in_s: float = 0.1) -> FaultOrder:
    made = FaultOrder(
        case_id="case",
        attempt=1,
        number=1,
        kind="reboot",
        aimed_at="broker",
        node="the broker",
        due_at_s=time.time() + in_s,
        for_s=0.0,
        in_sync=True,
    )
    orders(services).give(made)
    return made


def rebooted(services, mq: Mq, seconds_left: float = 20.0) -> bool:
    return reboot_broker(services, mq, "run", "case", 1, seconds_left)


def answer(services) -> FaultAnswer:
    return orders(services).answered("case", 1)[1]


def test_a_broker_is_rebooted_at_its_instant_and_back_when_it_runs_again(services):
    given, mq = order(services), Mq(RUNS, REBOOT, REBOOT, RUNS)
    assert rebooted(services, mq) is False
    found = answer(services)
    assert (mq.asked, found.over, found.error) == ([BROKER_ID], True, None)
    assert found.done_at_s >= given.due_at_s
    assert found.back_at_s >= found.done_at_s


def test_a_call_that_comes_after_another_goes_on_where_that_ended(services):
    order(services)
    assert rebooted(services, Mq(REBOOT), seconds_left=1.0) is True, "the case goes on"
    assert answer(services).over is False
    mq = Mq(REBOOT, RUNS)
    assert rebooted(services, mq) is False
    assert mq.asked == [], "nothing is asked for twice"
    assert answer(services).back_at_s is not None


def test_what_the_service_does_not_take_is_a_row(services):
    order(services)
    mq = Mq(RUNS)
    mq.refuses = True
    assert rebooted(services, mq) is False
    assert "Amazon MQ did not take it: " in str(answer(services).error)
    assert answer(services).done_at_s is None


def test_an_order_that_comes_late_is_not_carried_out(services):
    order(services, in_s=-5.0)
    mq = Mq(RUNS)
    assert rebooted(services, mq) is False
    assert "its order came 5." in str(answer(services).error)
    assert mq.asked == []


@pytest.mark.parametrize(
    ("limit", "states", "error"), [("BEGINS_S", (RUNS,), NOT_BEGUN), ("REBOOT_S", (REBOOT,), NOT_BACK)]
)
def test_one_that_does_not_begin_or_end_is_not_waited_for_for_ever(
    services, monkeypatch, limit, states, error
):
    monkeypatch.setattr(step, limit, 0.2)
    order(services)
    assert rebooted(services, Mq(*states)) is False
    found = answer(services)
    assert (found.error, found.back_at_s) == (error, None)
    assert found.done_at_s is not None


def test_a_case_that_ends_before_an_order_is_not_waited_for(services):
    services.state("run").update(all_loaders_item("case", 1), reason="a loader is missing")
    assert rebooted(services, Mq(RUNS)) is False
    assert orders(services).answered("case", 1) == {}
