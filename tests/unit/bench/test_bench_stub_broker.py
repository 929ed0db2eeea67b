"""The broker that costs nothing still hands on what it is given, in order, within the prefetch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench import ceiling
from bench.contender_settings import Load, Times
from bench.ours import workload
from bench.rabbitmq_runs import QUEUE
from breakeven.clients.base import Client, Outcome
from breakeven.clients.factory import make_client
from local.children import Children

SIZE, COUNT, BATCH = 64, 1000, 50
LOAD = Load(message_bytes=SIZE, window=100)


@pytest.fixture(params=["native", "pika"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with Children() as children, ceiling.stub(children, SIZE) as (access, _):
        made = make_client(workload(LOAD, Times(1, 1, 1), request.param), access)
        yield made
        made.close()


def test_what_is_published_is_confirmed_and_delivered_once_and_in_order(client: Client) -> None:
    sender, receiver = client.sender(QUEUE), client.receiver(QUEUE)
    stamps: list[bytes] = []
    outcomes: list[Outcome] = []
    tags: list[object] = []
    for first in range(0, COUNT, BATCH):
        numbers = range(first, first + BATCH)
        sender.submit(numbers, [b"%016d" % number + b"." * (SIZE - 16) for number in numbers])
        while len(outcomes) < first + BATCH or len(stamps) < first + BATCH:
            outcomes += sender.poll(0.01).outcome
            got = receiver.receive(0.01)
            assert len(got.handle) <= LOAD.window
            stamps += got.stamp
            tags += got.handle
            receiver.settle(got.handle)
    assert stamps == [b"%016d" % number for number in range(COUNT)]
    assert tags == list(range(1, COUNT + 1))
    assert outcomes == [Outcome.CONFIRMED] * COUNT
