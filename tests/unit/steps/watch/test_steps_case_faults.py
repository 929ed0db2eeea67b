"""Faults as the workflow's steps have them: when they are ordered, how long they are awaited, their rows."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from breakeven.agent.effects import BACK_S
from breakeven.agent.node_orders import FaultAnswer
from breakeven.errors import CaseError
from breakeven.results import layout
from breakeven.results.coordinator import GATE_DELAY_S, opening
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import all_loaders_item, case_item, loader_item, loaders_prefix
from breakeven.steps.case import case_faults, fail_case
from breakeven.steps.case.case_faults import (
    FAILED_WAIT_S,
    NOT_ANSWERED,
    NOT_BACK,
    NOT_ITS_TURN,
    NOT_ORDERED,
    Faults,
    await_answers,
    write_faults,
)
from breakeven.steps.case.fail_case import STOP_TIMEOUT_S, fail
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from breakeven.workload.node_faults import MAX_FAULT_S
from infra.functions.step_table import STEPS
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with
from tests.support.workflow.processes import eventually
from tests.support.workflow.step_clock import Clock

TARGET = "rabbitmq-quorum-trio"


class Target:
    """The leader moves on with every look."""

    def __init__(self) -> None:
        self.leaders, self.in_sync_now, self.refuses = iter("abc"), True, False
        self.lacks: str | None = None

    def node_for(self, node: Any, queue: str) -> str:
        if self.refuses:
            raise CaseError("no management API answers")
        return next(self.leaders) if node == "leader" else f"node {node}"

    def in_sync(self, queues: tuple[str, ...]) -> bool:
        if self.in_sync_now is None:
            raise CaseError("no management API answers")
        return self.in_sync_now

    def lacking(self) -> str | None:
        return self.lacks

    def release(self, queues: tuple[str, ...]) -> None:
        """There is no queue."""


@pytest.fixture
def target(monkeypatch) -> Target:
    made = Target()
    monkeypatch.setattr(Services, "target_of", lambda self, case: made)
    return made


@pytest.fixture
def services(monkeypatch, target):
    monkeypatch.setattr(case_faults, "LEAD_S", 0.2)
    monkeypatch.setattr(case_faults, "POLL_S", 0.02)
    with installed(monkeypatch) as found:
        yield found


def fault(at_s: float, node: Any = "leader", for_s: float = 1.0) -> dict[str, Any]:
    return {"at_s": at_s, "kind": "kill", "node": node, "for_s": for_s}


def case_of(services: Services, *given: dict[str, Any], **fields: Any) -> Case:
    made = case_with(workload_with(client="native", faults=given, measure_s=60, **fields), target=TARGET)
    services.store.put_json(layout.case_key("run", "case"), made.model_dump(mode="json"))
    services.state("run").update(case_item("case"), attempt=1, queues=json.dumps(["q"]))
    return made


def orders(services: Services) -> FaultOrders:
    return FaultOrders(services.store, "run", TARGET)


def given(services: Services) -> dict[int, FaultOrder]:
    return orders(services).given("case", 1)


def gate(at_s: float) -> dict[str, dict[str, Any]]:
    """The loader's item, so that the gate opens then."""
    return {loader_item("case", 1, 0): {"gate_start": at_s - GATE_DELAY_S["start"]}}


def test_each_is_ordered_a_moment_before_it_is_due_for_the_leader_of_that_moment(
    services, target, monkeypatch
):
    case, opens_s = case_of(services, fault(1.0), fault(0.1, node=3), warmup_s=0.2), time.time() + 0.3
    ordered_s: dict[int, float] = {}
    give = FaultOrders.give

    def noted(lane: FaultOrders, order: FaultOrder) -> None:
        ordered_s[order.number] = time.time()
        give(lane, order)

    monkeypatch.setattr(FaultOrders, "give", noted)
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow({}, ended=False)
        ordering.follow(gate(opens_s), ended=False)
        ordering.follow(gate(opens_s), ended=False)
        assert eventually(lambda: 1 in given(services), 10)
    assert list(ordered_s) == [2, 1], "the one that is due first"
    for number, order in given(services).items():
        assert ordered_s[number] >= order.due_at_s - case_faults.LEAD_S - 0.05, "not long before"
    first, second = given(services)[1], given(services)[2]
    assert (second.node, second.aimed_at, second.due_at_s) == ("node 3", "3", pytest.approx(opens_s + 0.3))
    assert (first.node, first.aimed_at, first.due_at_s) == ("a", "leader", pytest.approx(opens_s + 1.2))
    assert (first.in_sync, first.error) == (True, None)


