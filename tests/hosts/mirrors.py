"""This machine's Debian mirrors, where a host would find them on the internet."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit

#: RFC 5737's addresses for examples, one a mirror
FIRST = "203.0.113.{}"
WEB = {"http": 80, "https": 443}
CHUNK = 1 << 16


class _Relay(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    there: tuple[str, int]


class _Handler(BaseRequestHandler):
    server: _Relay

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(self.server.there, 30) as there:
            there.settimeout(None)
            back = threading.Thread(target=_pump, args=(there, self.request), daemon=True)
            back.start()
            _pump(self.request, there)
            back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


class Mirrors:
    """What a bare Debian's apt asks, passed on by this machine as it reaches it.

    :param base: the bare Debian; its lists of mirrors and its proxy are this machine's
    """

    def __init__(self, base: Path) -> None:
        lists = [
            *(base / "etc/apt/mirrors").glob("*.list"),
            *(base / "etc/apt/apt.conf.d").glob("*-as-outside"),
        ]
        urls = {url for path in lists for url in re.findall(r"https?://[^\s\";]+", path.read_text())}
        self._sites = sorted({_site(url) for url in urls})
        self._relays: list[_Relay] = []

    @property
    def names(self) -> dict[str, str]:
        hosts = sorted({host for host, _ in self._sites})
        return {host: FIRST.format(number) for number, host in enumerate(hosts, start=11)}

    @property
    def other_ports(self) -> list[int]:
        """That the build group does not open, and that this machine's mirrors or proxy have."""
        return sorted({port for _, port in self._sites} - set(WEB.values()))

    def start(self, address: str) -> dict[str, str]:
        """Where each mirror's ``address:port`` is passed on, by this machine, at one of its addresses."""
        found = {}
        for host, port in self._sites:
            relay = _Relay((address, 0), _Handler)
            relay.there = (host, port)
            threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
            self._relays.append(relay)
            found[f"{self.names[host]}:{port}"] = f"{address}:{relay.server_address[1]}"
        return found

    def stop(self) -> None:
        for relay in self._relays:
            relay.shutdown()
            relay.server_close()
        self._relays.clear()


def _site(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname
    return parts.hostname, parts.port or WEB[parts.scheme]
