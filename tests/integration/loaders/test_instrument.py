"""The instrument under real clients: what it is programmed to do it does, and the ledger counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time

import psutil
import pytest

from breakeven.brokers.access import Access, Node
from breakeven.clients.base import Outcome
from breakeven.clients.reference.boto3_client import Boto3Client
from breakeven.clients.sqs.client import SqsClient
from breakeven.errors import CaseError
from breakeven.instrument.process import HOST, Instrument
from breakeven.instrument.program import Latency, Program, Stall, Step
from breakeven.targets.instrument import InstrumentTarget
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from tests.support.loaders.instrument_runs import instrument_case, measured
from tests.support.loaders.messages import body
from tests.support.workflow.processes import alive

CLIENTS = [("amqp", "native"), ("amqp", "pika"), ("sqs", "native"), ("sqs", "boto3")]
FATES = {"lost": 7, "duplicated": 5, "reordered": 3}
LATENCY = Latency(steps=(Step(up_to=0.9, ms=0.2), Step(up_to=1, ms=1)))


def counted(measurement):
    ledger = measurement.ledger
    return ledger.lost, ledger.duplicates, ledger.out_of_order


def instruments():
    """Those that this process has started: it may have adopted others' orphans, which end when they will."""
    found = psutil.Process().children()
    return [each for each in found if alive(each.pid) and "breakeven.instrument" in each.cmdline()]


@pytest.mark.parametrize(("protocol", "client"), CLIENTS)
def test_the_ledger_of_every_client_counts_what_was_programmed(protocol, client):
    program = Program(protocol=protocol, messages=600, publish=LATENCY, deliver=LATENCY, **FATES)
    found, record = measured(instrument_case(program, client=client, producers=3, consumers=2))
    assert counted(found) == (7, 5, 3) == (record["lost"], record["duplicated"], record["reordered"])
    ledger = found.ledger
    assert (ledger.sent, ledger.confirmed, ledger.received) == (600, 600, 593)
    assert (ledger.redelivered, ledger.unexpected, ledger.returned, ledger.nacked) == (0, 0, 0, 0)
    assert (record["publish"]["count"], record["deliver"]["count"]) == (600, program.deliveries)
    # never before its time, however busy the host: the instrument's own and the loader's reading
    assert record["publish"]["took_ms"]["p50"] >= 0.2
    assert found.totals["produce"].cell.latencies.min_ns >= 200_000
    assert found.totals["consume"].cell.latencies.min_ns >= 200_000


@pytest.mark.parametrize("client", ["native", "pika"])
@pytest.mark.parametrize("multiple", [False, True])
def test_returns_refusals_and_confirms_of_many_at_once(client, multiple):
    program = Program(
        protocol="amqp", messages=600, publish=LATENCY, returned=4, nacked=6, multiple=multiple, lost=2
    )
    pushed = {"consume": "push", "prefetch": 50, "message_bytes": 300_000}  # several frames a message
    found, record = measured(instrument_case(program, client=client, **pushed))
    ledger = found.ledger
    assert (ledger.confirmed, ledger.returned, ledger.nacked, ledger.unknown) == (590, 4, 6, 0)
    assert (ledger.received, ledger.lost) == (588, 2)
    assert (record["returned"], record["nacked"]) == (4, 6)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("protocol", "messages", "consuming"),
    [("amqp", 100_000, {"consume": "push", "prefetch": 200}), ("sqs", 20_000, {"wait_s": 1.0})],
)
def test_of_very_many_it_loses_seven_copies_five_and_turns_three_around(protocol, messages, consuming):
    program = Program(protocol=protocol, messages=messages, **FATES)
    found, record = measured(instrument_case(program, producers=4, consumers=2, **consuming))
    assert counted(found) == (7, 5, 3) == (record["lost"], record["duplicated"], record["reordered"])
    assert found.ledger.received == messages - 7
    assert (found.ledger.redelivered, found.ledger.unexpected) == (0, 0)


@pytest.fixture
def sqs():
    instrument = Instrument(Program(protocol="sqs", messages=100, duplicated=2))
    yield instrument
    instrument.stop()


def plain_case(**fields):
    return instrument_case(Program(protocol="sqs", messages=1000), **fields).workload


def test_batches_of_messages_and_of_deletions(sqs):
    batches = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10}
    client = SqsClient(plain_case(**batches), endpoint=f"http://{HOST}:{sqs.port}")
    sender, receiver = client.sender("q"), client.receiver("q")
    sender.submit(range(100), [f"{number:016d}".encode() for number in range(100)])
    answers = sender.poll(0)
    assert set(answers.outcome) == {Outcome.CONFIRMED}
    stamps = []
    while not (found := receiver.receive(1)).empty:
        assert len(found.handle) <= 10
        assert len(receiver.settle(found.handle).handle) == len(found.handle)
        stamps += found.stamp
    assert sorted(set(stamps)) == [f"{number:016d}".encode() for number in range(100)]
    assert len(stamps) == 102
    client.close()


@pytest.mark.parametrize("make", [SqsClient, Boto3Client])
def test_a_long_poll_is_answered_by_the_message_that_comes(sqs, make):
    client = make(plain_case(wait_s=20), endpoint=f"http://{HOST}:{sqs.port}")
    receiver, sender = client.receiver("q"), client.sender("q")
    later = threading.Timer(0.3, lambda: sender.submit([0], [b"x" * 16]))
    later.start()
    found = receiver.receive(30)
    later.join()
    assert (list(found.stamp), list(found.empty)) == ([b"x" * 16], [])
    client.close()


