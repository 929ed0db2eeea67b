"""SQS senders whose connection the compiled core drives, and what they leave to the general path."""

from __future__ import annotations

import calendar
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest

from breakeven.clients.base import CallFailed, ConnectionLost
from breakeven.clients.core import digests
from breakeven.clients.fast_path import Origin, SendBatch, Sent, WhenSent
from breakeven.clients.sqs import fast_path_sender as module
from breakeven.clients.sqs.endpoint import Endpoint
from breakeven.clients.sqs.signing import Identity, RequestTemplate, SigningKeys
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted.scripted_http import LOOPBACK, Heard, Reply, answer
from tests.support.scripted.scripted_sqs import CREDENTIALS, QUEUE, client_of, tls_of

MS = 1_000_000
SIZE, PRODUCER = 64, (1 << 18) - 2
STAMPER = Stamper("abcd", PRODUCER, SIZE)
STORED = answer(200, {"MessageId": "m-1", "MD5OfMessageBody": "d"})
REFUSED = answer(400, {"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "no"})
CHUNKED = (
    b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"Messa\r\n0a\r\ngeId":"1"}\r\n0\r\n\r\n'
)


class Driven:
    """A sender on the fast path, and what came of it so far."""

    def __init__(self, sender: object, heard: Heard, times: np.ndarray | None = None) -> None:
        self.sender, self.heard = sender, heard
        self.origin = Origin(b"abcd", PRODUCER, SIZE, STAMPER.rest, STAMPER.bodies, 500_000, times)
        self.most = sender.prepare(self.origin)
        self.first, self.due, self.answered = 0, {}, []

    def send(self, most: int, ms: int = 2000, then: WhenSent = WhenSent.ANSWERED, due_ns=None) -> Sent:
        batch = SendBatch(self.first, most, due_ns, then, 0)
        sent = self.sender.send_on_fast_path(batch, time.monotonic_ns() + ms * MS, self.due)
        self.first += len(sent.handed_ns)
        self.answered += sent.sequence
        assert len(sent.due_ns) == len(sent.sent_ns) == len(sent.answered_ns) == len(sent.sequence)
        return sent

    def bodies(self) -> list[str]:
        return [str(document["MessageBody"]) for document in self.heard.documents()]


@pytest.fixture(params=["plain", "tls"])
def served(request, monkeypatch, tmp_path) -> Iterator[Callable[..., Driven]]:
    """Makes a sender of a server with that script."""
    with ExitStack() as stack:

        def serve(*script: bytes | Reply, queue: str = QUEUE, groups=None, credentials=CREDENTIALS) -> Driven:
            tls = tls_of(monkeypatch, tmp_path) if request.param == "tls" else None
            found = client_of(monkeypatch, *script, tls=tls, groups=groups, credentials=credentials)
            client, heard = stack.enter_context(found)
            driven = Driven(client.sender(queue), heard)
            assert driven.most >= 1000
            return driven

        yield serve


def expected(sequences: range) -> list[str]:
    return [body.decode() for body in STAMPER.bodies(sequences.start, len(sequences))]


def test_messages_are_sent_one_after_the_other(served):
    driven = served(*[STORED] * 5)
    sent = driven.send(5)
    assert (driven.answered, driven.bodies()) == (list(range(5)), expected(range(5)))
    assert (driven.heard.connections, sent.error, len(sent.failed)) == (1, None, 0)
    assert bool((sent.sent_ns[1:] >= sent.answered_ns[:-1]).all())
    assert bool((sent.answered_ns > sent.sent_ns).all())


def test_as_the_general_path_sends_them_signature_included(served):
    driven = served(STORED, credentials={**CREDENTIALS, "AWS_SESSION_TOKEN": "to/ken+=="})
    driven.send(1)
    ((head, body),) = driven.heard.requests
    host = _header(head, "host")
    endpoint = Endpoint.of(f"http://{host}")
    identity = Identity("local", "local", "to/ken+==")
    template = RequestTemplate("SendMessage", endpoint, SigningKeys("us-east-1"), lambda: identity)
    date = time.strptime(_header(head, "x-amz-date"), "%Y%m%dT%H%M%SZ")
    assert head + b"\r\n" + body == template._made(calendar.timegm(date)).request(body)
    assert json.loads(body) == {"QueueUrl": QUEUE, "MessageBody": expected(range(1))[0]}
    assert host.startswith(LOOPBACK)


def _header(head: bytes, name: str) -> str:
    (value,) = (
        line.split(": ", 1)[1] for line in head.decode().split("\r\n") if line.startswith(f"{name}: ")
    )
    return value


@pytest.mark.parametrize(("groups", "size"), [("producer", 7), ("message", 16)])
def test_a_fifo_queue_gets_its_ids(served, groups, size):
    driven = served(STORED, STORED, queue=f"{QUEUE}.fifo", groups=groups)
    driven.send(2)
    for document, body in zip(driven.heard.documents(), expected(range(2)), strict=True):
        assert document["MessageBody"] == body
        assert (document["MessageGroupId"], document["MessageDeduplicationId"]) == (body[:size], body[:16])


def test_credentials_that_change_are_taken_up(served, monkeypatch):
    driven = served(STORED, STORED)
    driven.send(1)
    identities = [Identity("ANOTHER-KEY", "secret", "with a token")]
    operation = driven.sender._send
    monkeypatch.setattr(operation._template, "_identity", lambda: identities[0])
    time.sleep(1.1)  # a request is put together once a second
    driven.send(1)
    assert b"Credential=ANOTHER-KEY/" in driven.heard.requests[1][0]
    assert driven.bodies() == expected(range(2))


def test_an_answer_may_be_split_at_any_byte(served):
    driven = served(*(Reply([STORED[:cut], STORED[cut:]], pause_s=0.002) for cut in range(1, len(STORED))))
    driven.send(len(STORED) - 1, ms=20_000)
    assert driven.answered == list(range(len(STORED) - 1))
    assert driven.heard.connections == 1


def test_an_answer_is_waited_for_in_the_next_call(served):
    driven = served(Reply([STORED[:50], STORED[50:]], pause_s=0.3), STORED)
    while not driven.first:  # a stall may leave no time to send
        assert driven.send(2, ms=50).sequence == range(0)
    assert driven.first == 1
    assert eventually_answered(driven, 2) == [0, 1]


def eventually_answered(driven: Driven, count: int) -> list[int]:
    for _ in range(100):
        driven.send(count - driven.first, ms=50)
        if len(driven.answered) >= count:
            break
    return driven.answered


@pytest.mark.parametrize(
    "unusual",
    [
        CHUNKED,
        b"HTTP/1.1 100 Continue\r\n\r\n" + STORED,
        STORED.replace(b"\r\n\r\n", b"\r\nConnection: Keep-Alive\r\n\r\n"),
        answer(200, {"MessageId": "1", "more": "x" * 60_000}),
    ],
    ids=["chunked", "continue", "keep-alive", "long"],
)
def test_an_unusual_answer_is_an_answer(served, unusual):
    driven = served(STORED, unusual, STORED)
    while len(driven.answered) < 3:
        assert driven.send(3 - driven.first).error is None
    assert (driven.answered, driven.heard.connections) == ([0, 1, 2], 1)


def test_a_connection_that_the_server_ends_after_an_answer_is_opened_again(served):
    closing = Reply([answer(200, {"MessageId": "1"}, Connection="close")], then_close=True)
    driven = served(closing, STORED)
    while len(driven.answered) < 2:
        assert driven.send(2 - driven.first).error is None
    assert driven.heard.connections == 2


def test_an_idle_connection_that_ends_costs_no_message(served):
    driven = served(Reply([STORED], then_close=True), STORED)
    driven.send(1)
    assert driven.heard.closed.wait(60)
    while len(driven.answered) < 2:
        assert driven.send(2 - driven.first).error is None
    assert (driven.answered, driven.heard.connections) == ([0, 1], 2)


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (REFUSED, "QueueDoesNotExist"),
        (answer(503, b"busy"), "503"),
        (answer(200, b"hello"), "MalformedAnswer"),
    ],
)
def test_a_call_that_fails_leaves_its_message_without_an_answer(served, refusal, code):
    driven = served(STORED, refusal, STORED)
    sent = driven.send(3)
    assert isinstance(sent.error, CallFailed)
    assert (sent.error.code, list(sent.failed), driven.answered, driven.due) == (code, [1], [0], {})
    driven.send(1)
    assert (driven.answered, driven.heard.connections) == ([0, 2], 1)
    assert driven.bodies() == expected(range(3))


