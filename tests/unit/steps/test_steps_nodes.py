"""Stopping a case's nodes and having them back: which instances, what is waited for, what ends the wait."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from breakeven.brokers.access import Access, Node
from breakeven.errors import CaseError
from breakeven.results import layout
from breakeven.results.items import lane_item
from breakeven.steps.case import nodes_down
from breakeven.steps.case.case_rows import flags_of
from breakeven.steps.case.nodes_down import await_nodes, start_nodes, stop_nodes
from breakeven.steps.case.settle_case import _check_nodes_down
from breakeven.steps.lane import establish_lane
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from tests.support.aws.moto_results import services_in_moto
from tests.support.aws.one_page import OnePage
from tests.support.cases import case_with, workload_with

RUN, PAIR = "run-1", "rabbitmq-mirrored-pair"


def case_of(nodes_down: int) -> Case:
    return case_with(workload_with(client="native", nodes_down=nodes_down), run_id=RUN, target=PAIR)


class Ec2(OnePage):
    """Instances that take ``looks`` looks to stop; writes down what it was asked."""

    def __init__(self, looks: int = 2, state: str = "running") -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self._looks, self._state = looks, state

    def stop_instances(self, InstanceIds: list[str]) -> None:
        self.asked.append(("stop", InstanceIds))
        self._state = "stopping"

    def start_instances(self, InstanceIds: list[str]) -> None:
        assert self._state != "stopping", "EC2 would refuse that"
        self.asked.append(("start", InstanceIds))
        self._state = "pending"

    def describe_instances(self, Filters: list[dict[str, Any]]) -> dict[str, Any]:
        ((_, ids),) = [each.values() for each in Filters]
        self.asked.append(("look", ids))
        if self._state == "stopping":
            self._looks -= 1
            self._state = "stopping" if self._looks else "stopped"
        instances = [{"InstanceId": each, "State": {"Name": self._state}} for each in ids]
        return {"Reservations": [{"Instances": instances}]}


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    for module in (nodes_down, establish_lane):
        monkeypatch.setattr(module, "POLL_S", 0.01)
    with mock_aws():
        made = services_in_moto()
        register(made, "i-b", "second")
        register(made, "i-a", "first")
        establish_lane._gather_nodes(made, RUN, PAIR, 2)
        yield made


def register(services: Services, instance: str, name: str) -> None:
    if not services.store.keys(layout.access_key(RUN, PAIR)):
        credentials = Access(username="u", password="p")
        services.store.put_secret(layout.access_key(RUN, PAIR), credentials.model_dump_json())
    node = Node(name=name, host="127.0.0.1", amqp_port=1, management_port=1)
    services.store.put_bytes(
        f"{layout.nodes_prefix(RUN, PAIR)}{instance}.json", node.model_dump_json().encode()
    )


def planned(services: Services, nodes_down: int) -> None:
    case = case_of(nodes_down)
    services.store.put_json(layout.case_key(RUN, case.case_id), case.model_dump(mode="json"))


def test_the_instance_that_is_stopped_is_that_of_the_node_that_nobody_is_sent_to(services: Services) -> None:
    planned(services, 1)
    access = services.access(RUN, PAIR)
    assert access
    assert [node.name for node in access.left(0).nodes] == ["first", "second"]
    assert [node.name for node in access.left(1).nodes] == ["first"]
    ec2 = Ec2()
    assert stop_nodes(services, ec2, RUN, "case") == ["i-b"], "the one that the second node is on"
    assert ec2.asked == [("stop", ["i-b"]), ("look", ["i-b"]), ("look", ["i-b"])], "and it is awaited"


def test_it_is_started_once_it_has_stopped(services: Services) -> None:
    planned(services, 1)
    ec2 = Ec2(looks=3, state="stopping")
    assert start_nodes(services, ec2, RUN, "case") == ["i-b"]
    assert [what for what, _ in ec2.asked] == ["look", "look", "look", "start"]


def test_an_answer_that_leaves_an_instance_out_does_not_say_that_it_has_stopped(services: Services) -> None:
    planned(services, 1)

    class Forgetful(Ec2):
        def describe_instances(self, Filters: list[dict[str, Any]]) -> dict[str, Any]:
            answer = super().describe_instances(Filters)
            return answer if self._state == "stopped" else {"Reservations": []}

    ec2 = Forgetful(looks=3)
    stop_nodes(services, ec2, RUN, "case")
    assert ec2._state == "stopped"


def test_one_that_does_not_stop_is_reported(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_down, "STOP_TIMEOUT_S", 0.05)
    planned(services, 1)
    for step in (stop_nodes, start_nodes):
        with pytest.raises(CaseError, match="i-b: stopping after"):
            step(services, Ec2(looks=10**6, state="stopping"), RUN, "case")


@pytest.mark.parametrize("down", [0, 2])
def test_no_case_stops_none_or_all(services: Services, down: int) -> None:
    planned(services, down)
    ec2 = Ec2()
    with pytest.raises(CaseError, match=f"cannot take {down} of 2 nodes down"):
        stop_nodes(services, ec2, RUN, "case")
    assert ec2.asked == []


def test_a_lane_that_never_came_up_has_nothing_to_stop(services: Services) -> None:
    planned(services, 1)
    services.state(RUN).update(lane_item(PAIR), nodes_on=[])
    with pytest.raises(CaseError, match="of 0 nodes"):
        stop_nodes(services, Ec2(), RUN, "case")


class Target:
    """Lacks something for so many looks."""

    def __init__(self, looks: int) -> None:
        self._left = itertools.chain(["second is not running"] * looks, itertools.repeat(None))

    def lacking(self) -> str | None:
        return next(self._left)


def test_nodes_are_awaited_until_nothing_is_lacking(services: Services, monkeypatch: Any) -> None:
    target = Target(3)
    monkeypatch.setattr(Services, "target", lambda *_: target)
    await_nodes(services, RUN, PAIR)
    assert target.lacking() is None


def test_nodes_that_do_not_come_back_are_reported(services: Services, monkeypatch: Any) -> None:
    monkeypatch.setattr(nodes_down, "REJOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(Services, "target", lambda *_: Target(10**6))
    with pytest.raises(CaseError, match=f"{PAIR}: second is not running, 0 s after its nodes were started"):
        await_nodes(services, RUN, PAIR)


def test_a_node_that_cannot_start_again_ends_the_wait_at_once(services: Services, monkeypatch: Any) -> None:
    monkeypatch.setattr(Services, "target", lambda *_: Target(10**6))
    services.store.put_bytes(f"{layout.nodes_prefix(RUN, PAIR)}i-b.failed", b"no disk")
    with pytest.raises(CaseError, match="a broker node could not start: no disk"):
        await_nodes(services, RUN, PAIR)


@pytest.mark.parametrize(
    ("down", "before", "after", "flags"),
    [
        (0, 1, 1, []),
        (0, 1, 0, ["mirrors_out_of_sync"]),
        (1, 0, 0, ["nodes_down"]),
        (1, 0, None, ["nodes_down"]),
    ],
)
def test_no_mirror_is_right_when_its_node_is_down_and_then_it_is_said(
    down: int, before: int, after: int | None, flags: list[str]
) -> None:
    looked = {"before": {"q": before}, "after": None if after is None else {"q": after}}
    assert list(flags_of(case_of(down), None, "measured", "aws", looked)) == flags


def test_a_mirror_on_a_node_that_should_be_down_fails_the_case() -> None:
    _check_nodes_down(case_of(1), {"q": 0})
    _check_nodes_down(case_of(0), {"q": 1})
    with pytest.raises(CaseError, match="a node that was to be down for the whole case has a mirror"):
        _check_nodes_down(case_of(1), {"q": 0, "r": 1})
