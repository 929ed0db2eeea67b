"""The agent of a lane's faults: when it acts, when it leaves a node alone, and what it answers."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

import pytest

from breakeven.agent import order_agent
from breakeven.agent.effects import KILLED
from breakeven.agent.impairment import Impairment
from breakeven.agent.node_orders import FaultAnswer
from breakeven.agent.order_agent import NOT_RUNNING, STILL_TAKEN, FaultAgent
from breakeven.errors import BreakevenError
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from tests.support.aws.moto_results import installed
from tests.support.workflow.processes import eventually

CASE = "kill.threads-4.rabbitmq-quorum-trio.r1"


class Nodes:
    """Nodes that are only names; writes down what is done to them."""

    def __init__(self) -> None:
        self.done: list[tuple[str, str]] = []
        self.running, self.refuses = {"a", "b"}, False
        self.limits = {"memory": "0.4", "disk": "50000000"}
        self.raises, self.ends_in_time = True, True
        self.away: list[frozenset[str]] = []
        self.starts = threading.Event()
        self.starts.set()

    def runs(self, node: str) -> bool:
        return node in self.running

    def signal(self, node: str, number: signal.Signals) -> None:
        self.done.append((number.name, node))

    def shut_down(self, node: str) -> bool:
        self.done.append(("shut down", node))
        return self.ends_in_time

    def restart(self, node: str, away: Callable[[], Collection[str]]) -> None:
        self.away.append(frozenset(away()))
        assert self.starts.wait(60)
        if self.refuses:
            raise BreakevenError("no disk")
        self.done.append(("restart", node))

    def evaluate(self, node: str, expression: str, within_s: float) -> str:
        """As ``rabbitmqctl eval`` of what sets a limit, which waits for its instant."""
        if "disconnect_node" in expression:
            self.done.append(("cut off", node))
            return f"{{{time.time() * 1000:.0f},2,{0 if self.raises else 1}}}"
        due_ms, limit = re.search(r"max\(0, (\d+) - .*:set_\w+\((.+)\), Alarms =", expression).groups()  # type: ignore[union-attr]
        if self.refuses:
            raise BreakevenError("no answer")
        time.sleep(max(0.0, int(due_ms) / 1000 - time.time()))
        resource = "memory" if "vm_memory_monitor" in expression else "disk"
        before, self.limits[resource] = self.limits[resource], limit
        self.done.append((f"{resource} {limit}", node))
        is_raised = self.raises and limit in ("0.0", "1 bsl 60")
        return f"{{{time.time() * 1000:.0f},{str(is_raised).lower()},{before}}}"


class Network:
    """Of nodes that are only names, likewise."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Impairment | None]] = []
        self.refuses = self.stays = False

    def impair(self, node: str, impairment: Impairment, for_s: float) -> float:
        self.done.append((node, impairment))
        if self.refuses:
            raise BreakevenError("no such queueing discipline")
        return time.time()

    def restore(self, node: str) -> float:
        if self.stays:
            raise BreakevenError("rules are left")
        self.done.append((node, None))
        return time.time()


class Lane:
    def __init__(self, services: Any) -> None:
        self.orders = FaultOrders(services.store, "run", "rabbitmq-quorum-trio")
        self.nodes, self.failures = Nodes(), list[tuple[str, str]]()
        self.stopped, self.network = threading.Event(), Network()
        self.agent = FaultAgent(
            self.orders,
            self.nodes,
            lambda *noted: self.failures.append(noted),
            self.stopped.is_set,
            self.network,
        )
        self.agent.start()

    def order(self, number: int = 1, **changes: Any) -> FaultOrder:
        given = {"kind": "kill", "aimed_at": "leader", "node": "a", "for_s": 0.2, "in_sync": True}
        times = {"due_at_s": time.time() + 0.3, "case_id": CASE, "attempt": 1, "number": number}
        made = FaultOrder(**{**given, **times, **changes})
        self.orders.give(made)
        return made

    def answer(self, number: int = 1) -> FaultAnswer:
        """Once it is over."""
        assert eventually(lambda: (found := self.answers().get(number)) and found.over, 20)
        return self.answers()[number]

    def answers(self) -> dict[int, FaultAnswer]:
        return self.orders.answered(CASE, 1)


@pytest.fixture
def lane(monkeypatch):
    monkeypatch.setattr(order_agent, "LOOK_EVERY_S", 0.02)
    # a busy machine may find an order seconds after it was given; one that is 30 s late is late still
    monkeypatch.setattr(order_agent, "LATE_S", 20.0)
    with installed(monkeypatch) as services:
        made = Lane(services)
        yield made
        made.agent.end()
        threads = threading.enumerate
        assert eventually(lambda: not any(each.name.startswith("fault") for each in threads())), (
            "before moto goes"
        )


