"""Weather of SQS, each kind in front of a server that has none: what a caller sees, and what is counted."""

from __future__ import annotations

import time
from itertools import count

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError
from moto.moto_api._internal.models import moto_api_backend

from local.aws.strict.certificates import Certificate
from tests.support.aws.moto_server import moto_server
from tests.support.scripted.certificates import make_certificate
from tests.support.weather import sqs_weather as kinds
from tests.support.weather.sqs_proxy import sqs_weather
from tests.support.weather.sqs_weather import SqsWeather

CALM = Config(retries={"total_max_attempts": 1}, proxies={})
names = (f"queue-{number}" for number in count())


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    make_certificate(path)
    with moto_server() as moto:
        yield moto, Certificate(path)
    moto_api_backend.reset()


@pytest.fixture
def through(server, request, monkeypatch):
    """A queue, a client that reaches it through the proxy, and the weather of that one kind."""
    moto, certificate = server
    monkeypatch.setattr(kinds, "UNKNOWN_S", 60.0)  # the first call may come later than a second
    weather = SqsWeather(1, kinds={request.param}, share=0.0)
    name = next(names)
    with sqs_weather(moto.aws.endpoint, weather, certificate) as endpoint:
        sqs = boto3.client("sqs", endpoint_url=endpoint, verify=str(certificate.path), config=CALM)
        url = sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "1"})["QueueUrl"]
        assert url.startswith(endpoint), "it is reached by the proxy alone"
        yield sqs, url, weather.counts[name]
        sqs.close()


def of(kind):
    return pytest.mark.parametrize("through", [kind], indirect=True)


def is_lost(answered, call):
    """Makes the call; boto3 takes half of an answer over TLS for a whole one, which says nothing."""
    try:
        return answered not in call()
    except HTTPClientError:
        return True


def bodies(answer):
    return [message["Body"] for message in answer.get("Messages", [])]


@of(kinds.EMPTY)
def test_a_short_poll_finds_nothing_in_a_queue_that_is_not_empty_and_a_long_one_does(through):
    sqs, url, counts = through
    sqs.send_message(QueueUrl=url, MessageBody="a")
    assert bodies(sqs.receive_message(QueueUrl=url)) == []
    assert bodies(sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1)) == ["a"]
    assert counts == {kinds.EMPTY: 1}


@of(kinds.DUPLICATE)
def test_a_message_is_delivered_twice_though_it_was_deleted_and_its_copy_can_be_deleted_too(through):
    sqs, url, counts = through
    sqs.send_message(QueueUrl=url, MessageBody="a")
    given = {"QueueUrl": url, "AttributeNames": ["ApproximateReceiveCount"]}
    for _ in range(2):
        (message,) = sqs.receive_message(**given)["Messages"]
        assert message["Body"] == "a"
        assert message["Attributes"]["ApproximateReceiveCount"] == "1", "no redelivery, a copy"
        handle = {"Id": "0", "ReceiptHandle": message["ReceiptHandle"]}
        assert sqs.delete_message_batch(QueueUrl=url, Entries=[handle])["Successful"] == [{"Id": "0"}]
    assert bodies(sqs.receive_message(**given)) == []
    assert counts == {kinds.DUPLICATE: 1}


@of(kinds.HIDDEN)
def test_a_receive_whose_answer_is_lost_hides_its_message_until_the_visibility_timeout(through):
    sqs, url, counts = through
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "4"})
    sqs.send_message(QueueUrl=url, MessageBody="a")
    assert is_lost("Messages", lambda: sqs.receive_message(QueueUrl=url))
    assert bodies(sqs.receive_message(QueueUrl=url)) == []
    assert bodies(sqs.receive_message(QueueUrl=url, WaitTimeSeconds=15)) == ["a"]
    assert counts == {kinds.HIDDEN: 1}


@of(kinds.STALE)
def test_the_approximate_counts_are_those_of_some_time_ago(through):
    sqs, url, counts = through
    attributes = {"QueueUrl": url, "AttributeNames": ["ApproximateNumberOfMessages"]}
    assert sqs.get_queue_attributes(**attributes)["Attributes"] == {"ApproximateNumberOfMessages": "0"}
    sqs.send_message(QueueUrl=url, MessageBody="a")
    assert sqs.get_queue_attributes(**attributes)["Attributes"] == {"ApproximateNumberOfMessages": "0"}
    assert counts == {kinds.STALE: 1}