def test_after_a_prefill_the_measured_stage_follows_another_gate(services, target):
    case = case_of(services, fault(0.0), prefill=10)
    items = {loader_item("case", 1, 0): {"gate_start": time.time() - 50}}
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(items, ended=False)
        assert not eventually(lambda: given(services), 0.3)
        arrived_s = time.time()
        items[loader_item("case", 1, 0)]["gate_prefilled"] = arrived_s
        ordering.follow(items, ended=False)
        assert eventually(lambda: given(services), 10)
    assert given(services)[1].due_at_s == pytest.approx(arrived_s + GATE_DELAY_S["prefilled"])


def test_a_gate_is_seen_as_the_loaders_see_it():
    items = {f"l{index}": {"gate_start": 10.0 + index} for index in range(3)}
    assert opening("start", items, "all", 4) is None
    assert opening("start", items, "all", 3) == 12.0 + GATE_DELAY_S["start"]
    assert opening("start", {**items, "all": {"reason": "x"}}, "all", 3) == 12.0 + GATE_DELAY_S["start"]
    assert opening("start", items, "all", 100) is None, "of many loaders the first says when"
    assert opening("start", {**items, "all": {"opens_start": 77.0}}, "all", 100) == 77.0


@pytest.mark.parametrize("how", ["ended", "aborted", "left"])
def test_once_the_loaders_have_ended_nothing_more_is_ordered(services, target, how):
    case, opens_s = case_of(services, fault(1.5)), time.time()
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(opens_s), ended=False)
        if how == "ended":
            ordering.follow(gate(opens_s), ended=True)
        if how == "aborted":
            services.state("run").update(all_loaders_item("case", 1), reason="a loader failed")
        if how != "left":
            time.sleep(1.6)
    time.sleep(0.1 if how != "left" else 1.6)
    assert given(services) == {}


def test_a_later_call_of_the_watch_goes_on_where_the_one_before_ended(services, target):
    case, opens_s = case_of(services, fault(0.3), fault(0.9)), time.time()
    for last in (1, 2):
        with Faults(services, case, 1, ("q",)) as ordering:
            ordering.follow(gate(opens_s), ended=False)
            assert eventually(lambda last=last: last in given(services), 10)
    assert [order.node for order in given(services).values()] == ["a", "b"], "each was ordered once"


def test_what_keeps_faults_from_being_ordered_ends_the_watch_with_it(services, target, monkeypatch):
    """Or they would be written down as due after the end. The state is tried again, and orders the rest."""
    case, opens_s = case_of(services, fault(0.0)), time.time()

    def refuse() -> bool:
        raise OSError("the bucket does not answer")

    with Faults(services, case, 1, ("q",)) as ordering:
        monkeypatch.setattr(ordering, "_is_aborted", refuse)
        ordering.follow(gate(opens_s), ended=False)
        assert eventually(lambda: ordering._failure, 10)
        with pytest.raises(OSError, match="does not answer"):
            ordering.follow(gate(opens_s), ended=False)
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(opens_s), ended=False)
        assert eventually(lambda: given(services), 10)


def test_a_node_that_cannot_be_chosen_is_a_row_with_the_reason(services, target):
    target.refuses = True
    case = case_of(services, fault(0.0))
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(time.time()), ended=False)
        assert eventually(lambda: given(services), 10)
        assert ordering.are_over(), "nobody is to answer"
    write_faults(services, case, 1)
    (row,) = services.store.rows("faults", "run", "case")
    assert (row["node"], row["in_sync"]) == (None, None)
    assert row["error"] == "no node could be chosen: no management API answers"


