"""Mirrored queues with a number of copies: their names, their policy, and when they are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.errors import CaseError
from breakeven.targets.rabbitmq import rabbitmq_target
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import POLICY_DEFINITION
from breakeven.targets.target import open_target, queue_names
from breakeven.workload.case import Case
from tests.support.cases import case_with, workload_with

NODES = tuple(Node(name=name, host="h", amqp_port=1, management_port=2) for name in "abcde")


class Broker:
    """Keeps what it is asked for, in order; of each of its queues so many mirrors are in sync."""

    def __init__(self, mirrors: int) -> None:
        self._mirrors = mirrors
        self.asked: list[tuple[Any, ...]] = []
        self.others: list[dict[str, Any]] = []

    def policies(self) -> list[dict[str, Any]]:
        return self.others

    def set_policy(self, name: str, pattern: str, definition: Any, priority: int = 0) -> None:
        self.asked.append(("policy", name, pattern, dict(definition), priority))

    def delete_policy(self, name: str) -> None:
        self.asked.append(("no policy", name))

    def queue(self, name: str) -> dict[str, Any]:
        return {"name": name, "synchronised_slave_nodes": list("bcde")[: self._mirrors]}

    @contextmanager
    def channel(self, *_: Any) -> Iterator[Broker]:
        yield self

    def queue_delete(self, queue: str) -> None:
        self.asked.append(("delete", queue))

    def queue_declare(self, queue: str, **_: Any) -> None:
        self.asked.append(("declare", queue))


def opened(monkeypatch: pytest.MonkeyPatch, broker: Broker, nodes_down: int = 0) -> Any:
    """A mirrored cluster of five nodes."""
    access = Access(username="u", password="p", nodes=NODES)
    target = open_target("rabbitmq-mirrored-pair", access, nodes_down)
    monkeypatch.setattr(target, "_management", broker)
    monkeypatch.setattr(rabbitmq_target, "open_channel", broker.channel)
    return target


def a_case(copies: int | None) -> Case:
    return case_with(workload_with(group_size=copies, queues=2, producers=2, consumers=2))


def test_the_policy_of_a_number_is_there_before_a_queue_whose_name_it_knows(monkeypatch):
    broker = Broker(mirrors=1)
    prepared = opened(monkeypatch, broker).prepare(a_case(2), attempt=1)
    policy, *rest = broker.asked
    definition = {**POLICY_DEFINITION, "ha-mode": "exactly", "ha-params": 2}
    assert policy == ("policy", "breakeven-mirror-2", "^be-n2-", definition, 1)
    assert [what for what, *_ in rest] == ["delete", "declare"] * 2
    assert prepared.queues == tuple(f"be-n2-{name[3:]}" for name in queue_names(a_case(None), 1))
    assert prepared.mirrors == dict.fromkeys(prepared.queues, 1)


def test_without_a_number_queues_have_the_policy_of_all_nodes_alone(monkeypatch):
    broker = Broker(mirrors=4)
    prepared = opened(monkeypatch, broker).prepare(a_case(None), attempt=1)
    assert [what for what, *_ in broker.asked] == ["delete", "declare"] * 2
    assert prepared.queues == queue_names(a_case(None), 1)


def test_a_policy_is_of_the_queues_of_its_number_and_of_no_others(monkeypatch):
    target = opened(monkeypatch, Broker(mirrors=0))
    names = {copies: target.names(a_case(copies), attempt) for copies in (None, 1, 2) for attempt in (1, 2)}
    found = {copies: [bool(re.match("^be-n2-", name)) for name in each] for copies, each in names.items()}
    assert found == {None: [False, False], 1: [False, False], 2: [True, True]}
    assert all(re.match("^be-", name) for each in names.values() for name in each), "what the lane clears"


@pytest.mark.parametrize(
    ("name", "nodes_down", "mirrors", "in_sync"),
    [
        ("be-12345678-a1-q0", 0, 4, True),
        ("be-12345678-a1-q0", 0, 3, False),
        ("be-12345678-a1-q0", 2, 2, True),
        ("be-n2-12345678-a1-q0", 0, 1, True),
        ("be-n2-12345678-a1-q0", 0, 0, False),
        # of the nodes that are left there are enough for two copies, and not for four
        ("be-n2-12345678-a1-q0", 3, 1, True),
        ("be-n2-12345678-a1-q0", 3, 0, False),
        ("be-n4-12345678-a1-q0", 3, 1, True),
        ("be-n1-12345678-a1-q0", 0, 0, True),
        ("be-n1-12345678-a1-q0", 4, 0, True),
    ],
)
def test_so_many_mirrors_are_due_as_there_are_copies_or_nodes_for_them(
    monkeypatch, name, nodes_down, mirrors, in_sync
):
    assert opened(monkeypatch, Broker(mirrors), nodes_down).in_sync((name,)) is in_sync


def test_a_queue_that_lacks_its_mirror_is_not_ready(monkeypatch):
    monkeypatch.setattr(rabbitmq_target, "IN_SYNC_DEADLINE_S", 0.0)
    with pytest.raises(CaseError, match="no synchronised mirror of be-n3-"):
        opened(monkeypatch, Broker(mirrors=1)).prepare(a_case(3), attempt=1)


def policy(**fields: Any) -> dict[str, Any]:
    return {"name": "of-others", "pattern": ".*", "apply-to": "all", "priority": 0, **fields}


@pytest.mark.parametrize(
    ("copies", "fields", "prevails"),
    [
        (None, {}, True),
        (None, {"priority": -1}, False),
        (None, {"pattern": "^orders"}, False),
        (None, {"apply-to": "exchanges"}, False),
        (None, {"apply-to": "quorum_queues"}, False),
        (None, {"name": "breakeven-mirror"}, False),
        (2, {}, False),
        (2, {"priority": 1}, True),
        (2, {"priority": 1, "pattern": "^be-n2-", "apply-to": "classic_queues"}, True),
        (2, {"priority": 1, "pattern": "^be-n3-"}, False),
        (2, {"priority": 1, "pattern": "(?<name"}, False),
    ],
)
def test_a_policy_of_others_that_would_have_its_way_is_named_before_a_queue_is_made(
    monkeypatch, copies, fields, prevails
):
    broker = Broker(mirrors=4 if copies is None else 1)
    broker.others = [policy(**fields)]
    target = opened(monkeypatch, broker)
    if prevails:
        with pytest.raises(CaseError, match="would follow the policy 'of-others', which another has set"):
            target.prepare(a_case(copies), attempt=1)
    else:
        target.prepare(a_case(copies), attempt=1)
    assert ("declare" in [what for what, *_ in broker.asked]) is not prevails


def test_dismantling_takes_the_policies_of_all_numbers_away(monkeypatch):
    broker = Broker(mirrors=0)
    opened(monkeypatch, broker).dismantle()
    names = ["breakeven-mirror", *(f"breakeven-mirror-{copies}" for copies in range(1, 6))]
    assert broker.asked == [("no policy", name) for name in names]
