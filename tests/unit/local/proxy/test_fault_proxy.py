"""The proxy before an SQS server: what it passes on, what calls that meet a fault come to, what it counts.

It is the process of a run; behind it is a server that answers what a test wrote down.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from breakeven.clients.base import CallFailed, Client, ConnectionLost
from breakeven.clients.factory import make_client
from breakeven.errors import BreakevenError
from breakeven.workload.service_faults import ServiceFault
from local.children import Children
from local.servers.proxy.fault_proxy import FaultProxy, Injected
from local.servers.proxy.sqs_calls import COPY
from tests.support.cases import workload_with
from tests.support.scripted.scripted_http import Heard, Reply, answer, scripted
from tests.support.workflow.processes import eventually

QUEUE, OTHER = "http://sqs/1/q", "http://sqs/1/another"
SENT = answer(200, {"MessageId": "m", "MD5OfMessageBody": "0"})
NOTHING = answer(200, {})
LONG_S = 60.0


def message(number: int) -> dict[str, Any]:
    return {
        "Body": f"{number}",
        "ReceiptHandle": f"h{number}",
        "Attributes": {"ApproximateReceiveCount": "2"},
    }


@dataclass
class Behind:
    """The proxy, and what came through to the server."""

    proxy: FaultProxy
    heard: Heard
    folder: Path

    def operations(self) -> list[str]:
        heads = (head.decode().lower() for head, _ in self.heard.requests)
        return [head.partition("x-amz-target: amazonsqs.")[2].partition("\r\n")[0] for head in heads]

    def begin(self, kind: Any, percent: float = 100, **fields: Any) -> None:
        given = {"at_s": 0, "for_s": LONG_S, **fields}
        self.proxy.begin("f", ServiceFault(kind=kind, percent=percent, **given), [QUEUE])

    def end(self) -> Injected:
        return self.proxy.end("f")


@pytest.fixture
def behind(tmp_path) -> Callable[..., Any]:
    @contextmanager
    def made(*script: bytes | Reply) -> Iterator[Behind]:
        with Children() as children, scripted(*script) as (port, heard):
            proxy = FaultProxy(children, f"http://127.0.0.1:{port}", tmp_path)
            proxy.start()
            yield Behind(proxy, heard, tmp_path)
            proxy.stop()
            proxy.stop()
            assert (children.running(), list(tmp_path.iterdir())) == ([], [])

    return made


@contextmanager
def connected(found: Behind) -> Iterator[HTTPConnection]:
    address = urlsplit(found.proxy.endpoint)
    connection = HTTPConnection(str(address.hostname), address.port, timeout=20)
    yield connection
    connection.close()


def call(to: HTTPConnection, operation: str, queue: str = QUEUE, **members: Any) -> tuple[int, Any]:
    """Status and document of the answer."""
    headers = {"X-Amz-Target": f"AmazonSQS.{operation}"}
    to.request("POST", "/", json.dumps({"QueueUrl": queue, **members}), headers)
    came: HTTPResponse = to.getresponse()
    return came.status, json.loads(came.read() or b"{}")


def is_reset(to: HTTPConnection, operation: str) -> bool:
    try:
        call(to, operation)
    except ConnectionResetError:
        to.close()
        return True
    except RemoteDisconnected:  # closed in good order
        return False
    return False


def test_without_a_fault_all_is_passed_on_byte_by_byte_on_one_connection_each_way(behind) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\n{}\n\r\n0\r\nTrailer: t\r\n\r\n"
    whole = answer(200, b"x" * 300_000)
    split = Reply([SENT[:20], SENT[20:]], pause_s=0.02)
    request = (
        b"POST /1/q HTTP/1.1\r\nX-Amz-Target: AmazonSQS.SendMessage\r\nContent-Length: 2\r\nHost: h\r\n\r\n{}"
    )
    with behind(chunked, whole, split) as found:
        port = urlsplit(found.proxy.endpoint).port
        with socket.create_connection(("127.0.0.1", port)) as to:
            for each in (chunked, whole, SENT):
                to.sendall(request)
                assert came_to(to, len(each)) == each
        assert found.heard.connections == 1
        assert {body for _, body in found.heard.requests} == {b"{}"}
        assert found.heard.requests[0][0] == request.partition(b"\r\n\r\n")[0] + b"\r\n"


def came_to(to: socket.socket, length: int) -> bytes:
    came = b""
    while len(came) < length and (more := to.recv(length - len(came))):
        came += more
    return came


def test_a_connection_that_the_server_has_closed_meanwhile_is_opened_again(behind) -> None:
    with behind(Reply([SENT], then_close=True), SENT) as found, connected(found) as to:
        assert call(to, "SendMessage")[0] == 200
        assert found.heard.closed.wait(20)
        time.sleep(0.2)
        assert call(to, "SendMessage")[0] == 200
        assert found.heard.connections == 2


def test_that_an_answer_ends_its_connection_ends_the_clients_too(behind) -> None:
    closing, endless = answer(200, {}, Connection="close"), b"HTTP/1.1 200 OK\r\n\r\n{}"
    with behind(Reply([closing], then_close=True), Reply([endless], then_close=True)) as found:
        for _ in range(2):
            with connected(found) as to:
                assert call(to, "SendMessage") == (200, {})
                assert to.sock is None or to.sock.recv(1) == b""


@pytest.mark.parametrize(
    "came",
    [b"\x16\x03\x01 no HTTP at all\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: ten\r\n\r\n", b"POST /"],
)
def test_what_is_no_request_ends_its_connection_and_nothing_else(behind, came: bytes) -> None:
    with behind(SENT) as found:
        port = urlsplit(found.proxy.endpoint).port
        with socket.create_connection(("127.0.0.1", port), timeout=20) as to:
            to.sendall(came)
            to.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                assert to.recv(100) == b""
        with connected(found) as other:
            assert call(other, "SendMessage")[0] == 200


def test_a_server_that_has_gone_ends_the_clients_connection(behind) -> None:
    with behind() as found:
        gone = FaultProxy(found.proxy._process._children, "http://127.0.0.1:1", found.folder)
        gone.start()
        with connected(Behind(gone, found.heard, found.folder)) as to, pytest.raises(ConnectionError):
            call(to, "SendMessage")
        gone.stop()


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


def test_a_client_that_hangs_up_ends_nothing_but_its_own_connection(behind) -> None:
    with behind(Reply([SENT], pause_s=0.1), SENT) as found:
        port = urlsplit(found.proxy.endpoint).port
        to = socket.create_connection(("127.0.0.1", port))
        to.sendall(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
        to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        to.close()
        with connected(found) as other:
            assert call(other, "SendMessage")[0] == 200


def test_one_that_has_ended_says_so(behind) -> None:
    with behind() as found:
        process = found.proxy._process._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(2):
            with pytest.raises(BreakevenError, match="the fault proxy has ended"):
                found.begin("throttle")
        found.proxy.stop()
        with pytest.raises(BreakevenError, match="the fault proxy does not run"):
            found.end()


def test_one_that_does_not_answer_is_ended_so_that_no_late_answer_is_taken_for_another(
    behind, monkeypatch
) -> None:
    with behind() as found:
        monkeypatch.setattr("local.servers.ordered_process.PATIENCE_S", 0.2)
        process = found.proxy._process._process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(BreakevenError, match=r"did not answer within 0\.2 s"):
            found.begin("throttle")
        assert process.poll() is not None
        with pytest.raises(BreakevenError, match="the fault proxy has ended"):
            found.end()


def test_it_ends_with_whoever_has_started_it(behind) -> None:
    with behind() as found:
        process = found.proxy._process._process
        assert process is not None
        assert process.stdin is not None
        process.stdin.close()
        assert eventually(lambda: process.poll() is not None, 20)


def test_one_that_cannot_start_is_told_of_with_what_it_said(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("local.servers.proxy.fault_proxy.MODULE", "local.servers.proxy.no_such_module")
    with Children() as children:
        proxy = FaultProxy(children, "http://127.0.0.1:1", tmp_path)
        with pytest.raises(BreakevenError, match="No module named"):
            proxy.start()
        assert (children.running(), list(tmp_path.iterdir())) == ([], [])
