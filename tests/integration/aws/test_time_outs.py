"""A TLS server that keeps a client waiting, on this Python and on the deployed one: each call ends."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from breakeven.clients.core.loading import core
from tests.support.scripted.certificates import make_certificate_for
from tests.support.scripted.scripted_broker import scripted
from tests.support.scripted.tls import terminator

ROOT = Path(__file__).parents[3]
HOST = "127.0.0.1"
#: what the clients are given, and when one that has not ended is hung; seconds
TIMEOUT_S, DEADLINE_S = 0.75, 120.0
#: an answer that says how long it is, and goes on for longer than anybody waits
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"
#: and how a long method of AMQP begins
FRAME = b"\x01\x00\x00\x00\x00\x27\x10"
Way = Callable[[socket.socket, threading.Event], None]


def silent(connected: socket.socket, ended: threading.Event) -> None:
    """Reads all that comes, and never says a word."""
    while connected.recv(1 << 20):
        pass


def stalling(connected: socket.socket, ended: threading.Event) -> None:
    """Stops in the middle of its answer."""
    connected.recv(1)
    connected.sendall(ANSWER + b"{")
    silent(connected, ended)


def dripping(connected: socket.socket, ended: threading.Event, begins: bytes = ANSWER) -> None:
    """Answers a byte at a time; reads meanwhile, so that it is its answer that is waited for."""
    connected.settimeout(0.02)
    whole = iter(begins + b" " * 10_000)
    while not ended.is_set():
        with suppress(TimeoutError, ssl.SSLWantReadError):
            while connected.recv(1 << 20):
                pass
        connected.sendall(bytes([next(whole)]))


def never_reading(connected: socket.socket, ended: threading.Event) -> None:
    ended.wait()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With its key behind it, in one file; the certificate alone in ``trusted.pem`` beside it."""
    folder = tmp_path_factory.mktemp("tls")
    own, key = make_certificate_for(HOST)
    (folder / "trusted.pem").write_text(own)
    (folder / "served.pem").write_text(own + key)
    return folder / "served.pem"


@contextmanager
def server(way: Way | None, certificate: Path) -> Iterator[int]:
    """Its port. ``way``: what is done with a connection; None: not even a handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener, ended = socket.create_server((HOST, 0)), threading.Event()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def attend(plain: socket.socket) -> None:
        with suppress(OSError), plain:
            if way is None:
                ended.wait()
                return
            with context.wrap_socket(plain, server_side=True) as connected:
                way(connected, ended)

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=attend, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        ended.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@pytest.fixture
def ports(certificate: Path) -> Iterator[dict[str, int]]:
    ways: dict[str, Way] = {
        "silent": silent,
        "stalling": stalling,
        "dripping": dripping,
        "dripping frame": partial(dripping, begins=FRAME),
        "never-reading": never_reading,
    }
    with ExitStack() as stack:
        enter = stack.enter_context
        found = {name: enter(server(way, certificate)) for name, way in ways.items()}
        broker = enter(scripted(reads_until="Channel.Open"))
        found["never-reading broker"] = enter(terminator(certificate, broker.port))
        found["handshake"] = enter(server(None, certificate))
        yield found


def test_a_tls_server_that_keeps_a_client_waiting_is_given_up_in_time(
    python: Path, ports: dict[str, int], certificate: Path
) -> None:
    assert core() is not None
    orders: dict[str, Any] = {
        "timeout_s": TIMEOUT_S,
        "deadline_s": DEADLINE_S,
        "certificate": str(certificate.with_name("trusted.pem")),
        "ports": ports,
    }
    child = subprocess.run(
        [python, "-m", "tests.support.scripted.time_outs"],
        input=json.dumps(orders),
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}/functions:{ROOT}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S + 40,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    ends = json.loads(child.stdout)
    assert {name: end for name, end in ends.items() if end is None} == {}, "these never end"
    others = {name: end for name, end in ends.items() if not says_so(end)}
    assert others == {}
    assert len(ends) == 18


def says_so(end: str) -> bool:
    """Is it the time-out that ended it?"""
    return end.startswith("ConnectionLost: ") and any(
        words in end for words in ("no answer in time", "timed out", f"no answer within {TIMEOUT_S:g} s")
    )