def test_a_sync_that_is_not_known_is_null_and_the_fault_goes_on(services, target):
    target.in_sync_now = None
    case = case_of(services, fault(0.0))
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(time.time()), ended=False)
        assert eventually(lambda: given(services), 10)
    order = given(services)[1]
    assert (order.node, order.in_sync, order.error) == ("a", None, None)


def order_of(number: int = 1, due_at_s: float | None = None) -> FaultOrder:
    due = time.time() if due_at_s is None else due_at_s
    kind: dict[str, Any] = {"kind": "kill", "aimed_at": "leader", "node": "a", "for_s": 1.0, "in_sync": True}
    return FaultOrder(case_id="case", attempt=1, number=number, due_at_s=due, **kind)


ROLLING = {"at_s": 0.1, "kind": "rolling-restart", "for_s": 1.0}


def test_a_rolling_restart_takes_each_node_once_the_one_before_is_back_and_all_is_in_sync(services, target):
    case, lane = case_of(services, ROLLING), orders(services)
    target.lacks = "not all members online of q"
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(time.time()), ended=False)
        assert eventually(lambda: 1 in given(services), 10)
        first = given(services)[1]
        lane.answer(first, FaultAnswer(over=False, done_at_s=first.due_at_s))
        time.sleep(0.3)
        assert set(given(services)) == {1}, "it is away"
        lane.answer(first, FaultAnswer(over=True, done_at_s=first.due_at_s, back_at_s=first.due_at_s + 1))
        time.sleep(0.3)
        assert set(given(services)) == {1}, "a queue has not all its members"
        target.lacks, synced_s = None, time.time()
        assert eventually(lambda: 2 in given(services), 10)
        second = given(services)[2]
        assert second.due_at_s >= synced_s + case_faults.LEAD_S
        back = FaultAnswer(over=True, done_at_s=second.due_at_s, back_at_s=second.due_at_s + 1)
        lane.answer(second, back)
        assert eventually(lambda: 3 in given(services), 10)
        ordering.follow({}, ended=True)
    write_faults(services, case, 1)
    rows = services.store.rows("faults", "run", "case")
    assert [(row["number"], row["aimed_at"], row["node"]) for row in rows] == [
        (number, str(number), f"node {number}") for number in (1, 2, 3)
    ]
    assert rows[0]["due_s"] == 0.1
    assert rows[1]["due_s"] == pytest.approx(0.1 + second.due_at_s - first.due_at_s)


def test_a_node_that_does_not_come_back_ends_a_rolling_restart_and_the_rest_are_rows(services):
    case, lane = case_of(services, ROLLING), orders(services)
    with Faults(services, case, 1, ("q",)) as ordering:
        ordering.follow(gate(time.time()), ended=False)
        assert eventually(lambda: 1 in given(services), 10)
        order = given(services)[1]
        lane.answer(order, FaultAnswer(over=True, done_at_s=order.due_at_s, error="no disk"))
        assert eventually(lambda: not ordering._thread.is_alive(), 10)  # type: ignore[union-attr]
        assert ordering.are_over()
    write_faults(services, case, 1)
    rows = services.store.rows("faults", "run", "case")
    assert [row["error"] for row in rows] == ["no disk", NOT_ITS_TURN, NOT_ITS_TURN]
    assert [row["due_s"] for row in rows] == [0.1] * 3


def test_nodes_are_awaited_until_they_are_back_or_their_time_is_over(services):
    case = case_of(services, fault(1.0), fault(30.0))
    waiting = Faults(services, case, 1, ("q",))
    assert waiting.are_over(), "nothing was ordered"
    orders(services).give(order_of())
    assert not waiting.are_over()
    orders(services).answer(order_of(), FaultAnswer(over=False, done_at_s=1.0))
    assert not waiting.are_over()
    orders(services).answer(order_of(), FaultAnswer(over=True, done_at_s=1.0, back_at_s=2.0))
    assert waiting.are_over()
    orders(services).give(order_of(2, due_at_s=time.time() - BACK_S - 2))
    assert waiting.are_over(), "a node that never comes back keeps nobody"