@pytest.mark.parametrize(
    ("kind", "done"),
    [
        ("kill", [("SIGKILL", "a"), ("restart", "a")]),
        ("stop", [("shut down", "a"), ("restart", "a")]),
        ("rolling-restart", [("shut down", "a"), ("restart", "a")]),
        ("pause", [("SIGSTOP", "a"), ("SIGCONT", "a")]),
        ("memory-alarm", [("memory 0.0", "a"), ("memory 0.4", "a")]),
        ("disk-alarm", [("disk 1 bsl 60", "a"), ("disk 50000000", "a")]),
    ],
)
def test_a_node_is_taken_at_its_instant_and_given_back_after_it(lane, kind, done):
    order = lane.order(kind=kind)
    answer = lane.answer()
    assert lane.nodes.done == done
    assert answer.error is None
    assert order.due_at_s - 0.001 <= answer.done_at_s < order.due_at_s + order_agent.LATE_S
    assert answer.back_at_s >= answer.done_at_s + order.for_s - 0.001


SLOW = Impairment("slow-clients", delay_ms=20.0, mbit_per_s=10.0)


def test_a_network_is_impaired_as_its_order_says_and_restored(lane):
    order = lane.order(kind="slow-clients", network=SLOW)
    answer = lane.answer()
    assert lane.network.done == [("a", SLOW), ("a", None)]
    assert (lane.nodes.done, answer.error) == ([], None)
    assert answer.back_at_s - answer.done_at_s >= order.for_s - 0.01


def test_one_that_could_not_be_impaired_is_restored_as_half_of_it_may_be_in_effect(lane):
    lane.network.refuses = True
    lane.order(kind="slow-clients", network=SLOW)
    answer = lane.answer()
    assert lane.network.done == [("a", SLOW), ("a", None)]
    assert answer.done_at_s is None
    assert answer.error == (
        "its network could not be impaired: no such queueing discipline; its network was restored"
    )


def test_one_that_an_agent_does_not_know_is_not_taken_for_another(lane):
    lane.order(kind="cut-clients")  # as an agent reads it that knows nothing of networks
    assert lane.answer().error == "it could not be done: this agent knows no cut-clients; nothing was"
    assert (lane.nodes.done, lane.network.done, lane.failures) == ([], [], [])


def test_one_that_is_not_restored_ends_the_lane(lane):
    lane.network.stays = True
    lane.order(kind="cut-clients", network=Impairment("cut-clients"))
    assert lane.answer().error == "its network is not as it was: rules are left"
    assert lane.failures == [("a", "rules are left")]


def test_while_the_node_is_away_the_answer_says_since_when(lane):
    lane.order(for_s=60)
    assert eventually(lambda: 1 in lane.answers(), 20)
    answer = lane.answers()[1]
    assert (answer.over, answer.back_at_s, answer.done_at_s is not None) == (False, None, True)


def test_an_order_that_comes_late_is_not_carried_out(lane):
    lane.order(due_at_s=time.time() - 30)
    answer = lane.answer()
    late = re.fullmatch(r"its order came (\d+\.\d) s late", str(answer.error))
    assert late is not None
    assert float(late[1]) >= 30
    assert (answer.done_at_s, answer.back_at_s, lane.nodes.done) == (None, None, [])


def test_a_node_that_does_not_run_is_left_alone(lane):
    lane.nodes.running = {"b"}
    lane.order()
    assert lane.answer().error == NOT_RUNNING
    assert lane.nodes.done == []


def test_a_node_that_another_fault_has_for_long_is_left_to_it(lane, monkeypatch):
    monkeypatch.setattr(order_agent, "BACK_S", 0.1)
    lane.order(kind="pause", for_s=60)
    assert eventually(lambda: 1 in lane.answers(), 20)
    lane.order(2, due_at_s=time.time() + 0.6)
    assert lane.answer(2).error == STILL_TAKEN
    assert lane.nodes.done == [("SIGSTOP", "a")]


@pytest.mark.parametrize("kind", ["kill", "stop"])
def test_one_that_is_due_while_the_node_starts_after_the_fault_before_it_waits_for_that(lane, kind):
    lane.nodes.starts.clear()
    lane.order(kind=kind)
    assert eventually(lambda: lane.nodes.away, 20), "it starts"
    second = lane.order(2, kind="pause", due_at_s=time.time() + 0.2)
    assert eventually(lambda: time.time() > second.due_at_s + 0.5, 20)
    lane.nodes.starts.set()
    answer = lane.answer(2)
    assert answer.error is None
    assert answer.done_at_s > second.due_at_s + 0.5
    assert [what for what, _ in lane.nodes.done][1:] == ["restart", "SIGSTOP", "SIGCONT"]


def test_those_that_wait_for_a_node_have_it_in_the_order_in_which_they_were_due(lane):
    lane.nodes.starts.clear()
    first = lane.order()
    assert eventually(lambda: lane.nodes.away, 20), "it starts"
    numbers, asking, take = [2, 3, 4, 5, 6, 7], set(), lane.agent._take
    lane.agent._take = lambda *of: (asking.add(threading.get_ident()), take(*of))[1]
    for number in reversed(numbers):
        lane.order(number, kind="pause", for_s=0.01, due_at_s=first.due_at_s + 1 + number / 100)
    assert eventually(lambda: len(asking) == len(numbers), 20)
    lane.nodes.starts.set()
    answers = [lane.answer(number) for number in numbers]
    assert [answer.error for answer in answers] == [None] * len(numbers)
    assert sorted(answer.done_at_s for answer in answers) == [answer.done_at_s for answer in answers]


