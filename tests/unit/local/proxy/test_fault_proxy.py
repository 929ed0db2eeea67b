"""The proxy before an SQS server: what it passes on, and how it begins and ends.

It is the process of a run; behind it is a server that answers what a test wrote down.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from breakeven.errors import BreakevenError
from local.children import Children
from local.servers.proxy.fault_proxy import FaultProxy
from tests.support.scripted.scripted_http import Reply, answer
from tests.support.weather.behind_proxy import (
    SENT,
    Behind,
    call,
    connected,
)
from tests.support.workflow.processes import eventually


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
