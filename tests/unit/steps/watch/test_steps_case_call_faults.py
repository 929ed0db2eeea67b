"""Faults of calls as the workflow's steps have them: ordered of the proxy's agent, and written as rows."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from breakeven.agent.node_orders import FaultAnswer
from breakeven.results import layout
from breakeven.results.coordinator import GATE_DELAY_S
from breakeven.results.fault_orders import FaultOrders
from breakeven.results.items import case_item, loader_item
from breakeven.steps.case import case_faults
from breakeven.steps.case.case_faults import (
    NO_PROXY_ANSWERED,
    NOT_ORDERED,
    NOT_OVER,
    PROXY,
    Faults,
    write_faults,
)
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from breakeven.workload.service_faults import ServiceFault
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with
from tests.support.workflow.processes import eventually

QUEUES = ("http://sqs/1/q0", "http://sqs/1/q1")
FAULT = ServiceFault(at_s=0.1, kind="error", status=503, for_s=1.0, percent=12.5, calls=("send", "delete"))


@pytest.fixture
def services(monkeypatch):
    monkeypatch.setattr(case_faults, "LEAD_S", 0.2)
    with installed(monkeypatch) as found:
        yield found


def case_of(services: Services, *faults: ServiceFault) -> Case:
    given = [each.model_dump() for each in faults]
    workload = workload_with(client="native", faults=given, measure_s=60)
    made = case_with(workload, target="sqs-standard")
    services.store.put_json(layout.case_key("run", "case"), made.model_dump(mode="json"))
    services.state("run").update(case_item("case"), attempt=1, queues=json.dumps(QUEUES))
    return made


def orders(services: Services) -> FaultOrders:
    return FaultOrders(services.store, "run", "sqs-standard")


def ordered(services: Services, case: Case) -> None:
    """Its faults are, for a stage that begins now."""
    gate = {loader_item("case", 1, 0): {"gate_start": time.time() - GATE_DELAY_S["start"]}}
    with Faults(services, case, 1, QUEUES) as ordering:
        ordering.follow(gate, ended=False)
        assert eventually(lambda: orders(services).given("case", 1), 10)


def rows(services: Services, case: Case) -> list[dict[str, Any]]:
    write_faults(services, case, 1)
    return list(services.store.rows("faults", "run", "case"))


COUNTS = ("injected_sends", "injected_receives", "injected_deletes", "calls_seen")


def test_the_order_says_what_befalls_which_calls_to_which_queues(services) -> None:
    case = case_of(services, FAULT)
    ordered(services, case)
    order = orders(services).given("case", 1)[1]
    assert (order.calls, order.queues, order.kind, order.for_s) == (FAULT, QUEUES, "error", 1.0)
    assert (order.node, order.aimed_at, order.in_sync) == (PROXY, "send and delete calls", None)


def test_a_row_has_what_met_it_by_the_proxys_count(services) -> None:
    case = case_of(services, FAULT)
    ordered(services, case)
    order = orders(services).given("case", 1)[1]
    counts = {"injected": {"send": 3, "delete": 1}, "seen": 40}
    orders(services).answer(order, FaultAnswer(over=True, done_at_s=1.0, back_at_s=2.0, **counts))
    (row,) = rows(services, case)
    assert [row[name] for name in COUNTS] == [3, 0, 1, 40]
    assert (row["kind"], row["node"], row["error"]) == ("error", PROXY, None)
    assert (row["done_at_s"], row["back_at_s"]) == (1.0, 2.0)


def test_that_no_call_met_it_is_a_count_too(services) -> None:
    case = case_of(services, FAULT)
    ordered(services, case)
    order = orders(services).given("case", 1)[1]
    orders(services).answer(order, FaultAnswer(over=True, done_at_s=1.0, back_at_s=2.0, injected={}, seen=40))
    (row,) = rows(services, case)
    assert [row[name] for name in COUNTS] == [0, 0, 0, 40]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (None, NO_PROXY_ANSWERED),
        (FaultAnswer(over=False, done_at_s=1.0), NOT_OVER),
        (FaultAnswer(over=True, error="the fault proxy has ended"), "the fault proxy has ended"),
    ],
)
def test_what_was_not_counted_is_null_with_the_reason(services, answer, error) -> None:
    case = case_of(services, FAULT)
    ordered(services, case)
    if answer:
        orders(services).answer(orders(services).given("case", 1)[1], answer)
    (row,) = rows(services, case)
    assert (row["error"], [row[name] for name in COUNTS]) == (error, [None] * 4)


def test_one_that_never_became_due_has_a_row(services) -> None:
    (row,) = rows(services, case_of(services, FAULT))
    assert (row["error"], row["due_s"], row["calls_seen"]) == (NOT_ORDERED, 0.1, None)
