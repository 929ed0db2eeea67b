"""SQS receivers whose connection the compiled core drives, and what they leave to the general path."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from breakeven.clients.base import CallFailed, ConnectionLost
from breakeven.clients.fast_path import Ours, Received
from breakeven.clients.sqs import fast_path_receiver as module
from breakeven.clients.sqs.client import SqsClient
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_http import Heard, Reply, answer
from tests.support.scripted.scripted_sqs import QUEUE, client_of, tls_of
from tests.support.workflow.processes import eventually

MS = 1_000_000
SIZE, PRODUCER = 64, (1 << 18) - 2
STAMPER = Stamper("abcd", PRODUCER, SIZE)
OURS = Ours(b"abcd", PRODUCER + 1)
EMPTY, DELETED = answer(200, {}), answer(200, b"")
REFUSED = answer(400, {"__type": "com.amazonaws.sqs#ReceiptHandleIsInvalid", "message": "no"})


def message(
    sequence: int, body: str | None = None, receives: int = 1, handle: str | None = None
) -> dict[str, object]:
    return {
        "MessageId": f"m-{sequence}",
        "ReceiptHandle": handle or f"AQEB+/{sequence}==",
        "MD5OfBody": "d",
        "Body": STAMPER.body(sequence).decode() if body is None else body,
        "Attributes": {"SenderId": "AIDA", "ApproximateReceiveCount": str(receives)},
    }


def brings(*messages: object, **also: object) -> bytes:
    return answer(200, {"Messages": [*messages], **also})


ACCENTED = message(1, body=STAMPER.body(1).decode() + "\u00e9")
WHOLE = json.dumps({"Messages": [message(1)]}).encode()
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(WHOLE), WHOLE)


class Driven:
    """A receiver on the fast path, and what came of it so far."""

    def __init__(self, receiver: object, heard: Heard) -> None:
        self.receiver, self.heard = receiver, heard
        self.stamps, self.redelivered, self.empty, self.settled = [], [], 0, 0

    def receive(self, ms: int = 40) -> Received:
        taken = self.receiver.receive_on_fast_path(time.monotonic_ns() + ms * MS)
        assert taken is not None
        deliveries = taken.deliveries
        assert len(deliveries.stamp) == len(deliveries.in_hand_ns) == len(deliveries.asked_ns)
        self.stamps += list(deliveries.stamp)
        self.redelivered += list(deliveries.redelivered)
        self.empty += len(deliveries.empty)
        self.settled += len(taken.settled.replied_ns)
        return taken

    def asks(self) -> list[dict[str, object]]:
        return [document for document in self.heard.documents() if "MaxNumberOfMessages" in document]

    def deleted(self) -> list[object]:
        documents = self.heard.documents()
        return [document["ReceiptHandle"] for document in documents if "ReceiptHandle" in document]


@pytest.fixture(params=["plain", "tls"])
def served(request, monkeypatch, tmp_path) -> Iterator[Callable[..., Driven]]:
    """Makes a receiver of a server with that script."""
    with ExitStack() as stack:

        def serve(*script: bytes | Reply, wait_s: int = 0) -> Driven:
            tls = tls_of(monkeypatch, tmp_path) if request.param == "tls" else None
            client, heard = stack.enter_context(client_of(monkeypatch, *script, tls=tls))
            if wait_s:
                client = SqsClient(make_case(client="native", wait_s=wait_s).workload)
                stack.callback(client.close)
            receiver = client.receiver(QUEUE)
            assert receiver.expect(OURS)
            return Driven(receiver, heard)

        yield serve


def stamps(*sequences: int) -> list[bytes]:
    return [STAMPER.stamp(sequence) for sequence in sequences]


def test_messages_are_taken_in_hand_and_each_is_deleted(served):
    driven = served(brings(message(70)), DELETED, brings(message(3, receives=2)), answer(200, {}), EMPTY)
    taken = driven.receive(ms=2000)
    assert (driven.stamps, driven.redelivered) == (stamps(70, 3), [False, True])
    assert (driven.empty, driven.settled, driven.heard.connections) == (1, 2, 1)
    assert driven.deleted() == ["AQEB+/70==", "AQEB+/3=="]
    cycles, deliveries = taken.settled, taken.deliveries
    assert list(deliveries.asked_ns) == cycles.asked_ns.tolist()
    assert all(deliveries.asked_ns < deliveries.in_hand_ns)
    assert all(deliveries.in_hand_ns <= cycles.called_ns)
    assert all(cycles.called_ns < cycles.replied_ns)


def test_asks_and_deletions_are_the_general_paths_own(served):
    driven = served(brings(message(1)), DELETED, EMPTY, brings(message(1)), DELETED)
    driven.receive(ms=2000)
    deliveries = driven.receiver.receive(0)
    driven.receiver.settle(deliveries.handle)
    (ask, deletion, _, *general), heads = (
        driven.heard.documents(),
        [head for head, _ in driven.heard.requests],
    )
    assert [ask, deletion] == general
    assert [_constant(head) for head in heads[:2]] == [_constant(head) for head in heads[3:]]


def _constant(head: bytes) -> list[bytes]:
    return [line for line in head.split(b"\r\n") if not line.startswith((b"x-amz-date", b"authorization"))]


def test_a_deletion_is_signed_for_its_document(served, monkeypatch):
    """The same second's template signs the same document alike."""
    driven = served(brings(message(1)), DELETED, EMPTY)
    driven.receive(ms=2000)
    head, body = driven.heard.requests[1]
    assert head + b"\r\n" + body == driven.receiver._delete._template._parts.request(body)
    head, body = driven.heard.requests[0]
    assert head + b"\r\n" + body == driven.receiver._receive._template._parts.request(body)