def test_once_given_back_it_may_be_taken_again(lane):
    lane.order()
    lane.answer()
    lane.order(2, kind="pause")
    assert lane.answer(2).error is None


def test_a_node_that_cannot_start_again_is_told_of(lane):
    lane.nodes.refuses = True
    lane.order()
    answer = lane.answer()
    assert (answer.error, answer.back_at_s) == ("the node did not come back: no disk", None)
    assert answer.done_at_s is not None
    assert lane.failures == [("a", "no disk")]


def test_an_alarm_that_a_node_does_not_raise_leaves_its_limit_as_it_was(lane):
    lane.nodes.raises = False
    lane.order(kind="disk-alarm")
    answer = lane.answer()
    assert (answer.done_at_s, answer.error) == (
        None,
        "its alarm could not be raised: a has raised no disk-alarm; its limit was put back",
    )
    assert lane.nodes.limits["disk"] == "50000000"
    assert lane.failures == []


def test_a_node_is_cut_off_and_restarted_to_join_its_peers(lane):
    lane.order(kind="partition", due_at_s=time.time() + 0.05)
    assert lane.answer().error is None
    assert lane.nodes.done == [("cut off", "a"), ("shut down", "a"), ("restart", "a")]


def test_a_node_that_is_still_connected_is_told_of(lane):
    lane.nodes.raises = False
    lane.order(kind="partition")
    answer = lane.answer()
    assert answer.error == (
        "it could not be cut off: a was connected to 2 other nodes, and is to 1; the node was restarted"
    )
    assert (answer.done_at_s, answer.back_at_s) == (None, None)
    assert lane.nodes.done == [("cut off", "a"), ("shut down", "a"), ("restart", "a")]
    assert lane.failures == []


def test_one_that_may_be_half_done_and_cannot_be_undone_is_told_of(lane):
    lane.nodes.raises, lane.nodes.refuses = False, True
    lane.order(kind="partition")
    assert str(lane.answer().error).endswith("and is to 1; the node did not come back: no disk")
    assert lane.failures == [("a", "no disk")]


@pytest.mark.parametrize("kind", ["stop", "rolling-restart", "partition"])
def test_a_node_that_had_to_be_killed_was_not_stopped_in_good_order(lane, kind):
    lane.nodes.ends_in_time = False
    lane.order(kind=kind)
    answer = lane.answer()
    assert answer.error == KILLED
    assert answer.back_at_s > answer.done_at_s


def test_a_node_that_starts_again_waits_for_none_that_a_fault_has(lane):
    lane.order(kind="kill", node="b", for_s=60)
    assert eventually(lambda: lane.nodes.done, 20)
    lane.order(2)
    assert lane.answer(2).error is None
    assert lane.nodes.away == [frozenset("ab")]


def test_an_alarm_that_cannot_be_cleared_is_told_of(lane):
    evaluate = lane.nodes.evaluate

    def raised_once(*asked: Any) -> str:
        answer = evaluate(*asked)
        lane.nodes.refuses = True
        return answer

    lane.nodes.evaluate = raised_once
    lane.order(kind="memory-alarm", for_s=0.2)
    answer = lane.answer()
    assert (answer.error, answer.back_at_s) == ("its alarm could not be cleared: no answer", None)
    assert answer.done_at_s is not None
    assert lane.failures == [("a", "no answer")]


def test_an_alarm_waits_for_a_node_that_a_fault_before_it_gives_back_in_time(lane):
    lane.order(kind="pause", for_s=0.8)
    assert eventually(lambda: lane.nodes.done, 20)
    lane.order(2, kind="memory-alarm", due_at_s=time.time() + 1.6)
    assert lane.answer(2).error is None
    assert [what for what, _ in lane.nodes.done] == ["SIGSTOP", "SIGCONT", "memory 0.0", "memory 0.4"]


def test_an_order_without_a_node_is_a_record(lane):
    lane.order(node=None, error="no node could be chosen")
    lane.order(2)
    lane.answer(2)
    assert set(lane.answers()) == {2}


@pytest.mark.parametrize("by", ["end", "stopped"])
def test_nothing_is_done_once_the_lane_or_the_run_has_ended(lane, by):
    end, kill = lane.agent.end if by == "end" else lane.stopped.set, lane.nodes.signal

    def last(*of: Any) -> None:
        kill(*of)
        end()

    lane.nodes.signal = last
    lane.order(for_s=0.6)
    assert eventually(lambda: 1 in lane.answers(), 20)
    lane.order(2, node="b")
    time.sleep(1.2)
    assert lane.nodes.done == [("SIGKILL", "a")]
    assert not lane.answers()[1].over
