"""What the SQS clients make of a service's answers; errors are the same to both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from breakeven.brokers.access import Access
from breakeven.clients.base import CallFailed, Client, ConnectionLost
from breakeven.clients.factory import make_client
from breakeven.errors import CaseError
from tests.support.scripted.fakes import make_case
from tests.support.scripted.scripted_http import Reply, answer
from tests.support.scripted.scripted_sqs import QUEUE, bodies, client_of

HTML = b"<html><body><b>Http/1.1 Service Unavailable</b></body></html>"
ERRORS = {
    "modeled": answer(
        400,
        {"__type": "com.amazonaws.sqs#QueueDoesNotExist", "message": "none"},
        x_amzn_query_error="AWS.SimpleQueueService.NonExistentQueue;Sender",
    ),
    "plain": answer(400, {"__type": "UnsupportedOperation", "message": "wrong"}),
    "throttled": answer(400, {"__type": "com.amazonaws.sqs#RequestThrottled", "message": "slow down"}),
    "too many": answer(429, {"__type": "ThrottlingException"}),
    "expired": answer(403, {"__type": "com.amazon.coral.service#ExpiredTokenException"}),
    "service": answer(500, {"__type": "com.amazonaws.sqs#InternalFailure"}),
    "html": answer(503, HTML),
    "nothing": answer(503, b""),
}

#: JSON that says nothing of an error, as what stands before a service may answer
NO_OBJECTS = (b"[]", b"null", b'"busy"', b"4")
NOT_THE_SERVICES = [
    answer(301, b"elsewhere"),
    *(answer(403, text) for text in (HTML, *NO_OBJECTS)),
]


def code_of(monkeypatch: pytest.MonkeyPatch, kind: str, error: bytes, action: str) -> str:
    calls: dict[str, Callable[[Client], object]] = {
        "send": lambda client: client.sender(QUEUE).submit([1], bodies(1)),
        "receive": lambda client: client.receiver(QUEUE).receive(1.0),
        "settle": lambda client: client.receiver(QUEUE).settle(["handle"]),
    }
    with client_of(monkeypatch, error, kind=kind) as (client, _), pytest.raises(CallFailed) as caught:
        calls[action](client)
    return caught.value.code


@pytest.mark.parametrize("action", ["send", "receive", "settle"])
@pytest.mark.parametrize("error", ERRORS)
def test_an_error_has_the_same_code_in_both_clients(
    monkeypatch: pytest.MonkeyPatch, error: str, action: str
) -> None:
    native = code_of(monkeypatch, "native", ERRORS[error], action)
    assert native == code_of(monkeypatch, "boto3", ERRORS[error], action)
    assert native


def test_codes_are_the_services_own(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = {error: code_of(monkeypatch, "native", ERRORS[error], "send") for error in ERRORS}
    assert codes["modeled"] == "AWS.SimpleQueueService.NonExistentQueue"
    assert codes["throttled"] == "RequestThrottled"
    assert codes["too many"] == "ThrottlingException"
    assert codes["html"] == codes["nothing"] == "503"


@pytest.mark.parametrize("error", NOT_THE_SERVICES)
def test_an_error_that_is_not_the_services_has_its_status(
    monkeypatch: pytest.MonkeyPatch, error: bytes
) -> None:
    assert code_of(monkeypatch, "native", error, "send") in ("403", "301")


def test_a_failed_call_keeps_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    good = answer(200, {"MessageId": "1"})
    with client_of(monkeypatch, ERRORS["service"], good) as (client, heard):
        sender = client.sender(QUEUE)
        with pytest.raises(CallFailed):
            sender.submit([1], bodies(1))
        sender.submit([2], bodies(1))
        assert list(sender.poll(0).sequence) == [2]
        assert heard.connections == 1


@pytest.mark.parametrize("reply", [b"", b"[]", b"{}", b"<html/>", b'{"Messages": 5}', b'{"Messages": [{}]}'])
def test_an_answer_that_means_nothing_is_never_a_success(
    monkeypatch: pytest.MonkeyPatch, reply: bytes
) -> None:
    with client_of(monkeypatch, answer(200, reply)) as (client, _):
        sender = client.sender(QUEUE)
        with pytest.raises(CallFailed, match="MalformedAnswer"):
            sender.submit([1], bodies(1))
        assert sender.poll(0).sequence == ()
    if reply != b"{}":  # that one says that the queue is empty
        assert code_of(monkeypatch, "native", answer(200, reply), "receive") == "MalformedAnswer"


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_what_was_settled_before_a_failing_call_is_reported(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    done, failed = answer(200, b""), ERRORS["throttled"]
    with client_of(monkeypatch, done, failed, failed, kind=kind) as (client, _):
        receiver = client.receiver(QUEUE)
        assert list(receiver.settle(["first", "second"]).handle) == ["first"]
        with pytest.raises(CallFailed):
            receiver.settle(["second"])


EXPIRED = {
    "another receive has it": answer(400, {"__type": "com.amazonaws.sqs#ReceiptHandleIsInvalid"}),
    "its time is over": answer(
        400,
        {"__type": "com.amazonaws.sqs#InvalidParameterValueException", "message": "has expired"},
        x_amzn_query_error="InvalidParameterValue;Sender",
    ),
}


@pytest.mark.parametrize("kind", ["native", "boto3"])
@pytest.mark.parametrize("error", EXPIRED)
def test_a_handle_that_is_no_good_any_more_is_not_handed_in_again(
    monkeypatch: pytest.MonkeyPatch, kind: str, error: str
) -> None:
    with client_of(monkeypatch, EXPIRED[error], answer(200, b""), kind=kind) as (client, _):
        settled = client.receiver(QUEUE).settle(["old", "new"])
    assert (list(settled.refused), list(settled.handle)) == (["old"], ["new"])
    assert [code for code, _ in settled.failed] in (["ReceiptHandleIsInvalid"], ["InvalidParameterValue"])


@pytest.mark.parametrize("kind", ["native", "boto3"])
def test_a_connection_that_ends_in_mid_answer_leaves_the_message_unknown(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    good = answer(200, {"MessageId": "1"})
    broken = Reply([good[:-3]], then_close=True)
    with client_of(monkeypatch, good, broken, kind=kind) as (client, heard):
        sender = client.sender(QUEUE)
        with pytest.raises(ConnectionLost):
            sender.submit([1, 2], bodies(2))
        assert list(sender.poll(0).sequence) == [1]
        assert len(heard.requests) == 2


def test_no_credentials_is_a_lost_connection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with (
        client_of(monkeypatch, credentials={}) as (client, _),
        pytest.raises(ConnectionLost, match="NoCredentials"),
    ):
        client.sender(QUEUE).submit([1], bodies(1))


def test_a_client_speaks_to_its_own_kind_of_target() -> None:
    access: Any = Access(username="u", password="p")
    for kind, where in (("boto3", access), ("pika", None)):
        with pytest.raises(CaseError, match=f"client {kind}"):
            make_client(make_case(client=kind).workload, where)