def test_answers_may_be_split_at_any_byte(served):
    whole = brings(message(5))
    script = [
        each
        for cut in range(1, len(whole))
        for each in (Reply([whole[:cut], whole[cut:]], pause_s=0.001), DELETED)
    ]
    driven = served(*script, EMPTY)
    while driven.settled < len(whole) - 1:
        assert driven.receive(ms=200).error is None
    assert driven.stamps == stamps(5) * (len(whole) - 1)


@pytest.mark.parametrize("document", [{}, {"Messages": []}, {"Other": [1, {"a": [None, True, -1.5e3]}]}])
def test_an_empty_answer_comes_back_where_asks_do_not_wait(served, document):
    driven = served(answer(200, document), EMPTY)
    taken = driven.receive(ms=2000)
    ((asked_ns, answered_ns),) = taken.deliveries.empty
    assert asked_ns < answered_ns
    assert len(driven.asks()) == 1


def test_a_long_ask_is_gone_on_with_in_the_next_call(served):
    driven = served(EMPTY, Reply([b"", brings(message(1))], pause_s=0.3), DELETED, wait_s=5)
    while not driven.settled:
        assert driven.receive(ms=50).error is None
    assert (driven.empty, driven.stamps) == (1, stamps(1))
    assert [ask["WaitTimeSeconds"] for ask in driven.asks()[:2]] == [5, 5]


@pytest.mark.parametrize(
    "foreign",
    [
        message(1, body="what is this?"),
        message(1, body="abce" + STAMPER.body(1).decode()[4:]),
        message(1, body=Stamper("abcd", PRODUCER + 1, SIZE).body(1).decode()),
        message(1, body=STAMPER.body(1).decode()[:15]),
        message(1, body="abcd\u00e9"),
    ],
    ids=["words", "case", "producer", "short", "letter"],
)
def test_what_is_not_ours_is_the_workers_and_not_deleted(served, foreign):
    driven = served(brings(message(9)), DELETED, brings(foreign), EMPTY)
    taken = driven.receive(ms=2000)
    assert driven.stamps == stamps(9)
    assert list(taken.in_hand.handle) == [foreign["ReceiptHandle"]]
    assert list(taken.in_hand.stamp) == [str(foreign["Body"])[:16].encode()]
    assert (driven.deleted(), driven.heard.connections) == (["AQEB+/9=="], 1)
    assert driven.receive(ms=2000).in_hand is None


