"""Batches of the native SQS client, which fail in part; and the ids of FIFO messages."""

from __future__ import annotations

import pytest

from breakeven.clients.base import CallFailed, Outcome
from breakeven.clients.sqs.client import SqsClient
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_http import answer
from tests.support.scripted.scripted_sqs import QUEUE, bodies, client_of

THROTTLED = answer(400, {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "slow down"})


def test_a_batch_that_fails_in_part_tells_each_messages_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = {
        "Successful": [{"Id": "0", "MessageId": "a"}],
        "Failed": [
            {"Id": "1", "Code": "InvalidMessageContents", "SenderFault": True},
            {"Id": "2", "Code": "InternalError", "SenderFault": False},
        ],
    }
    with client_of(monkeypatch, answer(200, reply), batch=10) as (client, heard):
        sender = client.sender(QUEUE)
        sender.submit(range(4), bodies(4))
        answers = sender.poll(0)
        assert list(answers.sequence) == [0, 1, 2, 3]
        assert list(answers.outcome) == [
            *(Outcome.CONFIRMED, Outcome.NACKED, Outcome.UNKNOWN, Outcome.UNKNOWN)
        ]
        (document,) = heard.documents()
        assert document["QueueUrl"] == QUEUE
        assert document["Entries"] == [
            {"Id": str(index), "MessageBody": body.decode()} for index, body in enumerate(bodies(4))
        ]


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


def test_deletions_that_fail_in_part_may_be_handed_in_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = {"Successful": [{"Id": "1"}], "Failed": [{"Id": "0", "Code": "ReceiptHandleIsInvalid"}]}
    refused = {"Failed": [{"Id": "0", "Code": "ReceiptHandleIsInvalid", "SenderFault": True}]}
    script = [answer(200, reply), answer(200, refused), answer(200, {})]
    with client_of(monkeypatch, *script, batch=10) as (client, heard):
        receiver = client.receiver(QUEUE)
        settled = receiver.settle(["first", "second"])
        assert (list(settled.handle), len(settled.called_ns), len(settled.replied_ns)) == (["second"], 1, 1)
        with pytest.raises(CallFailed, match="ReceiptHandleIsInvalid"):
            receiver.settle(["first"])
        with pytest.raises(CallFailed, match="MalformedAnswer"):
            receiver.settle(["first"])
        assert heard.documents()[0]["Entries"] == [
            {"Id": "0", "ReceiptHandle": "first"},
            {"Id": "1", "ReceiptHandle": "second"},
        ]


@pytest.mark.parametrize("batch", [0, 11])
def test_a_batch_is_one_to_ten(batch: int) -> None:
    with pytest.raises(ValueError, match="batch"):
        SqsClient(make_case(client="native").workload, batch)


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
