"""Messages and windows that are none for the compiled core: where its limits are, and who says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pika import spec

from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.fast_path import Origin, Ours
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.loaders.on_fast_path import PRODUCER, TAG
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_broker import ScriptedBroker, scripted
from tests.support.workflow.processes import eventually

SETTINGS = {"client": "native", "consume": "push", "prefetch": 10}
#: of a body, with a frame_max of 131,072 bytes
FITS, TOO_LARGE = 131_064, 131_065
FRAMES = "messages of 131,065 bytes take several frames: one holds 131,064"


@contextmanager
def connected(
    size: int, window: int, frame_max: int = 131_072
) -> Iterator[tuple[NativeAmqpClient, ScriptedBroker]]:
    with scripted(frame_max=frame_max) as broker:
        workload = make_case(message_bytes=size, window=window, **SETTINGS).workload
        client = NativeAmqpClient(workload, broker.access, frame_max)
        yield client, broker
        client.close()


def origin(size: int) -> Origin:
    stamper = Stamper(TAG, PRODUCER, size)
    return Origin(stamper.tag, PRODUCER, size, stamper.rest, stamper.bodies, 500_000, None)


@pytest.mark.parametrize(
    ("size", "window", "why"),
    [
        (FITS, 10, None),
        (TOO_LARGE, 10, FRAMES),
        (wire.SIZE, 65_536, None),
        (
            wire.SIZE,
            65_537,
            "65,537 messages of a producer may be unanswered: the core keeps 65,536",
        ),
    ],
)
def test_a_sender_says_why_it_leaves_the_core(size: int, window: int, why: str | None) -> None:
    with connected(size, window) as (client, broker):
        sender, given = client.sender(wire.QUEUE), origin(size)
        assert (sender.prepare(given) > 0, sender.fallback) == (why is None, why)
        sender.submit([0], given.bodies(0, 1))
        assert eventually(lambda: sum(map(len, broker.bodies)) == size)


@pytest.mark.parametrize(("size", "why"), [(FITS, None), (TOO_LARGE, FRAMES)])
def test_a_receiver_says_why_it_leaves_the_core(size: int, why: str | None) -> None:
    with connected(size, 10) as (client, broker):
        receiver = client.receiver(wire.QUEUE)
        assert (receiver.expect(Ours(TAG.encode(), 1)), receiver.fallback) == (why is None, why)
        receiver.receive(0.0)
        broker.say(wire.deliver(1, size=size, frame_max=131_072))
        assert eventually(lambda: list(receiver.receive(0.1).handle) == [1])


@pytest.mark.parametrize(("beyond", "is_driven"), [(0, True), (1, False)])
def test_a_message_for_which_the_core_has_no_room_is_said_to_be_one(beyond: int, is_driven: bool) -> None:
    """Frames that hold more than 1 MiB, for which a broker has to be set up."""
    publish = spec.Basic.Publish(exchange="", routing_key=wire.QUEUE, mandatory=True)
    frames = wire.method(publish) + b"".join(wire.content(b""))
    size = (1 << 20) - len(frames) - len(wire.framed(spec.FRAME_BODY, 1, b"")) + beyond
    with connected(size, 10, frame_max=2 << 20) as (client, _):
        sender = client.sender(wire.QUEUE)
        assert (sender.prepare(origin(size)) > 0) == is_driven
        why = f"a message of {size:,} bytes takes 1,048,577 with its frames: the core has room for 1,048,576"
        assert sender.fallback == (None if is_driven else why)


def test_what_is_fetched_is_the_general_paths_by_design() -> None:
    with scripted() as broker:
        workload = make_case(message_bytes=TOO_LARGE, client="native", consume="get").workload
        client = NativeAmqpClient(workload, broker.access)
        receiver = client.receiver(wire.QUEUE)
        assert (receiver.expect(Ours(TAG.encode(), 1)), receiver.fallback) == (False, None)
        client.close()
