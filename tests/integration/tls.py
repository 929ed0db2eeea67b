"""TLS in front of a server that speaks none, with a certificate made for it."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.certificates import HOST


@contextmanager
def terminator(certificate: Path, port: int) -> Iterator[int]:
    """The port of a TLS server that passes everything on to ``port`` of this machine, and back."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server((HOST, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                plain, _ = listener.accept()
                threading.Thread(target=_pass_on, args=(context, plain, port), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _pass_on(context: ssl.SSLContext, plain: socket.socket, port: int) -> None:
    with (
        suppress(OSError),
        plain,
        context.wrap_socket(plain, server_side=True) as client,
        socket.create_connection((HOST, port)) as server,
    ):
        threading.Thread(target=_pump, args=(server, client), daemon=True).start()
        _pump(client, server)


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