@of(kinds.NO_QUEUE)
def test_a_queue_is_not_there_for_the_second_after_it_was_made(through):
    sqs, url, counts = through
    with pytest.raises(ClientError) as refused:
        sqs.send_message(QueueUrl=url, MessageBody="a")
    assert refused.value.response["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue"
    assert counts == {kinds.NO_QUEUE: 1}


@of(kinds.REFUSED_SEND)
def test_a_send_that_is_throttled_leaves_no_message(through):
    sqs, url, counts = through
    with pytest.raises(ClientError, match="RequestThrottled"):
        sqs.send_message(QueueUrl=url, MessageBody="a")
    assert bodies(sqs.receive_message(QueueUrl=url)) == []
    assert counts == {kinds.REFUSED_SEND: 1}


@pytest.mark.parametrize(
    ("through", "code", "status"),
    [(kinds.THROTTLED, "RequestThrottled", 400), (kinds.BROKEN, "ServiceUnavailable", 503)],
    indirect=["through"],
)
def test_a_receive_is_refused_and_hides_nothing(through, code, status):
    sqs, url, counts = through
    sqs.send_message(QueueUrl=url, MessageBody="a")
    with pytest.raises(ClientError) as refused:
        sqs.receive_message(QueueUrl=url)
    said = refused.value.response
    assert (said["Error"]["Code"], said["ResponseMetadata"]["HTTPStatusCode"]) == (code, status)
    assert bodies(sqs.receive_message(QueueUrl=url)) == ["a"]
    assert sum(counts.values()) == 1


@of(kinds.LOST_SEND)
def test_a_send_whose_answer_is_lost_has_stored_its_message(through):
    sqs, url, counts = through
    assert is_lost("MessageId", lambda: sqs.send_message(QueueUrl=url, MessageBody="a"))
    assert bodies(sqs.receive_message(QueueUrl=url)) == ["a"]
    assert counts == {kinds.LOST_SEND: 1}


@of(kinds.LOST_DELETE)
def test_a_deletion_whose_answer_is_lost_has_deleted(through):
    sqs, url, counts = through
    sqs.send_message(QueueUrl=url, MessageBody="a")
    (message,) = sqs.receive_message(QueueUrl=url)["Messages"]
    handle = {"Id": "0", "ReceiptHandle": message["ReceiptHandle"]}
    assert is_lost("Successful", lambda: sqs.delete_message_batch(QueueUrl=url, Entries=[handle]))
    assert bodies(sqs.receive_message(QueueUrl=url, WaitTimeSeconds=2)) == []
    assert counts == {kinds.LOST_DELETE: 1}


@of(kinds.CLOSED)
def test_a_connection_is_closed_after_an_answer_which_is_whole(through):
    sqs, url, counts = through
    assert counts == {kinds.CLOSED: 1}, "after the answer to the queue's making"
    sqs.send_message(QueueUrl=url, MessageBody="a")
    assert bodies(sqs.receive_message(QueueUrl=url)) == ["a"]


@of(kinds.IDLE)
def test_a_connection_that_nobody_uses_is_closed_and_the_next_call_opens_another(through, monkeypatch):
    sqs, url, counts = through
    monkeypatch.setattr(kinds, "IDLE_S", 0.05)
    sqs.send_message(QueueUrl=url, MessageBody="a")
    deadline = time.monotonic() + 10
    while not counts and time.monotonic() < deadline:
        time.sleep(0.01)
    assert counts == {kinds.IDLE: 1}
    monkeypatch.setattr(kinds, "IDLE_S", 60.0)  # the next one may take longer to its first request
    assert bodies(sqs.receive_message(QueueUrl=url)) == ["a"]


def test_the_same_seed_makes_the_same_weather():
    def made(seed):
        weather = SqsWeather(seed, share=0.3)
        return [weather.befalls(kinds.EMPTY, "queue") for _ in range(50)]

    assert made(1) == made(1) != made(2)
