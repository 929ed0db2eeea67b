"""The native client's writing: byte for byte what pika writes, and what is in flight is kept in order."""

from __future__ import annotations

import random

import pika
import pytest
from pika import frame, spec

from breakeven.clients.amqp.encoding import Publishing, acknowledgements
from breakeven.clients.amqp.events import ProtocolError
from breakeven.clients.amqp.in_flight import InFlight
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted.amqp_wire import ack, content, method

SIZES = {"one": [64], "alike": [64] * 5, "mixed": [64, 16, 64], "empty": [0, 0], "long": [4088, 4089, 20_000]}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("persistent", [True, False])
@pytest.mark.parametrize("mandatory", [True, False])
def test_publishes_are_as_pika_writes_them(sizes, persistent, mandatory):
    publishing = Publishing("a-queue", persistent=persistent, mandatory=mandatory, frame_max=4096)
    bodies = [bytes([65 + number]) * size for number, size in enumerate(sizes)]
    head = method(spec.Basic.Publish(exchange="", routing_key="a-queue", mandatory=mandatory))
    mode = 2 if persistent else 1
    expected = b"".join(head + b"".join(content(body, delivery_mode=mode)) for body in bodies)
    assert publishing.encode(bodies) == expected
    assert publishing.encode(bodies) == expected, "and again"


def test_a_size_that_changes_between_batches_is_seen():
    publishing = Publishing("q", persistent=True, mandatory=True, frame_max=4096)
    for size in (16, 32, 16):
        header = frame.Header(1, size, pika.BasicProperties(delivery_mode=2)).marshal()
        assert publishing.encode([b"x" * size]).count(header) == 1


@pytest.mark.parametrize("size", [16, 17, 1024, 4088, 4089, 100_000])
@pytest.mark.parametrize("first", [0, 4000, 4096 * 7 - 3])
def test_bodies_that_differ_in_their_stamps_are_written_as_others_are(size, first):
    publishing, general = (Publishing("q", persistent=True, mandatory=True, frame_max=4096) for _ in range(2))
    stamper, other = Stamper("test", 1, size), Stamper("test", 2, size + 1)
    for count in (1, 2, 5, 23, 24, 60, 200, 400, 23, 1):
        for bodies in (stamper.bodies(first, count), other.bodies(first, count)):
            assert publishing.encode(bodies) == general.encode(list(bodies))


def test_acknowledgements_are_as_pika_writes_them():
    tags = [1, 2, 255, 2**40]
    assert acknowledgements(tags) == b"".join(map(ack, tags))
    assert acknowledgements([7]) == ack(7)
    for many in (range(250, 300), tuple(range(9000, 9100, 2)), [*range(99), 2**40]):
        assert acknowledgements(many) == b"".join(map(ack, many))


def stamps(numbers):
    return [b"%016d" % number for number in numbers]


def flying(count: int) -> InFlight:
    in_flight = InFlight()
    in_flight.add(range(100, 100 + count), 5, stamps(range(count)))
    return in_flight


def taken(in_flight: InFlight, tag: int, multiple: bool) -> list[int]:
    """The sequences that an answer is about."""
    runs = in_flight.take(tag, multiple)
    return [run.sequence + index for run in runs for index in range(run.count)]


def test_answers_take_what_they_are_about():
    in_flight = flying(10)
    assert taken(in_flight, 1, False) == [100]
    assert taken(in_flight, 4, False) == [103], "out of order"
    found = in_flight.take(5, True)
    assert [(run.sequence, run.count, run.sent_ns) for run in found] == [(101, 2, 5), (104, 1, 5)]
    assert [stamp for run in found for stamp in run.stamps()] == stamps([1, 2, 4])
    assert taken(in_flight, 3, True) == [], "all of them are answered"
    assert taken(in_flight, 0, True) == [105, 106, 107, 108, 109], "0 is all there are"
    assert (len(in_flight), in_flight.oldest_ns) == (0, None)
    in_flight.add([7, 3], 9, stamps([7, 3]))
    assert taken(in_flight, 12, False) == [3]
    assert taken(in_flight, 11, False) == [7]


@pytest.mark.parametrize(
    ("tag", "multiple", "said"),
    [(11, False, "not published"), (11, True, "not published"), (0, False, "second"), (2, False, "second")],
)
def test_answers_that_cannot_be_are_refused(tag, multiple, said):
    in_flight = flying(10)
    in_flight.take(2, False)
    with pytest.raises(ProtocolError, match=said):
        in_flight.take(tag, multiple)


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_answers_takes_each_message_once(seed):
    chance, in_flight, model = random.Random(seed), InFlight(), {}
    published = 0
    for _ in range(3000):
        if not model or chance.random() < 0.3:
            count = chance.randint(1, 40)
            in_flight.add(range(published, published + count), published, stamps(range(count)))
            model.update({published + 1 + n: published + n for n in range(count)})
            published += count
        else:
            tag, multiple = chance.choice(list(model)[:50]), chance.random() < 0.2
            about = [one for one in model if one == tag or (multiple and one <= tag)]
            assert taken(in_flight, tag, multiple) == [model.pop(one) for one in about]
        assert len(in_flight) == len(model)
