"""The proxy before an SQS server: what calls that meet a fault come to, and what it counts.

It is the process of a run; behind it is a server that answers what a test wrote down.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from breakeven.clients.base import CallFailed, Client, ConnectionLost
from breakeven.clients.factory import make_client
from breakeven.workload.service_faults import ServiceFault
from local.servers.proxy.sqs_calls import COPY
from tests.support.cases import workload_with
from tests.support.scripted.scripted_http import answer
from tests.support.weather.behind_proxy import (
    LONG_S,
    NOTHING,
    OTHER,
    QUEUE,
    SENT,
    Behind,
    call,
    connected,
    is_reset,
    message,
)

CLIENTS = ("native", "boto3")


@contextmanager
def client_of(found: Behind, kind: str) -> Iterator[Client]:
    made = make_client(workload_with(client=kind), None, found.proxy.endpoint)
    yield made
    made.close()


@pytest.mark.parametrize("kind", CLIENTS)
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"kind": "throttle"}, "RequestThrottled"),
        ({"kind": "error", "status": 500}, "InternalFailure"),
        ({"kind": "error", "status": 503}, "ServiceUnavailable"),
    ],
)
def test_both_clients_know_a_refusal_by_the_services_own_name(behind, kind, fault, code) -> None:
    with behind(SENT) as found, client_of(found, kind) as client:
        found.begin(**fault)
        sender = client.sender(QUEUE)
        for number in range(3):
            with pytest.raises(CallFailed) as caught:
                sender.submit([number], [b"b" * 16])
            assert (caught.value.code, caught.value.taken) == (code, 0)
        ended = found.end()
        assert (ended.calls, ended.seen, found.heard.requests) == ({"send": 3}, 3, [])
        sender.submit([3], [b"b" * 16])  # on the same connection
        assert len(found.heard.requests) == 1


def test_a_refusal_has_the_status_and_the_headers_of_the_json_protocol(behind) -> None:
    with behind() as found:
        sqs = boto3.Session("a", "b", None, "us-east-1").client(
            "sqs", endpoint_url=found.proxy.endpoint, config=Config(retries={"total_max_attempts": 1})
        )
        found.begin("throttle")
        with pytest.raises(sqs.exceptions.RequestThrottled) as caught:
            sqs.receive_message(QueueUrl=QUEUE)
        said = caught.value.response
        assert said["ResponseMetadata"]["HTTPStatusCode"] == 403
        assert said["ResponseMetadata"]["HTTPHeaders"]["x-amzn-query-error"] == "RequestThrottled;Sender"
        assert said["ResponseMetadata"]["RequestId"]
        found.end()
        found.begin("error", status=503)
        with pytest.raises(ClientError) as failed:
            sqs.delete_message(QueueUrl=QUEUE, ReceiptHandle="h")
        assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
        sqs.close()


@pytest.mark.parametrize(("when", "taken"), [("before", 0), ("after", 1)])
def test_a_connection_is_reset_before_or_after_the_call_was_taken(behind, when, taken) -> None:
    with behind(SENT, SENT) as found, connected(found) as to:
        found.begin("reset", when=when)
        assert is_reset(to, "SendMessage")
        assert (found.end().calls, len(found.heard.requests)) == ({"send": 1}, taken)
        assert call(to, "SendMessage")[0] == 200


@pytest.mark.parametrize("kind", CLIENTS)
def test_both_clients_know_a_reset_for_a_lost_connection(behind, kind) -> None:
    with behind(SENT) as found, client_of(found, kind) as client:
        found.begin("reset", when="after")
        sender = client.sender(QUEUE)
        with pytest.raises(ConnectionLost):
            sender.submit([0], [b"b" * 16])
        assert found.end().calls == {"send": 1}


def test_a_call_is_passed_on_later(behind) -> None:
    with behind(SENT) as found, connected(found) as to:
        found.begin("delay", delay_ms=150)
        began_s = time.monotonic()
        assert call(to, "SendMessage")[0] == 200
        assert time.monotonic() - began_s >= 0.15
        assert found.end().calls == {"send": 1}


def test_only_the_calls_and_queues_that_are_meant_meet_it_and_are_counted(behind) -> None:
    with behind(*[NOTHING] * 5) as found, connected(found) as to:
        found.begin("throttle", calls=("delete",))
        assert call(to, "SendMessage")[0] == 200
        assert call(to, "ReceiveMessage")[0] == 200
        assert call(to, "GetQueueAttributes")[0] == 200
        assert call(to, "DeleteMessage", OTHER, ReceiptHandle="h")[0] == 200
        assert call(to, "DeleteMessage", ReceiptHandle="h")[0] == 403
        assert call(to, "DeleteMessageBatch", Entries=[{"Id": "0", "ReceiptHandle": "h"}])[0] == 403
        ended = found.end()
        assert (ended.calls, ended.seen) == ({"delete": 2}, 2)
        assert call(to, "DeleteMessage", ReceiptHandle="h")[0] == 200


def test_it_ends_by_the_proxys_own_clock(behind) -> None:
    with behind(SENT) as found, connected(found) as to:
        found.begin("throttle", for_s=0.05)
        time.sleep(0.2)
        assert call(to, "SendMessage")[0] == 200
        assert found.end().seen == 0


def test_the_same_seed_chooses_the_same_calls_and_keeps_the_share(behind) -> None:
    with behind(*[SENT] * 400) as found, connected(found) as to:

        def met(seed: int) -> list[bool]:
            found.begin("throttle", percent=25, seed=seed)
            statuses = [call(to, "SendMessage")[0] for _ in range(100)]
            assert found.end().calls == {"send": statuses.count(403)}
            return [status == 403 for status in statuses]

        first, again, other = met(7), met(7), met(8)
        assert first == again != other
        assert 10 < sum(first) < 40


def received(to: HTTPConnection) -> list[dict[str, Any]]:
    return list(call(to, "ReceiveMessage")[1].get("Messages", []))


def test_a_message_is_handed_out_once_more_and_counts_then(behind) -> None:
    first = answer(200, {"Messages": [message(1), message(2)]})
    with behind(first, NOTHING) as found, connected(found) as to:
        found.begin("duplicate")
        assert [each["ReceiptHandle"] for each in received(to)] == ["h1", "h2"]
        copies = [received(to), received(to)]
        assert [len(each) for each in copies] == [1, 1]
        for number, (copy,) in enumerate(copies, start=1):
            assert (copy["Body"], copy["Attributes"]) == (f"{number}", {"ApproximateReceiveCount": "1"})
            assert copy["ReceiptHandle"].startswith(COPY)
        assert received(to) == [], "each once"
        ended = found.end()
        assert (ended.calls, ended.seen) == ({"receive": 2}, 2)
        assert found.operations() == ["receivemessage"] * 2


def test_what_was_not_handed_out_by_the_end_is_not(behind) -> None:
    with behind(answer(200, {"Messages": [message(1)]}), NOTHING) as found, connected(found) as to:
        found.begin("duplicate")
        received(to)
        ended = found.end()
        assert (ended.calls, ended.seen) == ({}, 1)
        assert received(to) == []


def test_a_queue_has_copies_of_its_own_messages_only(behind) -> None:
    with behind(answer(200, {"Messages": [message(1)]}), NOTHING) as found, connected(found) as to:
        fault = ServiceFault(at_s=0, kind="duplicate", for_s=LONG_S, percent=100)
        found.proxy.begin("f", fault, [QUEUE, OTHER])
        received(to)
        assert call(to, "ReceiveMessage", OTHER) == (200, {})
        assert len(received(to)) == 1


def test_copies_are_deleted_here_and_the_rest_behind(behind) -> None:
    both = {"Successful": [{"Id": "1"}], "Failed": [{"Id": "2", "Code": "x", "SenderFault": False}]}
    script = (answer(200, {"Messages": [message(1)]}), answer(200, both), answer(503, {}))
    with behind(*script) as found, connected(found) as to:
        found.begin("duplicate")
        received(to)
        (copy,) = received(to)
        handle = copy["ReceiptHandle"]
        found.end()  # copies in hand are deleted after it, too
        assert call(to, "DeleteMessage", ReceiptHandle=handle) == (200, {})
        entries = [{"Id": str(n), "ReceiptHandle": h} for n, h in enumerate((handle, "h1", "h2"))]
        status, said = call(to, "DeleteMessageBatch", Entries=entries)
        assert (status, sorted(each["Id"] for each in said["Successful"])) == (200, ["0", "1"])
        assert said["Failed"] == both["Failed"]
        assert found.heard.documents()[-1]["Entries"] == entries[1:]
        assert call(to, "DeleteMessageBatch", Entries=entries[:1])[1]["Successful"] == [{"Id": "0"}]
        assert call(to, "DeleteMessageBatch", Entries=entries)[0] == 503


def test_a_receive_that_meets_its_end_neither_brings_nor_makes_a_copy(behind) -> None:
    some = answer(200, {"Messages": [message(1)]})
    with behind(some, some, some) as found, connected(found) as to:
        found.begin("duplicate")
        received(to)
        reset = ServiceFault(at_s=0, kind="reset", when="after", for_s=LONG_S, percent=100)
        found.proxy.begin("r", reset, [QUEUE])
        assert is_reset(to, "ReceiveMessage")
        assert found.proxy.end("r").calls == {"receive": 1}
        assert [each["ReceiptHandle"][: len(COPY)] for each in received(to)] == [COPY]
        assert found.end().calls == {"receive": 1}
