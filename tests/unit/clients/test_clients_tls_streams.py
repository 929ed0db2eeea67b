"""TLS connections of the native clients: what goes over them, how they end, and who frees them."""

from __future__ import annotations

import gc
import os
import re
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from breakeven.clients.core import openssl as module
from breakeven.clients.core import tls_context
from breakeven.clients.core.loading import SWITCH
from breakeven.clients.core.tls_connection import TlsConnection
from tests.support.scripted.certificates import HOST, make_certificate_of
from tests.support.scripted.tls_server import (
    NAME,
    Pair,
    Stream,
    connected,
    conversation,
    received,
    sent,
    serving,
    trusting,
)


@pytest.fixture(scope="module")
def own() -> Pair:
    return make_certificate_of(NAME)


@pytest.fixture(params=["the core's", "Python's"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Python's":
        monkeypatch.setenv(SWITCH, "off")


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_more_than_all_buffers_hold_arrives_unchanged(own, tmp_path, newest):
    """Writes that OpenSSL takes a part of are gone on with, and reads give no more than was asked for."""
    data, got, space = bytes(range(256)) * (1 << 14), bytearray(), bytearray(1000)
    with conversation(own, tmp_path, newest=newest) as found:
        rest, until_s = memoryview(data), time.monotonic() + 30.0
        while len(got) < len(data) and time.monotonic() < until_s:
            with suppress(ssl.SSLWantWriteError, ssl.SSLWantReadError):
                rest = rest[found.send(rest) :] if rest else rest
            with suppress(ssl.SSLWantReadError):
                while True:
                    got += space[: found.recv_into(memoryview(space), len(space))]
    assert got == data


@contextmanager
def dripping(port: int) -> Iterator[int]:
    """The port of somebody who passes on to ``port`` what comes, and what comes back a little at a time."""
    listener = socket.create_server((HOST, 0))

    def attend() -> None:
        with suppress(OSError), listener.accept()[0] as near, socket.create_connection((HOST, port)) as far:
            near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                for ready in select.select((near, far), (), (), 5.0)[0]:
                    data = ready.recv(1000)
                    if not data:
                        return
                    (far if ready is near else near).sendall(data)
                    time.sleep(0.01)

    threading.Thread(target=attend, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


@pytest.mark.usefixtures("either")
def test_what_is_read_already_is_pending(own, tmp_path):
    with conversation(own, tmp_path) as found:
        assert found.pending() == 0
        sent(found, b"ping")
        assert received(found, 1) == b"p"
        assert found.pending() > 0
        assert received(found, 3) == b"ing"
        with pytest.raises(ssl.SSLWantReadError):
            found.recv(1)
        assert found.pending() == 0


@pytest.mark.usefixtures("either")
def test_what_comes_in_one_piece_is_read_without_another_word_of_the_socket(own, tmp_path):
    """Records behind the first one are read ahead; whoever waits for the socket alone would wait for ever."""

    def converse(stream: ssl.SSLSocket) -> None:
        with suppress(OSError):
            for number in range(50):
                stream.sendall(bytes((number,)) * 10)
            stream.recv(1)

    with conversation(own, tmp_path, converse) as found:
        waiting, data = select.poll(), b""
        waiting.register(found, select.POLLIN)
        while len(data) < 500:
            assert found.pending() or waiting.poll(5000), len(data)
            with suppress(ssl.SSLWantReadError):
                data += found.recv(10)
        assert data == b"".join(bytes((number,)) * 10 for number in range(50))


def test_a_part_of_a_record_is_waited_for_at_the_socket(own, tmp_path):
    """It is there, and cannot be read: asking again and again would use up a core."""
    with ExitStack() as stack:
        server = stack.enter_context(serving(own, tmp_path, lambda stream: stream.sendall(bytes(10_000))))
        port = stack.enter_context(dripping(server.port))
        found = stack.enter_context(closing(connected(trusting(own), port)))
        waiting, vain, got = select.poll(), 0, 0
        waiting.register(found, select.POLLIN)
        while got < 10_000:
            assert found.pending() or waiting.poll(5000)
            try:
                got += len(found.recv(65_536))
            except ssl.SSLWantReadError:
                vain += 1
        assert 1 <= vain <= 30


@pytest.mark.usefixtures("either")
def test_the_protocol_is_agreed_upon(own, tmp_path):
    agreed: list[str | None] = []
    note: Any = lambda stream: agreed.append(stream.selected_alpn_protocol())  # noqa: E731
    with conversation(own, tmp_path, note, protocols=("http/1.1",)) as found:
        assert received(found, 1) == b""
    assert agreed == ["http/1.1"]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("how", ["in order", "without a word"])
def test_the_servers_end_is_read_as_an_end(own, tmp_path, how):
    def converse(stream: ssl.SSLSocket) -> None:
        stream.sendall(b"last")
        if how == "in order":
            with suppress(OSError):
                stream.unwrap()

    with conversation(own, tmp_path, converse) as found:
        assert received(found, 5) == b"last"
        assert found.recv(1) == b""


@pytest.mark.usefixtures("either")
def test_writing_to_a_server_that_has_gone_is_an_error_and_no_signal(own, tmp_path):
    with conversation(own, tmp_path, lambda _: None) as found:
        assert received(found, 1) == b""
        with pytest.raises(OSError, match=r"Broken pipe|reset|closed|EOF"):
            sent(found, bytes(1 << 24))


@pytest.mark.usefixtures("either")
def test_what_the_server_has_said_is_read_after_a_write_that_failed(own, tmp_path):
    with conversation(own, tmp_path, lambda stream: stream.sendall(b"last")) as found:
        with socket.socket(fileno=os.dup(found.fileno())) as plain:
            plain.shutdown(socket.SHUT_WR)
        with pytest.raises((BrokenPipeError, ssl.SSLEOFError)):
            sent(found, b"ping")
        assert received(found, 5) == b"last"


def test_a_closed_one_is_not_touched_any_more(own, tmp_path):
    with conversation(own, tmp_path) as found:
        assert isinstance(found, TlsConnection)
        found.close()
        found.close()
        assert (found.struct.ssl, found.fileno(), found.pending()) == (None, -1, 0)
        for call in (lambda: found.send(b"x"), lambda: found.recv(1)):
            with pytest.raises(OSError, match="Bad file descriptor"):
                call()


def test_another_thread_may_close_it_at_any_time(own, tmp_path):
    """Forty are written to and read from as fast as it goes while they are closed."""
    with serving(own, tmp_path) as server:
        context = trusting(own)
        for _ in range(40):
            found, ends = connected(context, server.port), list[str]()
            thread = threading.Thread(target=drive, args=(found, ends))
            thread.start()
            time.sleep(0.005)
            found.close()
            thread.join(5.0)
            assert ends == ["[Errno 9] Bad file descriptor"]


def drive(stream: Stream, ends: list[str]) -> None:
    try:
        while True:
            with suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                stream.send(bytes(100))
                stream.recv(100)
    except OSError as error:
        ends.append(str(error))


def test_what_is_dropped_is_freed_and_once(own, tmp_path, monkeypatch):
    """OpenSSL's objects; a connection outlives its context."""
    freed: list[str] = []
    library = module.openssl()
    for name in ("SSL_free", "SSL_CTX_free"):
        free = getattr(library, name)
        noting: Any = lambda pointer, name=name, free=free: (freed.append(name), free(pointer))  # noqa: E731
        monkeypatch.setattr(library, name, noting)
    with serving(own, tmp_path) as server:
        context = trusting(own)
        closed, dropped = connected(context, server.port), connected(context, server.port)
        del context
        gc.collect()
        assert freed == ["SSL_CTX_free"]
        sent(closed, b"ping")
        assert received(closed, 4) == b"ping"
        closed.close()
        del closed, dropped
        gc.collect()
        assert freed == ["SSL_CTX_free", "SSL_free", "SSL_free"]
        with pytest.raises(ssl.SSLCertVerificationError):
            connected(trusting(own), server.port, "elsewhere.example")
        gc.collect()
        assert sorted(freed) == ["SSL_CTX_free"] * 2 + ["SSL_free"] * 3


def test_an_openssl_that_lacks_a_function_or_is_another_is_not_called(monkeypatch):
    library = module.openssl()
    with monkeypatch.context() as patch:
        patch.setitem(module.FUNCTIONS, "SSL_of_another_kind", (None,))
        with pytest.raises(module.OpenSslMissing, match="shows no SSL_of_another_kind"):
            module.declared(library)
    others = ("OPENSSL_VERSION_NUMBER", 0x1010101F), ("OPENSSL_VERSION_INFO", (1, 1, 1, 23, 15))
    for name, other in others:
        with monkeypatch.context() as patch:
            patch.setattr(ssl, name, other)
            with pytest.raises(module.OpenSslMissing, match="no OpenSSL that the core knows"):
                module.declared(library)
    assert tls_context.tls_obstacle() is None


def test_no_private_layout_is_read():
    """Nothing there asks where an object of the interpreter is in memory."""
    private = re.compile(r"\bid\(|_sslobj|from_address|__basicsize__")
    folder = Path(module.__file__).parents[1]
    assert {path.name for path in folder.rglob("*.py") if private.search(path.read_text())} == set()


def test_a_process_that_ends_with_open_connections_ends_well(own, tmp_path):
    (tmp_path / "trusted.pem").write_text(own[0])
    with serving(own, tmp_path) as server:
        script = (
            "import socket\nfrom breakeven.clients.core.tls_context import TlsContext\n"
            f"context = TlsContext(cafile={str(tmp_path / 'trusted.pem')!r})\n"
            f"plain = socket.create_connection(({HOST!r}, {server.port}))\n"
            f"kept = context.connect(plain, {NAME!r}, 5.0)\nkept.send(b'x')\n"
        )
        done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
