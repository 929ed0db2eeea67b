"""TLS in front of a server that speaks none, with a certificate made for it."""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.scripted.certificates import HOST


@contextmanager
def terminator(certificate: Path, port: int, damaging: threading.Event | None = None) -> Iterator[int]:
    """The port of a TLS server that passes everything on to ``port`` of this machine, and back.

    :param damaging: when it is set, what comes back is passed on as no TLS
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server((HOST, 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                plain, _ = listener.accept()
                threading.Thread(target=_pass_on, args=(context, plain, port, damaging), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _pass_on(
    context: ssl.SSLContext, plain: socket.socket, port: int, damaging: threading.Event | None
) -> None:
    """Both ways in one thread: a TLS connection is not for two. Until either side ends."""
    with (
        suppress(OSError),
        plain,
        socket.socket(fileno=os.dup(plain.fileno())) as bare,
        context.wrap_socket(plain, server_side=True) as client,
        socket.create_connection((HOST, port)) as server,
    ):
        while True:
            readable = [client] if client.pending() else select.select((client, server), (), ())[0]
            sink = bare if damaging and damaging.is_set() else client
            if server in readable and not _piece(server, sink):
                client.shutdown(socket.SHUT_WR)
                return
            if client in readable and not _piece(client, server):
                server.shutdown(socket.SHUT_WR)
                return


def _piece(source: socket.socket, sink: socket.socket) -> int:
    """Pass on what is there; how many bytes."""
    data = source.recv(65_536)
    sink.sendall(data)
    return len(data)
