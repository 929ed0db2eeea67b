"""What the tests of the fast path have in common: a case's client, and its stamps."""

from __future__ import annotations

from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted import amqp_wire as wire
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_broker import ScriptedBroker

MS = 1_000_000
WINDOW = 10
#: the case's characters, and a producer whose number takes all of its bits
TAG, PRODUCER = "abcd", (1 << 18) - 2
STAMPER = Stamper(TAG, PRODUCER, wire.SIZE)


def made(broker: ScriptedBroker, **workload: object) -> NativeAmqpClient:
    settings = {"client": "native", "consume": "push", "prefetch": 10, "window": WINDOW, **workload}
    case = make_case(message_bytes=wire.SIZE, **settings)
    return NativeAmqpClient(case.workload, broker.access)
