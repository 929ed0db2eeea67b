"""Messages in flight are asked for while a loader is connected; who never tells a name is none for long."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from breakeven.brokers.access import Access, Node
from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.targets.rabbitmq import rabbitmq_target
from breakeven.targets.rabbitmq.rabbitmq_management import Connection
from breakeven.targets.rabbitmq.rabbitmq_single import RabbitMQSingle

NODES = (Node(name="rabbit@a", host="a", amqp_port=5672, management_port=15672),)


class Answers:
    """Stands for the management API: connections are those whose names are given, by their place."""

    def __init__(self) -> None:
        self.names: list[str | None] = []

    def connections(self) -> list[Connection]:
        return [Connection("rabbit@a", name, f"10.0.0.{n}:1 -> a") for n, name in enumerate(self.names)]


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def target(answers, monkeypatch) -> RabbitMQSingle:
    made = RabbitMQSingle(Access(username="u", password="p", nodes=NODES))
    monkeypatch.setattr(made, "_management", answers)
    return made


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(rabbitmq_target.time, "monotonic", lambda: seconds)


def test_an_unnamed_connection_may_be_a_loaders_for_a_while_only(target, answers, monkeypatch):
    answers.names = [None]
    at(monkeypatch, 100.0)
    assert target._has_loaders()
    at(monkeypatch, 100.0 + rabbitmq_target.NAMED_WITHIN_S - 0.1)
    assert target._has_loaders()
    at(monkeypatch, 100.0 + rabbitmq_target.NAMED_WITHIN_S)
    assert not target._has_loaders()
    answers.names = [None, None]
    assert target._has_loaders(), "another has just come"


def test_one_that_tells_its_name_late_is_what_it_says(target, answers, monkeypatch):
    answers.names = [None]
    at(monkeypatch, 100.0)
    assert target._has_loaders()
    at(monkeypatch, 200.0)
    answers.names = [f"{LOADER_CONNECTION}1"]
    assert target._has_loaders()
    answers.names = ["somebody else's", ""]
    assert not target._has_loaders()


def test_ends_that_are_used_again_are_a_connection_of_their_own(target, answers, monkeypatch):
    answers.names = [None]
    at(monkeypatch, 100.0)
    assert target._has_loaders()
    answers.names = []
    at(monkeypatch, 150.0)
    assert not target._has_loaders()
    answers.names = [None]
    at(monkeypatch, 160.0)
    assert target._has_loaders()


@pytest.mark.parametrize(("listed_s", "left"), [(0.0, 3), (4.0, 3), (60.0, 5)])
def test_what_a_loader_held_as_it_closed_is_not_counted_twice(target, answers, monkeypatch, listed_s, left):
    """Two of three messages were in its hands; statistics say so until 5 s later. With one that was lost
    without a close, two are in flight beside the three.
    """
    clock = SimpleNamespace(now_s=0.0)
    clock.monotonic = lambda: clock.now_s
    clock.sleep = lambda seconds: setattr(clock, "now_s", clock.now_s + seconds)
    monkeypatch.setattr(rabbitmq_target, "time", clock)
    declared = SimpleNamespace(method=SimpleNamespace(message_count=3))
    channel = SimpleNamespace(queue_declare=lambda queue, passive: declared)
    monkeypatch.setattr(rabbitmq_target, "open_channel", lambda *_: nullcontext(channel))
    connection = Connection("rabbit@a", LOADER_CONNECTION, "10.0.0.1:1 -> a")
    answers.connections = lambda: [connection] if clock.now_s < listed_s else []
    answers.messages_unacknowledged = lambda _: 2 if clock.now_s < 5.0 or listed_s > 5.0 else 0
    assert target.left(("q",)) == left
