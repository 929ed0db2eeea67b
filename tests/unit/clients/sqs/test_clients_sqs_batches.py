"""Batches of the native SQS client, which fail in part; and the ids of FIFO messages."""

from __future__ import annotations

import pytest

from breakeven.clients.base import CallFailed, Outcome
from breakeven.clients.sqs import batches
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted.scripted_http import answer
from tests.support.scripted.scripted_sqs import QUEUE, bodies, client_of

THROTTLED = answer(400, {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "slow down"})


@pytest.fixture(autouse=True)
def no_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "RETRY_S", (0.0, 0.0))


def failed(number: int, code: str, *, senders: bool = False) -> dict[str, object]:
    return {"Id": str(number), "Code": code, "SenderFault": senders}


def stored(*numbers: int) -> list[dict[str, str]]:
    return [{"Id": str(number), "MessageId": "a"} for number in numbers]


def ids(document: dict[str, object]) -> list[str]:
    return [entry["MessageBody"] for entry in document["Entries"]]  # type: ignore[attr-defined,index]


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_of_a_batch_that_fails_in_part_the_services_faults_are_tried_again_and_the_senders_are_not(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    script = [
        {
            "Successful": stored(0),
            "Failed": [
                failed(1, "InvalidMessageContents", senders=True),
                failed(2, "InternalError"),
                failed(3, "InternalError"),
            ],
        },
        {"Successful": stored(0), "Failed": [failed(1, "ServiceUnavailable")]},
        {"Failed": [failed(0, "ServiceUnavailable")]},
    ]
    replies = [answer(200, reply) for reply in script]
    with client_of(monkeypatch, *replies, kind=kind, batch=10) as (client, heard):
        sender = client.sender(QUEUE)
        sender.submit(range(5), bodies(5))
        answers = sender.poll(0)
    found = dict(zip(answers.sequence, zip(answers.outcome, answers.error, strict=True), strict=True))
    assert found == {
        0: (Outcome.CONFIRMED, None),
        1: (Outcome.NACKED, "InvalidMessageContents"),
        2: (Outcome.CONFIRMED, None),
        3: (Outcome.UNKNOWN, "ServiceUnavailable"),  # three times, and given up
        4: (Outcome.UNKNOWN, "MalformedAnswer"),  # nothing was said of it: it is not sent again
    }
    assert [code for code, _ in answers.failed] == ["InternalError", "InternalError", "ServiceUnavailable"]
    assert len(answers.calls) == 3
    texts = [body.decode() for body in bodies(5)]
    assert [ids(document) for document in heard.documents()] == [texts, texts[2:4], texts[3:4]]
    assert [entry["Id"] for entry in heard.documents()[1]["Entries"]] == ["0", "1"]  # type: ignore[attr-defined,index]


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_a_call_that_fails_as_a_whole_when_it_is_made_again_ends_the_trying(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    part = answer(200, {"Successful": stored(0), "Failed": [failed(1, "InternalError")]})
    with client_of(monkeypatch, part, THROTTLED, kind=kind, batch=10) as (client, _):
        sender = client.sender(QUEUE)
        sender.submit(range(2), bodies(2))
        answers = sender.poll(0)
    assert list(answers.outcome) == [Outcome.CONFIRMED, Outcome.UNKNOWN]
    assert list(answers.error) == [None, "RequestThrottled"]


def test_a_batch_holds_ten_messages_and_a_mebibyte(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of(count: int) -> bytes:
        return answer(200, {"Successful": [{"Id": str(index)} for index in range(count)]})

    script = [all_of(10), all_of(2), all_of(2), all_of(1), THROTTLED]
    with client_of(monkeypatch, *script, batch=10) as (client, heard):
        sender = client.sender(QUEUE)
        sender.submit(range(12), bodies(12))
        assert list(sender.poll(0).sequence) == list(range(12))
        large = bodies(4, 512 * 1024)
        with pytest.raises(CallFailed) as caught:
            sender.submit(range(4), [*large[:3], large[3] + b"."])
        assert (caught.value.code, caught.value.taken) == ("RequestThrottled", 3)
        assert list(sender.poll(0).sequence) == [0, 1, 2]
        sizes = [len(document["Entries"]) for document in heard.documents()]  # type: ignore[arg-type]
        assert sizes == [10, 2, 2, 1, 1]


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_of_deletions_that_fail_in_part_the_services_faults_may_be_handed_in_again(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    invalid = failed(0, "ReceiptHandleIsInvalid", senders=True)
    script = [
        {"Successful": [{"Id": "1"}], "Failed": [invalid, failed(2, "InternalError")]},
        {"Failed": [failed(0, "InternalError"), failed(1, "InternalError")]},
        {},
    ]
    replies = [answer(200, reply) for reply in script]
    with client_of(monkeypatch, *replies, kind=kind, batch=10) as (client, heard):
        receiver = client.receiver(QUEUE)
        settled = receiver.settle(["first", "second", "third"])
        assert (list(settled.handle), len(settled.called_ns), len(settled.replied_ns)) == (["second"], 1, 1)
        assert list(settled.refused) == ["first"]
        assert [code for code, _ in settled.failed] == ["ReceiptHandleIsInvalid", "InternalError"]
        assert len(settled.calls) == 1
        with pytest.raises(CallFailed, match="InternalError") as caught:
            receiver.settle(["third", "fourth"])
        assert caught.value.count == 2
        with pytest.raises(CallFailed, match="MalformedAnswer"):
            receiver.settle(["third"])
        assert heard.documents()[0]["Entries"] == [
            {"Id": "0", "ReceiptHandle": "first"},
            {"Id": "1", "ReceiptHandle": "second"},
            {"Id": "2", "ReceiptHandle": "third"},
        ]


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_a_receive_asks_for_as_many_as_it_may_bring_and_counts_as_one_call(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    messages = [{"MessageId": str(n), "Body": "a" * 16, "ReceiptHandle": str(n)} for n in range(3)]
    script = [answer(200, {"Messages": messages}), answer(200, {})]
    with client_of(monkeypatch, *script, kind=kind, batch=10) as (client, heard):
        receiver = client.receiver(QUEUE)
        found = receiver.receive(0)
        assert (len(found.handle), len(found.calls)) == (3, 1)
        empty = receiver.receive(0)
        assert (len(empty.empty), len(empty.calls)) == (1, 0)
    assert [document["MaxNumberOfMessages"] for document in heard.documents()] == [10, 10]


def test_a_fifo_message_has_its_producers_group_and_its_own_id(monkeypatch: pytest.MonkeyPatch) -> None:
    good = answer(200, {"MessageId": "1"})
    with client_of(monkeypatch, good, good) as (client, heard):
        sent = bodies(2)
        client.sender(f"{QUEUE}.fifo").submit([0, 1], sent)
        first, second = heard.documents()
        assert first["MessageGroupId"] == second["MessageGroupId"] == sent[0][:7].decode()
        assert [first["MessageDeduplicationId"], second["MessageDeduplicationId"]] == [
            body.decode() for body in sent
        ]
        assert Stamper("test", 6, 16).body(0)[:7] != sent[0][:7]
