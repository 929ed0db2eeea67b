"""A server on loopback for the live page of one run: its page, its status, and in the end its report.

Only this machine reaches it, and of that only who asks for it by its own address: a page from elsewhere whose
name is made to lead here (DNS rebinding) sends that name as its host, and is refused.
"""

from __future__ import annotations

import errno
import json
import threading
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from breakeven.errors import InputError
from cli.running.live.page_html import page_html, policy

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
#: the files of a report, with their types
REPORT_FILES = {
    "index.html": "text/html; charset=utf-8",
    "report.json": "application/json",
    "report.md": "text/markdown; charset=utf-8",
    "cases.csv": "text/csv; charset=utf-8",
}
REPORT = "/report/"
#: of every answer: nobody keeps it, frames it, guesses its type, reads it from elsewhere or says its address
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
#: a report has a policy of its own, in its page
OF_A_REPORT = "frame-ancestors 'none'"
#: how long one request may take to come in, seconds
REQUEST_S = 5.0
#: a page that was seen so lately is open still; it asks each two seconds
OPEN_S = 6.0
#: how long the end waits for an open page to hear of it and to take the report, seconds
FAREWELL_S = 10.0


class LiveServer:
    """Serves from the moment that it is made, on threads of its own, until it is closed.

    A context manager, whose end waits for an open page to fetch what the run came to.
    """

    def __init__(self, port: int, run_id: str, title: str) -> None:
        """
        :param port: 0 for any that is free
        :raises InputError: the port cannot be had
        """
        self._page, self._policy = page_html(run_id, title), policy()
        self._status: bytes = b"{}"
        self._over = False
        self._report: Path | None = None
        #: when a page last asked, and whether one has taken what it was to be told at the end
        self._asked_s, self._taken = -OPEN_S, threading.Event()
        self._server = _listening(port, self)
        self._thread = threading.Thread(target=self._server.serve_forever, name="live", daemon=True)
        self._thread.start()

    def __enter__(self) -> LiveServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/"

    def show(self, status: Mapping[str, Any]) -> None:
        """Give pages this status from now on."""
        self._status = json.dumps(status, separators=(",", ":")).encode()

    def end(self, status: Mapping[str, Any], report: Path | None) -> None:
        """Give pages their last status.

        :param report: the folder of the report, where there is one
        """
        self._report = report
        self.show({**status, "report": f"{REPORT}index.html" if report else None})
        self._over = True

    def close(self) -> None:
        """Stop, once a page that is open has what the run came to."""
        if self._over and time.monotonic() - self._asked_s < OPEN_S:
            self._taken.wait(FAREWELL_S)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hosts(self) -> set[str]:
        """What a request's Host may be."""
        return {f"{name}:{self.port}" for name in NAMES}

    def answer(self, path: str) -> tuple[str, bytes, str] | None:
        """Type, content and content policy of what is at the path; None where nothing is."""
        if path == "/":
            return "text/html; charset=utf-8", self._page, self._policy
        if path == "/status.json":
            self._asked_s = time.monotonic()
            return "application/json", self._status, self._policy
        name = path.removeprefix(REPORT)
        if self._report and path.startswith(REPORT) and name in REPORT_FILES:
            return REPORT_FILES[name], (self._report / name).read_bytes(), OF_A_REPORT
        return None

    def answered(self, path: str) -> None:
        """Note that a page has had it whole: the last is the report, or, without one, the last status."""
        if self._over and path == (f"{REPORT}index.html" if self._report else "/status.json"):
            self._taken.set()


class _Handler(BaseHTTPRequestHandler):
    """GET of what ``live`` has, and nothing else."""

    live: LiveServer
    timeout = REQUEST_S
    server_version, sys_version = "breakeven", ""

    def do_GET(self) -> None:
        if self.headers.get_all("Host") not in [[host] for host in self.live.hosts()]:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this address is asked for by its own name only")
            return
        path = self.path.partition("?")[0]
        try:
            found = self.live.answer(path)
        except OSError as error:
            self._refuse(HTTPStatus.NOT_FOUND, f"cannot be read: {error.strerror}")
            return
        if found is None:
            self._refuse(HTTPStatus.NOT_FOUND, "nothing is here")
            return
        kind, body, policy = found
        self._send(HTTPStatus.OK, kind, body, {"Content-Security-Policy": policy})
        self.live.answered(path)

    def __getattr__(self, name: str) -> Any:
        """Whatever else is asked for, such as ``do_POST``."""
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Leave the terminal to the run."""

    def _refuse_method(self) -> None:
        self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "GET only", Allow="GET")

    def _refuse(self, status: HTTPStatus, why: str, **headers: str) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode(), headers)

    def _send(self, status: HTTPStatus, kind: str, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            **HEADERS,
            **headers,
            "Content-Type": kind,
            "Content-Length": str(len(body)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    #: a page that is open must not keep the run from its end
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Leave the terminal to the run: whoever went away in mid-answer is no concern of it."""


def _listening(port: int, live: LiveServer) -> _Server:
    handler = type("Handler", (_Handler,), {"live": live})
    try:
        return _Server((LOOPBACK, port), handler)
    except OSError as error:
        why = {
            errno.EADDRINUSE: "is taken by another program",
            errno.EACCES: "is for the system's own programs",
        }.get(error.errno or 0, f"cannot be had ({error.strerror})")
        remedy = f"{why}; give another one, or leave it out for any that is free"
        raise InputError("breakeven run", "--live", str(port), remedy) from error