def test_every_fault_has_a_row_whatever_became_of_it(services):
    case = case_of(services, *(fault(10.0 * number) for number in range(1, 6)))
    lane = orders(services)
    for number in range(1, 5):
        lane.give(order_of(number, due_at_s=100.0 * number))
    lane.answer(order_of(1), FaultAnswer(over=True, done_at_s=100.25, back_at_s=101.5))
    lane.answer(order_of(2), FaultAnswer(over=False, done_at_s=200.25))
    lane.answer(order_of(3), FaultAnswer(over=True, error="it did not run"))
    write_faults(services, case, 1)
    rows = services.store.rows("faults", "run", "case")
    orders_seen = [
        (row["number"], row["due_at_s"], row["done_at_s"], row["back_at_s"], row["error"]) for row in rows
    ]
    assert orders_seen == [
        (1, 100.0, 100.25, 101.5, None),
        (2, 200.0, 200.25, None, NOT_BACK),
        (3, 300.0, None, None, "it did not run"),
        (4, 400.0, None, None, NOT_ANSWERED),
        (5, None, None, None, NOT_ORDERED),
    ]
    assert [(row["due_s"], row["for_s"], row["kind"], row["aimed_at"]) for row in rows] == [
        (10.0 * number, 1.0, "kill", "leader") for number in range(1, 6)
    ]
    assert [row["node"] for row in rows] == ["a"] * 4 + [None]


def test_a_case_without_faults_has_no_rows_and_waits_for_nothing(services):
    case = case_of(services)
    orders(services).give(order_of())
    await_answers(services, case, 1)
    write_faults(services, case, 1)
    assert services.store.keys(layout.rows_prefix("faults", "run")) == []


def test_a_case_that_fails_with_a_node_away_waits_for_it_and_has_its_rows(services, monkeypatch):
    monkeypatch.setattr(fail_case, "POLL_S", 0.01)
    case_of(services, fault(1.0))
    services.state("run").update(loader_item("case", 1, 0), finished=True)
    orders(services).give(order_of())
    back = FaultAnswer(over=True, done_at_s=1.0, back_at_s=2.0)
    threading.Timer(0.5, lambda: orders(services).answer(order_of(), back)).start()
    assert fail(services, "run", "case", "a loader failed")
    (row,) = services.store.rows("faults", "run", "case")
    assert (row["back_at_s"], row["error"]) == (2.0, None)


def test_a_failed_case_waits_for_so_long_and_no_longer(services):
    case = case_of(services, fault(1.0))
    orders(services).give(order_of())
    began_s = time.monotonic()
    await_answers(services, case, 1, wait_s=0.3)
    assert 0.3 <= time.monotonic() - began_s < FAILED_WAIT_S
    assert services.state("run").items(loaders_prefix("case", 1)) == {}


def test_a_failed_case_waits_for_its_faults_to_be_over_though_its_cluster_is_whole(services, monkeypatch):
    """The next one would begin with the network of a node still bad."""
    clock = Clock()
    monkeypatch.setattr(case_faults, "time", clock)
    monkeypatch.setattr(case_faults, "POLL_S", 10.0)
    for_s, due_s = MAX_FAULT_S, clock.now_s + 2
    slow = {"at_s": 1.0, "kind": "slow-clients", "node": 1, "for_s": for_s, "delay_ms": 5.0}
    case, order = case_of(services, slow), order_of(due_at_s=due_s).model_copy(update={"for_s": for_s})
    orders(services).give(order)
    orders(services).answer(order, FaultAnswer(over=False, done_at_s=due_s + BACK_S - 1))
    await_answers(services, case, 1)
    assert clock.now_s >= due_s + BACK_S + for_s
    assert STEPS["FailCase"].limit_s > STOP_TIMEOUT_S + FAILED_WAIT_S + 60