def test_a_call_that_it_does_not_know_is_refused_and_the_connection_stays(sqs):
    api = Boto3Client(plain_case(), endpoint=f"http://{HOST}:{sqs.port}").sender("q")._sqs
    with pytest.raises(api.exceptions.ClientError, match="UnknownOperation"):
        api.list_queues()
    with pytest.raises(api.exceptions.ClientError, match="TooManyEntries"):
        api.delete_message_batch(
            QueueUrl="q", Entries=[{"Id": str(n), "ReceiptHandle": "h"} for n in range(11)]
        )
    assert api.send_message(QueueUrl="q", MessageBody="x" * 16)["MessageId"]


@pytest.fixture
def channel():
    instrument = Instrument(Program(protocol="amqp", messages=1000))
    node = Node(name="n", host=HOST, amqp_port=instrument.port, management_port=0)
    with open_channel(Access(username="u", password="p", nodes=(node,)), [node]) as opened:
        yield opened
    instrument.stop()


def test_what_is_not_acknowledged_comes_back(channel):
    channel.queue_declare("q", durable=True)
    for number in range(4):
        channel.basic_publish("", "q", f"{number:016d}".encode())
    tags = [channel.basic_get("q")[0].delivery_tag for _ in range(4)]
    channel.basic_ack(tags[0])
    channel.basic_nack(tags[1], requeue=True)
    channel.basic_reject(tags[2], requeue=False)
    method, _, body = channel.basic_get("q")
    assert (body, method.redelivered) == (f"{1:016d}".encode(), True)
    assert channel.queue_declare("q", passive=True).method.message_count == 0
    channel.close()
    again = channel.connection.channel()
    bodies = [again.basic_get("q", auto_ack=True)[2] for _ in range(2)]
    assert bodies == [f"{number:016d}".encode() for number in (1, 3)]
    assert again.basic_get("q")[0] is None
    assert again.queue_delete("q").method.message_count == 0


def test_stalls_and_a_rate_hold_answers_back():
    """Of what was answered none came in the stall, nor more than the rate allows: counted by the record."""
    stall = Stall(at_s=0.2, for_s=0.4)
    program = Program(protocol="amqp", messages=300, stalls=(stall,), messages_per_s=400)
    found, record = measured(instrument_case(program, producers=2))
    # closed loop: of two producers at most two messages can have met the stall, and at least one did
    took = record["publish"]["took_ms"]
    assert took["max"] >= 1e3 * stall.for_s / 2
    produced = found.totals["produce"]
    assert produced.stage_s >= 299 / 400 + stall.for_s
    assert found.ledger.closed


def test_it_ends_with_who_started_it():
    code = (
        "import sys; from breakeven.instrument.process import Instrument;"
        "from breakeven.instrument.program import Program;"
        "i = Instrument(Program(protocol='amqp', messages=1));"
        "print(i._process.pid, flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    child = psutil.Process(int(parent.stdout.readline()))
    assert child.is_running()
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 10
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_one_that_was_killed_leaves_no_record_and_its_clients_see_it():
    program = Program(protocol="amqp", messages=10)
    client = InstrumentTarget().client(instrument_case(program).workload)
    client._instrument._process.kill()
    client.close()
    assert client.record is None


@pytest.mark.parametrize(("protocol", "client"), [("amqp", "boto3"), ("sqs", "pika")])
def test_a_client_that_does_not_speak_the_protocol_is_refused(protocol, client):
    workload = instrument_case(Program(protocol=protocol, messages=10), client=client).workload
    with pytest.raises(CaseError, match=f"client {client} does not speak {protocol}"):
        InstrumentTarget().client(workload)
    assert instruments() == []


@pytest.mark.parametrize("client", ["native", "boto3"])
def test_as_many_calls_are_in_flight_as_the_workload_says(client):
    never = Latency(steps=(Step(up_to=1, ms=60_000),))
    case = instrument_case(Program(protocol="sqs", messages=3, publish=never), client=client, in_flight=3)
    opened = InstrumentTarget().client(case.workload)
    sender = opened.sender("queue")
    sender.submit(range(3), [body(number) for number in range(3)])  # does not wait for an answer
    assert sender.poll(0.0).sequence == ()
    sender.close()
    opened.close()


def test_a_case_without_a_program_is_refused():
    workload = plain_case().model_copy(update={"program": None})
    with pytest.raises(CaseError, match="no program"):
        InstrumentTarget().client(workload)


@pytest.mark.parametrize("protocol", ["amqp", "sqs"])
@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\0" * 64,
        b"AMQP\0\0\x09\x01" + b"\xff" * 64,
        b"AMQP\0\0\x09\x01\x01\0\x01\0\0\0\x04\0\x14\0\x28\xce",  # closes a channel that is not open
        b"AMQP\0\0\x09\x01\x02\0\x01\0\0\0\x02\0\0\xce",  # a content header of two bytes
    ],
)
def test_whoever_speaks_something_else_is_sent_away_and_the_others_are_served(protocol, garbage):
    instrument = Instrument(Program(protocol=protocol, messages=10))
    with socket.create_connection((HOST, instrument.port), timeout=10) as stranger:
        stranger.sendall(garbage)
        stranger.shutdown(socket.SHUT_WR)
        while stranger.recv(4096):
            pass
    with socket.create_connection((HOST, instrument.port), timeout=10):
        pass
    instrument.stop()
    assert instrument.record is not None
