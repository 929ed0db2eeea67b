"""A TLS server with a certificate of a test's choice, and connections to it."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from breakeven.clients.core.tls_connection import TlsConnection
from breakeven.clients.core.tls_context import TlsContext
from tests.support.scripted.certificates import HOST

NAME = "broker.corp.example"
#: a certificate that signs itself, and its key
Pair = tuple[str, str]
Stream = ssl.SSLSocket | TlsConnection
Converse = Callable[[ssl.SSLSocket], None]


@dataclass(slots=True)
class Server:
    """``asked_for``: the names that clients said; ``ended``: how each connection did."""

    port: int
    asked_for: list[str | None] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)


def echo(connected: ssl.SSLSocket) -> None:
    while data := connected.recv(65_536):
        connected.sendall(data)


@contextmanager
def serving(
    certificate: Pair,
    folder: Path,
    converse: Converse = echo,
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    ciphers: str | None = None,
) -> Iterator[Server]:
    context = _context(certificate, folder, newest, ciphers)
    listener = socket.create_server((HOST, 0))
    server = Server(listener.getsockname()[1])
    context.sni_callback = lambda _, name, __: server.asked_for.append(name)

    def attend(plain: socket.socket) -> None:
        try:
            with plain, context.wrap_socket(plain, server_side=True) as connected:
                converse(connected)
        except OSError as error:
            server.ended.append(str(error))
        else:
            server.ended.append("in order")

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=attend, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _context(certificate: Pair, folder: Path, newest: ssl.TLSVersion, ciphers: str | None) -> ssl.SSLContext:
    path = folder / "served.pem"
    path.write_text("".join(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, newest
    if ciphers:
        context.set_ciphers(ciphers)
    context.load_cert_chain(path)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def trusting(certificate: Pair, *protocols: str) -> TlsContext:
    return TlsContext(cadata=certificate[0], protocols=protocols)


def connected(context: TlsContext, port: int, host: str = NAME, timeout_s: float = 5.0) -> Stream:
    plain = socket.create_connection((HOST, port), 5.0)
    try:
        return context.connect(plain, host, timeout_s)
    except BaseException:
        plain.close()
        raise


@contextmanager
def conversation(
    certificate: Pair,
    folder: Path,
    converse: Converse = echo,
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    protocols: tuple[str, ...] = (),
) -> Iterator[Stream]:
    """A connection to a server of that certificate, which is trusted."""
    with (
        serving(certificate, folder, converse, newest) as server,
        closing(connected(trusting(certificate, *protocols), server.port)) as found,
    ):
        yield found


def received(stream: Stream, count: int) -> bytes:
    """So many bytes, or fewer before the end."""
    data, until_s = b"", time.monotonic() + 5.0
    while len(data) < count:
        assert time.monotonic() < until_s
        with suppress(ssl.SSLWantReadError):
            more = stream.recv(count - len(data))
            if not more:
                break
            data += more
    return data


def sent(stream: Stream, data: bytes) -> None:
    rest, until_s = memoryview(data), time.monotonic() + 10.0
    while rest:
        assert time.monotonic() < until_s
        with suppress(ssl.SSLWantWriteError, ssl.SSLWantReadError):
            rest = rest[stream.send(rest) :]
