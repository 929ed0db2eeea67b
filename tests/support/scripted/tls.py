"""TLS in front of servers that speak none, with a certificate made for it."""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.scripted.certificates import HOST


@contextmanager
def terminator(certificate: Path, *ports: int, damaging: threading.Event | None = None) -> Iterator[int]:
    """The port of a TLS server that passes everything on to ``ports`` of this machine, and back.

    With several, each connection is another one's, in turn, as before nodes behind a load balancer: one that
    takes no connections is passed over.

    :param damaging: when it is set, what comes back is passed on as no TLS
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    listener = socket.create_server((HOST, 0))
    turn = deque(ports)

    def serve() -> None:
        with suppress(OSError):
            while True:
                plain, _ = listener.accept()
                turn.rotate(-1)
                args = (context, plain, tuple(turn), damaging)
                threading.Thread(target=_pass_on, args=args, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _pass_on(
    context: ssl.SSLContext, plain: socket.socket, ports: Sequence[int], damaging: threading.Event | None
) -> None:
    """Both ways in one thread: a TLS connection is not for two. Until either side ends."""
    with (
        suppress(OSError),
        plain,
        socket.socket(fileno=os.dup(plain.fileno())) as bare,
        context.wrap_socket(plain, server_side=True) as client,
        _connected(ports) as server,
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


def _connected(ports: Sequence[int]) -> socket.socket:
    """To the first that takes the connection.

    :raises OSError: none does
    """
    for port in ports[:-1]:
        with suppress(OSError):
            return socket.create_connection((HOST, port))
    return socket.create_connection((HOST, ports[-1]))


def _piece(source: socket.socket, sink: socket.socket) -> int:
    """Pass on what is there; how many bytes."""
    data = source.recv(65_536)
    sink.sendall(data)
    return len(data)
