"""The connection of the native SQS client: what comes over a real socket, and how it ends."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from breakeven.clients.base import ConnectionLost
from breakeven.clients.sqs.answer import AnswerReader, NotAnAnswer
from breakeven.clients.sqs.connection import Begun, Connection
from breakeven.clients.sqs.endpoint import Endpoint
from tests.support.scripted.scripted_http import LOOPBACK, Heard, Reply, answer, scripted

REQUEST = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
BODY = b'{"MessageId":"1"}'
PLAIN = answer(200, BODY, X_Amzn_RequestId="r-1")
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Amzn-RequestId: r-1\r\n\r\n"
    b'7\r\n{"Messa\r\n0a;x=y\r\ngeId":"1"}\r\n0\r\n\r\n'
)
CONTINUED = b"HTTP/1.1 100 Continue\r\n\r\n" + PLAIN


@contextmanager
def talking(*script: bytes | Reply, timeout_s: float = 10.0) -> Iterator[tuple[Connection, Heard]]:
    with scripted(*script) as (port, heard):
        connection = Connection(Endpoint.of(f"http://{LOOPBACK}:{port}"), timeout_s, None)
        yield connection, heard
        connection.close()


@pytest.mark.parametrize("whole", [PLAIN, CHUNKED, CONTINUED], ids=["length", "chunked", "continued"])
def test_an_answer_is_the_same_however_it_is_split(whole: bytes) -> None:
    reader = AnswerReader()
    for cut in range(1, len(whole)):
        reader.begin()
        reader.feed(whole[:cut])
        assert not reader.is_complete
        reader.feed(whole[cut:])
        assert (reader.is_complete, reader.status, reader.body) == (True, 200, BODY)
        assert reader.headers["x-amzn-requestid"] == "r-1"
        assert reader.keeps_alive
    reader.begin()
    for byte in whole:
        reader.feed(bytes([byte]))
    assert (reader.is_complete, reader.body) == (True, BODY)


@pytest.mark.parametrize("said", [b"220 mail.example ESMTP\r\n", PLAIN + PLAIN, b"\x16\x03\x01\x02\x00"])
def test_what_is_not_the_one_answer_is_an_error(said: bytes) -> None:
    with pytest.raises(NotAnAnswer):
        AnswerReader().feed(said)


@pytest.mark.parametrize("whole", [PLAIN, CHUNKED], ids=["length", "chunked"])
def test_requests_share_a_connection(whole: bytes) -> None:
    with talking(whole, Reply([whole[:30], whole[30:]], pause_s=0.05), whole) as (connection, heard):
        for _ in range(3):
            assert connection.exchange(REQUEST).body == BODY
        assert heard.connections == 1
        assert [body for _, body in heard.requests] == [b"{}"] * 3


def test_a_server_that_says_it_will_close_gets_a_new_connection() -> None:
    closing = Reply([answer(200, BODY, Connection="close")], then_close=True)
    with talking(closing, PLAIN) as (connection, heard):
        assert connection.exchange(REQUEST).body == BODY
        assert connection.exchange(REQUEST).body == BODY
        assert (heard.connections, len(heard.requests)) == (2, 2)


def test_a_connection_that_was_closed_while_idle_is_opened_again() -> None:
    with talking(Reply([PLAIN], then_close=True), PLAIN) as (connection, heard):
        connection.exchange(REQUEST)
        assert heard.closed.wait(60)
        assert connection.exchange(REQUEST).body == BODY
        assert (heard.connections, len(heard.requests)) == (2, 2)


def test_words_that_nobody_asked_for_end_a_connection() -> None:
    with talking(Reply([PLAIN, PLAIN], pause_s=0.1), answer(200, b"second")) as (connection, heard):
        connection.exchange(REQUEST)
        while not connection._poll.poll(100):
            pass
        assert connection.exchange(REQUEST).body == b"second"
        assert heard.connections == 2


@pytest.mark.parametrize("said", [b"", PLAIN[:20], PLAIN[:-1], CHUNKED[:-2]])
def test_closed_before_the_end_of_an_answer_is_lost_and_not_asked_again(said: bytes) -> None:
    with talking(Reply([said], then_close=True), PLAIN) as (connection, heard):
        with pytest.raises(ConnectionLost, match=r"closed before the answer's end|reset"):
            connection.exchange(REQUEST)
        assert len(heard.requests) == 1
        assert connection.exchange(REQUEST).body == BODY


def test_not_http_is_lost() -> None:
    with talking(b"220 mail.example ESMTP\r\n") as (connection, _), pytest.raises(ConnectionLost):
        connection.exchange(REQUEST)


@pytest.mark.parametrize("pieces", [[b""], [bytes([byte]) for byte in PLAIN]], ids=["silent", "drops"])
def test_an_answer_that_does_not_come_in_time_is_lost(pieces: list[bytes]) -> None:
    with (
        talking(Reply(pieces, pause_s=0.05), timeout_s=0.3) as (connection, _),
        pytest.raises(ConnectionLost, match="no answer in time"),
    ):
        connection.exchange(REQUEST)


def test_an_answer_to_half_a_request_is_read() -> None:
    """A server may refuse a large request, and close, before it has read it."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        connection = Connection(Endpoint.of(f"http://{LOOPBACK}:{listener.getsockname()[1]}"), 5.0, None)
        connection.open()
        accepted, _ = listener.accept()
        with accepted:
            accepted.sendall(answer(413, b"too large"))
            connected = connection._socket
            assert connected is not None
            connected.shutdown(socket.SHUT_WR)
            with pytest.raises(BrokenPipeError):
                connected.sendall(REQUEST)
            reader = connection._exchange(connected, Begun(REQUEST, b"", time.monotonic()))
        assert (reader.status, reader.body) == (413, b"too large")
        connection.close()
