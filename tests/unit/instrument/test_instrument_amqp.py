"""The instrument's side of an AMQP conversation: the same answers however its peer's bytes are split."""

from __future__ import annotations

import random
import socket
from contextlib import suppress

import pytest
from pika import frame, spec

from breakeven.instrument.amqp import AmqpConnection
from breakeven.instrument.broker import Broker
from breakeven.instrument.loop import Loop
from breakeven.instrument.program import Program
from tests.support.scripted.amqp_wire import HEARTBEAT, content
from tests.support.scripted.amqp_wire import method as said

BODIES = [b"x" * 16, b"y" * 3_000, b""]


def published(body):
    head = said(spec.Basic.Publish(exchange="", routing_key="q", mandatory=True))
    return [head, *content(body, frame_max=1_008, delivery_mode=2, headers={"a": 1})]


CONVERSATION = b"".join(
    [
        frame.ProtocolHeader().marshal(),
        said(spec.Connection.StartOk({}, "PLAIN", "\0u\0p", "en_US"), 0),
        said(spec.Connection.TuneOk(0, 4096, 0), 0),
        said(spec.Connection.Open("/"), 0),
        said(spec.Channel.Open()),
        said(spec.Confirm.Select()),
        *(part for body in BODIES for part in published(body)),
        HEARTBEAT,
        *(said(spec.Basic.Get(queue="q")) for _ in range(4)),
        said(spec.Queue.Declare(queue="q", passive=True)),
    ]
)


def answers(parts):
    """The frames that it answers the parts with, a turn of its loop after each."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        loop, heard = Loop(), b""
        broker = Broker(Program(protocol="amqp", messages=10))
        connection = AmqpConnection(loop, ours, broker, multiple=False)
        for part in parts:
            connection.received(part)
            loop.at(0, lambda: None)  # something is due, so that the turn does not wait
            loop._turn()
            with suppress(BlockingIOError):
                heard += theirs.recv(1 << 20)
    found = []
    while heard:
        size, one = frame.decode_frame(heard)
        found.append(one)
        heard = heard[size:]
    return found


def summary(frames):
    """Methods by name in any order, and the bodies in theirs."""
    names = sorted(one.method.NAME for one in frames if isinstance(one, frame.Method))
    return names, b"".join(one.fragment for one in frames if isinstance(one, frame.Body))


WHOLE = ["Connection.Start", "Connection.Tune", "Connection.OpenOk", "Channel.OpenOk", "Confirm.SelectOk"]
WHOLE += ["Basic.Ack"] * 3 + ["Basic.GetOk"] * 3 + ["Basic.GetEmpty", "Queue.DeclareOk"]


def test_all_at_once():
    frames = answers([CONVERSATION])
    assert summary(frames) == (sorted(WHOLE), b"".join(BODIES))
    headers = [one for one in frames if isinstance(one, frame.Header)]
    assert [(one.body_size, one.properties.headers) for one in headers] == [
        (len(body), {"a": 1}) for body in BODIES
    ]
    assert max(len(one.fragment) for one in frames if isinstance(one, frame.Body)) <= 4096 - 8


def test_byte_by_byte():
    assert summary(answers([bytes((one,)) for one in CONVERSATION])) == (sorted(WHOLE), b"".join(BODIES))


@pytest.mark.parametrize("seed", range(20))
def test_split_at_random(seed):
    dice = random.Random(seed)
    ends = sorted(dice.sample(range(len(CONVERSATION)), dice.randint(1, 30)))
    parts = [CONVERSATION[a:b] for a, b in zip([0, *ends], [*ends, len(CONVERSATION)], strict=True)]
    assert summary(answers([part for part in parts if part])) == (sorted(WHOLE), b"".join(BODIES))


def test_answers_to_a_channel_that_was_closed_meanwhile_are_not_given():
    closing = said(spec.Channel.Close(200, "done", 0, 0)) + said(spec.Connection.Close(200, "done", 0, 0), 0)
    names, bodies = summary(answers([CONVERSATION + closing]))
    assert not {"Basic.GetOk", "Basic.Ack"} & set(names)
    assert bodies == b""
    assert {"Channel.CloseOk", "Connection.CloseOk"} <= set(names)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (said(spec.Basic.Get(queue="q"), 7), 502),
        (said(spec.Basic.Ack(delivery_tag=9)), 502),
        (frame.Body(1, b"x").marshal(), 502),
        (said(spec.Exchange.Declare(exchange="e")), 540),
    ],
)
def test_what_is_wrong_ends_the_connection_with_a_code(wrong, code):
    *_, last = answers([CONVERSATION, wrong])
    assert isinstance(last.method, spec.Connection.Close)
    assert last.method.reply_code == code
