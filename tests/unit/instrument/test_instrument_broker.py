"""Queues that do to messages what the program says, seen by the loader's own ledger."""

from __future__ import annotations

import time

import pytest

from breakeven.instrument import broker as module
from breakeven.instrument.broker import Broker, Message
from breakeven.instrument.fates import Fate
from breakeven.instrument.program import Program
from breakeven.loadgen.ledger.ledger import LoaderLedger
from breakeven.loadgen.ledger.stamp import Stamper

TAG = "test"


def programmed(messages, **fields):
    return Program(protocol="amqp", messages=messages, **fields)


class Bench:
    """Producers that take turns on one queue, and receivers that do."""

    def __init__(self, program, producers=1, receivers=1):
        self.broker = Broker(program)
        self.queue = self.broker.queue("q")
        self.stampers = [Stamper(TAG, number, 32) for number in range(producers)]
        self.ledger = LoaderLedger(TAG, producers, range(producers))
        self.highest = [{} for _ in range(receivers)]
        self.published = 0

    def publish(self, count):
        for _ in range(count):
            producer = self.published % len(self.stampers)
            self.published += 1
            body = self.stampers[producer].body(self.ledger.submitted(producer))
            self.broker.publish("q", body, b"", time.monotonic_ns())

    def take(self, receiver):
        message = self.queue.take(receiver)
        if message is not None:
            self.ledger.receive([message.body[:16]], [message.receives > 1], self.highest[receiver])
        return message

    def drain(self):
        """Receivers take one each in turn, until there is none for anyone."""
        taken = True
        while taken:
            taken = [message for receiver in range(len(self.highest)) if (message := self.take(receiver))]

    def counts(self):
        ledger = self.ledger.snapshot()
        received = sum(len(numbers) for numbers in ledger.received.values())
        return received, ledger.duplicates, ledger.out_of_order, ledger.redelivered


@pytest.mark.parametrize(("producers", "receivers"), [(1, 1), (3, 1), (1, 4), (5, 3), (8, 20)])
@pytest.mark.parametrize("at_once", [1, 8, 4000])
def test_the_ledger_counts_what_was_programmed(producers, receivers, at_once):
    """However many drain the queue, and whether they do it at once or afterwards."""
    bench = Bench(programmed(4000, lost=7, duplicated=5, reordered=30), producers, receivers)
    for _ in range(0, 4000, at_once):
        bench.publish(at_once)
        if at_once < 4000:
            bench.drain()
    bench.drain()
    assert bench.counts() == (4000 - 7, 5, 30, 0)
    done = bench.broker.notes.to_json()
    assert (done["lost"], done["duplicated"], done["reordered"]) == (7, 5, 30)


def test_returned_and_refused_messages_are_not_delivered():
    bench = Bench(programmed(1000, returned=4, nacked=6))
    bench.publish(1000)
    bench.drain()
    assert bench.counts()[0] == 990


def test_beyond_the_program_a_message_is_an_ordinary_one():
    bench = Bench(programmed(100, lost=3, duplicated=2))
    bench.publish(500)
    bench.drain()
    assert bench.counts() == (497, 2, 0, 0)


def test_one_that_nothing_follows_goes_by_itself_and_is_not_called_reordered(monkeypatch):
    bench = Bench(programmed(4))
    late = Message(0, bench.stampers[0].body(0), b"")
    bench.queue.add(late, Fate.REORDERED, time.monotonic_ns())
    assert bench.queue.take(0) is None
    assert len(bench.queue) == 1
    monkeypatch.setattr(module, "QUIET_NS", -1)
    assert bench.queue.take(0) is late
    assert bench.broker.notes.to_json()["reordered"] == 0


def test_what_only_a_receiver_was_to_get_goes_to_another_once_it_has_left():
    bench = Bench(programmed(4), receivers=2)
    bodies = [bench.stampers[0].body(number) for number in range(2)]
    bench.queue.add(Message(0, bodies[0], b""), Fate.REORDERED, time.monotonic_ns())
    bench.queue.add(Message(1, bodies[1], b""), None, time.monotonic_ns())
    assert bench.queue.take(0).number == 1
    assert bench.queue.take(1) is None
    bench.broker.leave(0)
    assert bench.queue.take(1).number == 0


def test_what_is_put_back_comes_first_and_is_seen_to_be_redelivered():
    bench = Bench(programmed(100))
    bench.publish(3)
    first = bench.take(0)
    bench.queue.put_back(first)
    bench.drain()
    assert bench.counts() == (3, 1, 0, 1)


def test_a_later_one_that_is_redelivered_does_not_make_an_earlier_one_late():
    """The ledger does not count it so: only a first delivery moves on what a consumer has seen."""
    bench = Bench(programmed(4))
    bodies = [bench.stampers[0].body(number) for number in range(3)]
    later = Message(1, bodies[1], b"")
    bench.queue.add(later, None, time.monotonic_ns())
    assert bench.queue.take(0) is later
    bench.queue.add(Message(0, bodies[0], b""), Fate.REORDERED, time.monotonic_ns())
    bench.queue.put_back(later)
    assert bench.queue.take(0) is later
    assert bench.queue.take(0) is None
    bench.queue.add(Message(2, bodies[2], b""), None, time.monotonic_ns())
    assert [bench.queue.take(0).number for _ in range(2)] == [2, 0]


class Waiting:
    def __init__(self, room):
        self.room, self.got = room, []

    @property
    def key(self):
        return self

    @property
    def wants(self):
        return len(self.got) < self.room

    def hand(self, message):
        self.got.append(message.number)


def test_those_who_wait_are_handed_messages_in_turn_as_far_as_they_have_room():
    bench = Bench(programmed(100))
    bench.publish(2)
    small, large = Waiting(2), Waiting(10)
    bench.queue.wait(small)
    bench.queue.wait(large)
    bench.publish(4)
    assert (small.got, large.got) == ([0, 1], [2, 3, 4, 5])
    bench.queue.forget(large)
    bench.publish(1)
    assert len(bench.queue) == 1