@pytest.mark.parametrize(
    "unusual",
    [
        brings(message(1, handle='a "quoted" \\ handle')),
        brings(message(1, handle="h" * 5000)),
        brings(message(1, body=STAMPER.body(1).decode() + "\n")),
        answer(200, json.dumps({"Messages": [ACCENTED]}, ensure_ascii=False).encode()),
        CHUNKED,
    ],
    ids=["escaped", "long", "newline", "letter", "chunked"],
)
def test_a_message_of_ours_that_comes_otherwise_is_settled_by_the_worker(served, unusual):
    driven = served(unusual, DELETED, brings(message(2)), DELETED, EMPTY)
    taken = driven.receive(ms=2000)
    assert list(taken.in_hand.stamp) == stamps(1)
    settled = driven.receiver.settle(taken.in_hand.handle)
    assert list(settled.handle) == list(taken.in_hand.handle) == driven.deleted()
    driven.receive(ms=2000)
    assert (driven.stamps, driven.heard.connections) == (stamps(2), 1)


def test_a_deletion_that_fails_leaves_its_message_to_the_worker(served):
    driven = served(brings(message(1)), REFUSED, DELETED, brings(message(2)), DELETED, EMPTY)
    taken = driven.receive(ms=2000)
    assert isinstance(taken.error, CallFailed)
    assert taken.error.code == "ReceiptHandleIsInvalid"
    ((handle, asked_ns),) = taken.unsettled.items()
    assert (handle, asked_ns) == ("AQEB+/1==", int(taken.deliveries.asked_ns[0]))
    assert (driven.stamps, driven.settled) == (stamps(1), 0)
    driven.receiver.settle([handle])
    driven.receive(ms=2000)
    assert (driven.stamps, driven.settled, driven.heard.connections) == (stamps(1, 2), 1, 1)


def test_a_deletion_that_is_answered_otherwise_is_one(served):
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    driven = served(brings(message(1)), chunked, EMPTY)
    taken = driven.receive(ms=2000)
    assert (driven.settled, taken.error, taken.unsettled) == (1, None, {})
    assert taken.settled.asked_ns.tolist() == list(taken.deliveries.asked_ns)


@pytest.mark.parametrize("refusal", [answer(503, b"busy"), answer(200, b"hello"), answer(200, b"[]")])
def test_an_ask_that_fails_is_reported(served, refusal):
    driven = served(refusal, EMPTY)
    assert isinstance(driven.receive(ms=2000).error, CallFailed)
    assert driven.receive(ms=2000).error is None
    assert driven.heard.connections == 1


@pytest.mark.parametrize("before", [(), (brings(message(1)),)], ids=["ask", "deletion"])
def test_a_connection_that_ends_in_a_call_is_lost(served, before):
    driven = served(*before, Reply([DELETED[:9]], then_close=True), brings(message(2)), DELETED, EMPTY)
    taken = driven.receive(ms=2000)
    assert isinstance(taken.error, ConnectionLost)
    assert (len(driven.stamps), driven.settled, taken.unsettled) == (len(before), 0, {})
    driven.receive(ms=2000)
    assert (driven.stamps[len(before) :], driven.settled) == (stamps(2), 1)


def test_an_idle_connection_that_ends_is_opened_again(served):
    driven = served(Reply([EMPTY], then_close=True), brings(message(1)), DELETED, EMPTY)
    driven.receive(ms=2000)
    assert driven.heard.closed.wait(60)
    while not driven.settled:
        assert driven.receive(ms=200).error is None
    assert (driven.stamps, driven.heard.connections) == (stamps(1), 2)


def test_a_message_in_hand_whose_connection_ends_is_settled_by_the_worker(served):
    driven = served(Reply([brings(message(1))], then_close=True), DELETED, EMPTY)
    found: dict[object, int] = {}
    while not found and not driven.settled:
        taken = driven.receive(ms=200)
        if isinstance(taken.error, ConnectionLost):
            return  # the deletion was on its way before the end was seen
        found.update(taken.unsettled)
    assert list(found) == ["AQEB+/1=="]
    assert list(driven.receiver.settle(list(found)).handle) == list(found)
    assert driven.heard.connections == 2


def test_a_server_that_says_nothing_any_more_loses_the_connection(served, monkeypatch):
    monkeypatch.setattr(module, "_CALL_NS", 100 * MS)
    driven = served(Reply([b""], pause_s=0.5), EMPTY)
    errors: list[object] = []
    assert eventually(lambda: errors.append(driven.receive(ms=50).error) or errors[-1])
    assert isinstance(errors[-1], ConnectionLost)
    assert "no answer in time" in str(errors[-1])


def test_batches_are_the_general_paths(monkeypatch):
    with client_of(monkeypatch, batch=10) as (client, _):
        assert not client.receiver(QUEUE).expect(OURS)
