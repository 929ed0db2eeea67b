"""Reboot of a broker of Amazon MQ as the workflow's step has it: asked for once, followed, answered."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from breakeven.agent.node_orders import FaultAnswer
from breakeven.planning.budget.planning_assumptions import ORDER_LOOKS_PER_S
from breakeven.planning.execution_limits import REBOOT_CALL_S
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from breakeven.results.items import all_loaders_item, lane_item
from breakeven.steps.case import case_faults
from breakeven.steps.case import reboot_broker as step
from breakeven.steps.case.case_faults import FAILED_REBOOT_WAIT_S, await_answers
from breakeven.steps.case.fail_case import STOP_TIMEOUT_S
from breakeven.steps.case.reboot_broker import BEGINS_S, NOT_BACK, NOT_BEGUN, POLL_S, reboot_broker
from breakeven.workload.node_faults import REBOOT_S
from handlers.case.reboot_broker import RESERVE_S
from infra.functions.step_table import STEPS
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with
from tests.support.workflow.step_clock import Clock

TARGET, BROKER_ID = "amazon-mq-cluster", "b-1"
REBOOT, RUNS, CRITICAL = "REBOOT_IN_PROGRESS", "RUNNING", "CRITICAL_ACTION_REQUIRED"
THROTTLED = ClientError({"Error": {"Code": "TooManyRequestsException"}}, "DescribeBroker")
UNKNOWN = ClientError({"Error": {"Code": "ForbiddenException"}}, "DescribeBroker")
REFUSED = ClientError(
    {"Error": {"Code": "BadRequestException", "Message": "it is being created"}}, "RebootBroker"
)
NO_ANSWER = ReadTimeoutError(endpoint_url="https://mq.us-east-1.amazonaws.com")
#: of one call, seconds
CALL_S = 885.0


class Mq:
    """The service, whose states are given one after another, or errors; the last one stays."""

    def __init__(self, *states: str | Exception, answers: Exception | None = None) -> None:
        self.asked: list[str] = []
        self._states, self._answers = list(states), answers

    def reboot_broker(self, BrokerId: str) -> Any:
        self.asked.append(BrokerId)
        if self._answers:
            raise self._answers
        return {}

    def describe_broker(self, BrokerId: str) -> Any:
        state = self._states.pop(0) if len(self._states) > 1 else self._states[0]
        if isinstance(state, Exception):
            raise state
        return {"BrokerId": BrokerId, "BrokerState": state}


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(step, "time", made)
    return made


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        case = case_with(workload_with(faults=[{"at_s": 1, "kind": "reboot"}], measure_s=60), target=TARGET)
        found.store.put_json(layout.case_key("run", "case"), case.model_dump(mode="json"))
        found.state("run").update(lane_item(TARGET), broker_id=BROKER_ID)
        yield found


def orders(services) -> FaultOrders:
    return FaultOrders(services.store, "run", TARGET)


def order(services, due_at_s: float) -> FaultOrder:
    made = FaultOrder(
        case_id="case",
        attempt=1,
        number=1,
        kind="reboot",
        aimed_at="broker",
        node="the broker",
        due_at_s=due_at_s,
        for_s=0.0,
        in_sync=True,
    )
    orders(services).give(made)
    return made


def rebooted(services, mq: Mq, seconds_left: float = CALL_S) -> bool:
    return reboot_broker(services, mq, "run", "case", 1, seconds_left)


def answer(services) -> FaultAnswer:
    return orders(services).answered("case", 1)[1]


def test_a_broker_is_rebooted_at_its_instant_and_back_when_it_runs_again(services, clock):
    given, mq = order(services, clock.now_s + 2), Mq(RUNS, REBOOT, REBOOT, RUNS)
    assert rebooted(services, mq) is False
    found = answer(services)
    assert (mq.asked, found.over, found.error) == ([BROKER_ID], True, None)
    assert found.done_at_s == given.due_at_s
    assert found.back_at_s == pytest.approx(given.due_at_s + 3 * POLL_S, abs=POLL_S)


@pytest.mark.parametrize("back", [RUNS, CRITICAL])
def test_a_broker_in_a_critical_state_runs(services, clock, back):
    """Amazon MQ Developer Guide, "Amazon MQ broker statuses": that state is not the reboot, and a broker
    that comes back in it is no longer away.
    """
    given = order(services, clock.now_s + 2)
    assert rebooted(services, Mq(RUNS, CRITICAL, RUNS, REBOOT, back, REBOOT)) is False
    found = answer(services)
    assert found.error is None
    assert found.back_at_s == pytest.approx(given.due_at_s + 5 * POLL_S, abs=POLL_S)


def test_a_call_that_comes_after_another_goes_on_where_that_ended(services, clock):
    order(services, clock.now_s + 2)
    assert rebooted(services, Mq(RUNS, REBOOT), BEGINS_S + 20) is True, "the case goes on"
    assert answer(services).over is False
    mq = Mq(RUNS)
    assert rebooted(services, mq) is False
    assert mq.asked == [], "nothing is asked for twice"
    assert answer(services).back_at_s == pytest.approx(clock.now_s)


@pytest.mark.thorough
def test_a_call_ends_where_what_it_asks_for_might_begin_after_it_and_be_taken_for_over(services, clock):
    began_s, mq = clock.now_s, Mq(RUNS, REBOOT, RUNS)
    assert rebooted(services, mq) is True
    assert clock.now_s == pytest.approx(began_s + CALL_S - BEGINS_S, abs=1)
    order(services, clock.now_s + 2)
    assert rebooted(services, mq) is False
    assert (mq.asked, answer(services).error) == ([BROKER_ID], None)


def test_calls_are_as_long_as_the_plan_takes_them_to_be():
    assert STEPS["RebootBroker"].limit_s - RESERVE_S - BEGINS_S >= REBOOT_CALL_S


@pytest.mark.parametrize("unsaid", [THROTTLED, UNKNOWN, NO_ANSWER])
def test_a_service_that_does_not_say_how_the_broker_is_is_asked_again(services, clock, unsaid):
    order(services, clock.now_s + 2)
    assert rebooted(services, Mq(unsaid, RUNS, unsaid, RUNS, REBOOT, unsaid, RUNS)) is False
    found = answer(services)
    assert (found.error, found.back_at_s) == (None, pytest.approx(found.done_at_s + 7 * POLL_S, abs=POLL_S))


@pytest.mark.parametrize("lost", [NO_ANSWER, REFUSED])
def test_one_that_was_taken_without_an_answer_is_followed(services, clock, lost):
    """The second of two calls is refused, as the broker reboots by the first."""
    given = order(services, clock.now_s + 2)
    mq = Mq(REBOOT, REBOOT, RUNS, answers=lost)
    assert rebooted(services, mq) is False
    found = answer(services)
    assert (mq.asked, found.error, found.done_at_s) == ([BROKER_ID], None, given.due_at_s)
    assert found.back_at_s > found.done_at_s


def test_what_the_service_does_not_take_is_a_row(services, clock):
    order(services, clock.now_s + 2)
    assert rebooted(services, Mq(RUNS, answers=REFUSED)) is False
    assert "Amazon MQ did not take it: " in str(answer(services).error)
    assert answer(services).done_at_s is None


def test_an_order_that_comes_late_is_not_carried_out(services, clock):
    order(services, clock.now_s - 5)
    mq = Mq(RUNS)
    assert rebooted(services, mq) is False
    assert "its order came 5.0 s late" in str(answer(services).error)
    assert mq.asked == []


def test_one_that_does_not_begin_is_not_waited_for_for_ever_and_was_not_done(services, clock):
    given = order(services, clock.now_s + 2)
    assert rebooted(services, Mq(RUNS)) is False
    found = answer(services)
    assert (found.error, found.back_at_s, found.done_at_s) == (NOT_BEGUN, None, None)
    assert clock.now_s == pytest.approx(given.due_at_s + BEGINS_S, abs=2 * POLL_S)


@pytest.mark.parametrize(
    ("state", "said"),
    [(REBOOT, REBOOT), ("CREATION_FAILED", "CREATION_FAILED"), (THROTTLED, "not known")],
)
def test_one_that_does_not_end_is_not_waited_for_for_ever(services, clock, state, said):
    given = order(services, clock.now_s + 2)
    assert rebooted(services, Mq(state)) is False
    found = answer(services)
    assert found.error == f"{NOT_BACK}: its state is {said}"
    assert (found.back_at_s, found.done_at_s) == (None, given.due_at_s)
    assert clock.now_s == pytest.approx(given.due_at_s + REBOOT_S, abs=2 * POLL_S)


def test_a_case_that_fails_meanwhile_waits_for_as_long_as_a_reboot_may_take(services, clock, monkeypatch):
    monkeypatch.setattr(case_faults, "time", clock)
    monkeypatch.setattr(case_faults, "POLL_S", 20.0)
    given = order(services, clock.now_s + 2)
    orders(services).answer(given, FaultAnswer(over=False, done_at_s=given.due_at_s))
    await_answers(services, services.case("run", "case"), 1)
    assert clock.now_s == pytest.approx(given.due_at_s + REBOOT_S, abs=20)
    assert STEPS["FailCase"].limit_s > STOP_TIMEOUT_S + FAILED_REBOOT_WAIT_S + 60


def test_the_bucket_is_listed_once_a_look_and_no_more_once_the_order_is_there(services, clock, monkeypatch):
    listed, keys = [], services.store.keys
    monkeypatch.setattr(services.store, "keys", lambda prefix: listed.append(prefix) or keys(prefix))
    assert rebooted(services, Mq(RUNS), BEGINS_S + 20) is True
    assert len(listed) == 20 * ORDER_LOOKS_PER_S + 1, "once for the answers of a call before it"
    listed.clear()
    order(services, clock.now_s + 2)
    assert rebooted(services, Mq(RUNS, *[REBOOT] * 9, RUNS)) is False
    assert len(listed) == 2


def test_a_case_that_ends_before_an_order_is_not_waited_for(services, clock):
    services.state("run").update(all_loaders_item("case", 1), reason="a loader is missing")
    assert rebooted(services, Mq(RUNS)) is False
    assert orders(services).answered("case", 1) == {}
