"""An HTTP server on a real socket that answers what a test wrote down, byte for byte."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

LOOPBACK = "127.0.0.1"


def answer(status: int, document: object, **headers: str) -> bytes:
    """A whole answer with a JSON body (bytes go as they are); ``_`` in a header's name stands for ``-``."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
    head = f"HTTP/1.1 {status} Words\r\nContent-Length: {len(body)}\r\n{''.join(lines)}\r\n"
    return head.encode() + body


@dataclass(frozen=True, slots=True)
class Reply:
    """``pieces`` are sent one by one, ``pause_s`` apart, as the answer to one request."""

    pieces: Sequence[bytes]
    then_close: bool = False
    pause_s: float = 0.0


@dataclass(slots=True)
class Heard:
    """What came: requests by connection. ``head`` and body of each."""

    connections: int = 0
    requests: list[tuple[bytes, bytes]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)  # the server closed a connection

    def documents(self) -> list[dict[str, object]]:
        return [json.loads(body) for _, body in self.requests]


@contextmanager
def scripted(*script: bytes | Reply, tls: ssl.SSLContext | None = None) -> Iterator[tuple[int, Heard]]:
    """A server that gives these answers in turn, on however many connections; yields its port."""
    replies = [reply if isinstance(reply, Reply) else Reply([reply]) for reply in script]
    heard, listener = Heard(), socket.create_server((LOOPBACK, 0))
    attending: list[tuple[threading.Thread, socket.socket]] = []

    def serve() -> None:
        with suppress(OSError):  # the test has ended
            while True:
                connected, _ = listener.accept()
                thread = threading.Thread(target=attend, args=(connected,), daemon=True)
                attending.append((thread, connected))
                thread.start()

    def attend(connected: socket.socket) -> None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or a second piece waits for an ACK
        with suppress(OSError):
            _converse(tls.wrap_socket(connected, server_side=True) if tls else connected)
        connected.close()

    def next_reply() -> Reply | None:
        with suppress(IndexError):
            return replies.pop(0)
        return None

    def _converse(connected: socket.socket) -> None:
        heard.connections += 1
        with connected, connected.makefile("rb") as stream:
            while replies and (request := _request(stream)):
                heard.requests.append(request)
                reply = next_reply()
                if reply is None:  # another connection has had the last one
                    stream.read()
                    return
                for piece in reply.pieces:
                    connected.sendall(piece)
                    time.sleep(reply.pause_s)
                if reply.then_close:
                    break
            else:
                stream.read()  # until the client closes
                return
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
        heard.closed.set()

    serving = threading.Thread(target=serve, daemon=True)
    serving.start()
    try:
        yield listener.getsockname()[1], heard
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        serving.join(5.0)
        for thread, connected in attending:
            with suppress(OSError):
                connected.shutdown(socket.SHUT_RDWR)
            thread.join(5.0)


def _request(stream: object) -> tuple[bytes, bytes] | None:
    lines: list[bytes] = []
    while (line := stream.readline()) not in (b"\r\n", b""):
        lines.append(line)
    if not lines:
        return None
    head = b"".join(lines)
    (length,) = (int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:"))
    return head, stream.read(length)
