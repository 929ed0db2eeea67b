"""A message on a queue that is not the case's is counted, and left to whoever owns it."""

from __future__ import annotations

from typing import Any

import boto3
import pytest

from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.target import open_target
from tests.support.loaders.live_case import live

FOREIGN = b"somebody else's message"
PAIR, SQS = "rabbitmq-mirrored-pair", "sqs-standard"


def assert_foreign_only(ledger: Account) -> None:
    """What is left is not ours, so that it is not left of ours; all that is ours was received and settled."""
    assert ledger.unexpected >= 1
    assert (ledger.left, ledger.missing, ledger.lost, ledger.closed) == (0, 0, 0, True)
    assert ledger.sent == ledger.confirmed == ledger.received > 0


@pytest.mark.parametrize("client", ["native", "pika"])
@pytest.mark.parametrize(("consume", "every"), [("get", 1), ("push", 1), ("push", 3)])
def test_a_foreign_message_stays_on_a_rabbitmq_queue(rabbitmq_pair, queue_case, client, consume, every):
    target = open_target(PAIR, rabbitmq_pair)
    target.establish()
    fields: dict[str, Any] = {"client": client, "consume": consume, "prefetch": 5, "ack_every": every}
    case = queue_case(PAIR, mode="load-unload", messages=100, **fields)
    (queue,) = queues = target.prepare(case, attempt=1).queues
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        channel.basic_publish("", queue, FOREIGN)
    with live(case, queues, target.client(case.workload)) as running:
        result = running.result()
    assert_foreign_only(account([result], QueueCount(target.depth(queues))))
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        found, _, body = channel.basic_get(queue, auto_ack=True)
    assert (body, found.redelivered) == (FOREIGN, True)
    target.release(queues)


@pytest.mark.parametrize("client", ["native", "boto3"])
def test_a_foreign_message_stays_on_an_sqs_queue(sqs_environment, queue_case, client):
    target, sqs = open_target(SQS, None), boto3.client("sqs")
    case = queue_case(SQS, mode="load-unload", messages=100, client=client)
    (queue,) = queues = target.prepare(case, attempt=1).queues
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": "2"})
    sqs.send_message(QueueUrl=queue, MessageBody=FOREIGN.decode())
    with live(case, queues, target.client(case.workload)) as running:
        result = running.result()
    assert_foreign_only(account([result], QueueCount(target.depth(queues))))
    (found,) = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=20)["Messages"]
    assert found["Body"].encode() == FOREIGN
    target.release(queues)
