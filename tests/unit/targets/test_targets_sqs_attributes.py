"""What a queue on SQS is made with. The SQS server of local runs takes any attribute and keeps few, so that
what the service would be asked for is looked at here: as the API reference of CreateQueue has it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from breakeven.targets.sqs import sqs_standard
from breakeven.targets.sqs.sqs_fifo import SqsFifo
from breakeven.targets.sqs.sqs_standard import USABLE_AFTER_S, SqsStandard
from tests.support.scripted.fakes import make_case

STANDARD = {"VisibilityTimeout": "30", "MessageRetentionPeriod": "86400"}
#: both, or the queue takes 300 calls of a kind a second ("Enabling high throughput for FIFO queues")
HIGH_THROUGHPUT = {"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}
URL = "https://sqs.us-east-1.amazonaws.com/123456789012/q"


@pytest.mark.parametrize(
    ("kind", "name", "attributes"),
    [
        (SqsStandard, "sqs-standard", STANDARD),
        (SqsFifo, "sqs-fifo", {**STANDARD, **HIGH_THROUGHPUT, "FifoQueue": "true"}),
    ],
)
def test_a_queue_is_asked_for_with_these_attributes(
    monkeypatch: pytest.MonkeyPatch, kind: type[SqsStandard], name: str, attributes: dict[str, str]
) -> None:
    case = make_case(client="native").model_copy(update={"target": name})
    client = _client(monkeypatch)
    monkeypatch.setattr(sqs_standard, "USABLE_AFTER_S", 0.0)
    with Stubber(client) as sqs:
        asked = {"QueueName": ANY, "Attributes": attributes, "tags": ANY}
        sqs.add_response("create_queue", {"QueueUrl": URL}, asked)
        assert kind().prepare(case, attempt=1).queues == (URL,)
        sqs.assert_no_pending_responses()


@pytest.mark.parametrize(
    ("endpoint", "waits_s"),
    [(None, [USABLE_AFTER_S]), ("http://127.0.0.1:9324", [])],
    ids=["AWS", "stand-in"],
)
def test_a_queue_is_handed_over_once_the_service_lets_it_be_used(
    monkeypatch: pytest.MonkeyPatch, endpoint: str | None, waits_s: list[float]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(sqs_standard, "time", SimpleNamespace(sleep=waited.append))
    client = _client(monkeypatch, endpoint)
    with Stubber(client) as sqs:
        for _ in range(2):
            sqs.add_response("create_queue", {"QueueUrl": URL})
        SqsStandard().prepare(make_case(client="native", producers=2, consumers=2, queues=2), attempt=1)
        sqs.assert_no_pending_responses()
    assert waited == waits_s


def _client(monkeypatch: pytest.MonkeyPatch, endpoint: str | None = None) -> Any:
    client = boto3.client(
        "sqs", "us-east-1", endpoint_url=endpoint, aws_access_key_id="a", aws_secret_access_key="b"
    )
    monkeypatch.setattr(boto3, "client", lambda *_, **__: client)
    return client