@pytest.mark.parametrize("pieces", [[], [STORED[:40]], [STORED * 2], [b"220 mail.example ESMTP\r\n\r\n"]])
def test_a_connection_that_ends_before_the_answer_leaves_its_message_unknown(served, pieces):
    driven = served(STORED, Reply(pieces, then_close=True), STORED)
    sent = driven.send(3)
    assert isinstance(sent.error, ConnectionLost)
    assert (driven.answered, list(driven.due), len(sent.failed)) == ([0], [1], 0)
    driven.send(1)
    assert (driven.answered, driven.heard.connections) == ([0, 2], 2)


def test_a_server_that_says_nothing_any_more_loses_the_connection(served, monkeypatch):
    driven = served(Reply([b""], pause_s=0.5), STORED)
    while not driven.first:
        assert driven.send(1, ms=50).error is None
    monkeypatch.setattr(module, "_TIMEOUT_NS", 50 * MS)
    error = driven.send(0, ms=100).error
    assert isinstance(error, ConnectionLost)
    assert "no answer in time" in str(error)
    assert (list(driven.due), driven.answered) == ([0], [])


def test_messages_are_sent_when_they_are_due(served):
    driven = served(*[STORED] * 4)
    start = time.monotonic_ns() + 20 * MS
    due_ns = start + np.arange(4) * 30 * MS
    sent = driven.send(4, due_ns=due_ns)
    assert list(sent.due_ns) == due_ns.tolist()
    assert bool((sent.handed_ns >= due_ns).all())
    assert bool((sent.could_ns >= due_ns).all())


