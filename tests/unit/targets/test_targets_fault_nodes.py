"""Which node a fault is for, by what RabbitMQ's management API says of the case's first queue."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.errors import CaseError
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from breakeven.targets.sqs.sqs_standard import SqsStandard
from breakeven.targets.target import open_target

TRIO, PAIR = "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair"
QUORUM = {"leader": "b", "members": ["a", "b", "c"], "online": ["b", "c"]}
MIRRORED = {"node": "a", "slave_nodes": ["b"], "synchronised_slave_nodes": ["b"]}


def opened(monkeypatch: pytest.MonkeyPatch, target: str, names: str, queue: dict[str, Any]) -> Any:
    monkeypatch.setattr(Management, "queue", lambda self, name: {"name": name, **queue})
    nodes = tuple(Node(name=name, host="h", amqp_port=1, management_port=2) for name in names)
    return open_target(target, Access(username="u", password="p", nodes=nodes))


@pytest.mark.parametrize(
    ("target", "names", "queue", "node", "name"),
    [
        (TRIO, "abc", QUORUM, "leader", "b"),
        (TRIO, "abc", QUORUM, "other", "c"),
        (TRIO, "abc", QUORUM, 1, "a"),
        (TRIO, "abcde", {**QUORUM, "online": ["b", "e"]}, "other", "e"),
        (TRIO, "abc", {**QUORUM, "online": ["b"]}, "other", "a"),
        (PAIR, "ab", MIRRORED, "leader", "a"),
        (PAIR, "ab", MIRRORED, "other", "b"),
        (PAIR, "ab", MIRRORED, 2, "b"),
        ("rabbitmq-single", "a", {"node": "a"}, "leader", "a"),
    ],
)
def test_it_is_the_leaders_another_with_a_replica_or_one_by_its_number(
    monkeypatch, target, names, queue, node, name
):
    assert opened(monkeypatch, target, names, queue).node_for(node, "q") == name


@pytest.mark.parametrize(
    ("queue", "node", "why"),
    [
        ({**QUORUM, "leader": ""}, "leader", "q has no leader"),
        ({"node": "a"}, "other", "no node beside that of the leader of q"),
    ],
)
def test_where_there_is_none_it_is_said(monkeypatch, queue, node, why):
    with pytest.raises(CaseError, match=why):
        opened(monkeypatch, TRIO, "a", queue).node_for(node, "q")


@pytest.mark.parametrize(
    ("target", "queue", "in_sync"),
    [
        (TRIO, QUORUM, False),
        (TRIO, {**QUORUM, "online": ["a", "b", "c"]}, True),
        (PAIR, MIRRORED, True),
        (PAIR, {**MIRRORED, "synchronised_slave_nodes": []}, False),
    ],
)
def test_replicas_are_in_sync_when_none_is_missing(monkeypatch, target, queue, in_sync):
    names = "abc" if target == TRIO else "ab"
    assert opened(monkeypatch, target, names, queue).in_sync(("q", "r")) is in_sync


def test_a_broker_that_does_not_answer_is_an_error_and_no_guess(monkeypatch):
    target = opened(monkeypatch, TRIO, "abc", QUORUM)

    def silent(*_: Any) -> None:
        raise ManagementError("no management API answers")

    monkeypatch.setattr(Management, "queue", silent)
    for ask in (lambda: target.node_for("leader", "q"), lambda: target.in_sync(("q",))):
        with pytest.raises(CaseError, match="no management API answers"):
            ask()


def test_a_service_has_no_node_for_a_fault_and_does_not_know_of_replicas():
    service = object.__new__(SqsStandard)
    assert service.in_sync(("q",)) is None
    with pytest.raises(CaseError, match="sqs-standard has no nodes of ours"):
        service.node_for("leader", "q")
