"""Which tags are acknowledged, and what goes with each."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.clients.acknowledging import Acknowledging
from breakeven.clients.factory import make_client
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_broker import scripted
from tests.support.workflow.processes import eventually


def acknowledging(**workload: Any) -> Acknowledging:
    settings = {"client": "native", "consume": "push", "prefetch": 50, **workload}
    return Acknowledging(make_case(**settings).workload)


@pytest.mark.parametrize(
    ("every", "count", "tags"),
    [(1, 3, [1, 2, 3]), (3, 2, [2]), (3, 3, [3]), (3, 7, [3, 6, 7]), (10, 5, [5])],
)
def test_each_acknowledgement_is_of_so_many_and_the_last_of_what_is_left(
    every: int, count: int, tags: list[int]
) -> None:
    found = acknowledging(ack_every=every)
    handed_out = list(range(1, count + 1))
    found.handed_out(handed_out)
    acknowledged, up_to = found.settle(handed_out)
    assert (list(acknowledged), up_to) == (tags, every > 1)
    assert not found.holds_others


def test_messages_behind_one_that_is_not_settled_are_settled_one_by_one() -> None:
    found = acknowledging(ack_every=3)
    found.handed_out(range(1, 8))
    assert found.settle([1, 2, 3]) == ([3], True)
    assert found.settle([5, 6]) == ([5, 6], False)
    assert found.holds_others
    assert found.settle([4]) == ([4], True)
    assert found.settle([7]) == ([7], True)
    assert not found.holds_others


def test_nothing_is_settled_where_nothing_is_acknowledged() -> None:
    found = acknowledging(acks=False)
    found.handed_out([1])
    assert found.settle([1]) == ((), False)
    assert not found.holds_others


def test_a_limit_that_is_none_is_asked_for_as_0() -> None:
    with scripted() as broker:
        client = make_client(make_case(client="native", consume="push", prefetch=0).workload, broker.access)
        client.receiver(wire.QUEUE).receive(0.05)
        assert [each.prefetch_count for each in broker.consumes if hasattr(each, "prefetch_count")] == [0]
        client.close()


@pytest.mark.parametrize(
    ("settings", "each", "up_to"),
    [({}, [1, 2, 3, 4], []), ({"ack_every": 3}, [], [3, 4]), ({"acks": False}, [], [])],
)
def test_what_the_native_client_writes(settings: dict[str, Any], each: list[int], up_to: list[int]) -> None:
    with scripted() as broker:
        case = make_case(client="native", consume="push", prefetch=10, message_bytes=wire.SIZE, **settings)
        client = make_client(case.workload, broker.access)
        receiver = client.receiver(wire.QUEUE)
        receiver.receive(0.05)
        broker.say(*(wire.deliver(tag) for tag in (1, 2, 3, 4)))
        handles: list[object] = []
        assert eventually(lambda: handles.extend(receiver.receive(0.05).handle) or len(handles) == 4)
        assert len(receiver.settle(handles).handle) == 4
        client.close()
        assert eventually(lambda: "Channel.Close" in broker.heard)
        assert (broker.acknowledged, broker.acknowledged_up_to) == (each, up_to)