def test_what_is_unanswered_is_reported_when_it_is_asked_for(served):
    driven = served(Reply([]))
    due_ns = np.array([time.monotonic_ns()])
    driven.send(1, ms=20_000, then=WhenSent.COME_BACK, due_ns=due_ns)
    driven.sender.release()
    assert driven.due == {0: int(due_ns[0])}


def test_send_times_are_noted(monkeypatch):
    with client_of(monkeypatch, STORED, STORED) as (client, heard):
        times = np.full(1 + 8, -1)
        driven = Driven(client.sender(QUEUE), heard, times)
        sent = driven.send(2)
        assert times[0] == 1
        assert times[1:3].tolist() == sent.due_ns.tolist()


@pytest.mark.parametrize("lacking", ["core", "sha256", "outlet_of"])
def test_where_the_core_cannot_do_it_all_is_the_general_paths(monkeypatch, lacking):
    where = {
        "core": "core.loading._core",
        "sha256": "sqs.fast_path_connection.sha256",
        "outlet_of": "sqs.connection.outlet_of",
    }
    monkeypatch.setattr(f"breakeven.clients.{where[lacking]}", lambda *_: None)
    with client_of(monkeypatch, STORED) as (client, heard):
        driven = Driven(client.sender(QUEUE), heard)
        assert driven.most == 0
        assert driven.sender.fallback, "and why is said"
        driven.sender.submit([0], STAMPER.bodies(0, 1))
        assert list(driven.sender.poll(0).sequence) == [0]


def test_batches_are_the_general_paths(monkeypatch):
    with client_of(monkeypatch, batch=10) as (client, heard):
        driven = Driven(client.sender(QUEUE), heard)
        assert (driven.most, driven.sender.fallback) == (0, None)


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (lambda body: body[:16] * 3, None),
        (lambda body: body[:16] * 4, "a message has its stamp in 4 places: the core writes it in 1 to 3"),
        (lambda body: body[::-1], "a message has its stamp in 0 places: the core writes it in 1 to 3"),
        (lambda body: body + body[15:8:-1], "messages differ by more than their stamps"),
    ],
)
def test_where_a_message_is_none_for_the_core_why_is_said(monkeypatch, document, why):
    with client_of(monkeypatch, STORED) as (client, heard):
        sender = client.sender(QUEUE)
        monkeypatch.setattr(sender, "_message", document)
        driven = Driven(sender, heard)
        assert (driven.most == 0) == bool(why)
        assert str(sender.fallback).startswith(str(why))


def test_openssls_functions_are_found():
    assert digests.sha256() is not None
