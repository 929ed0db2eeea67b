"""A TLS proxy before the server that stands for SQS, for runs in weather; it speaks the JSON protocol."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from local.aws.strict.certificates import Certificate
from local.ports import LOOPBACK
from tests.support.weather.sqs_weather import CLOSED, COPY, DELETE, IDLE, RECEIVE, REFUSALS, Json, SqsWeather

TIMEOUT_S = 30.0


@contextmanager
def sqs_weather(server: str, weather: SqsWeather, certificate: Certificate) -> Iterator[str]:
    """The endpoint of the proxy, as long as it is open.

    :param server: the endpoint of what stands for SQS
    """
    proxy = _Server((LOOPBACK, 0), _Handler)
    proxy.behind, proxy.weather, proxy.tls = urlsplit(server).netloc, weather, certificate.server()
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"https://{LOOPBACK}:{proxy.server_address[1]}"
    finally:
        proxy.shutdown()
        proxy.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128
    behind: str
    weather: SqsWeather
    tls: ssl.SSLContext

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True
    server: _Server

    def setup(self) -> None:
        self._queue, self._was_idle = "", False
        self.request.settimeout(TIMEOUT_S)
        self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        self._behind = HTTPConnection(self.server.behind, timeout=TIMEOUT_S)
        super().setup()

    def handle_one_request(self) -> None:
        self.connection.settimeout(self.server.weather.idle_s() or TIMEOUT_S)
        super().handle_one_request()

    def finish(self) -> None:
        self._behind.close()
        super().finish()
        self.request.close()
        if self._was_idle:  # counted once it is closed: whoever waits for the count is to find it so
            self.server.weather.count(IDLE, self._queue)

    def log_error(self, format: str, *_: Any) -> None:
        self._was_idle = "timed out" in format and bool(self._queue)  # while it waited for a request

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        self.connection.settimeout(TIMEOUT_S)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        operation = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        asked: Json = json.loads(body) if operation and body else {}
        queue = str(asked.get("QueueUrl") or asked.get("QueueName") or "").rpartition("/")[2]
        weather, self._queue = self.server.weather, queue
        is_copy = operation in DELETE and str(asked.get("ReceiptHandle", "")).startswith(COPY)
        if operation and (refused := weather.refusal(operation, queue)):
            self._refuse(refused)
        elif operation == RECEIVE and (copy := weather.copy(queue)):
            self._answer(200, json.dumps(copy).encode(), queue)
        elif is_copy or (operation == RECEIVE and weather.comes_up_empty(asked, queue)):
            self._answer(200, b"{}", queue)
        elif operation.endswith("MessageBatch"):
            self._pass_batch_on(operation, asked, queue)
        else:
            self._pass_on(operation, asked, queue, body)

    def _pass_batch_on(self, operation: str, asked: Json, queue: str) -> None:
        """Without copies, of which the server behind knows nothing, and what fails on its way."""
        entries = asked["Entries"]
        copies = [each for each in entries if str(each.get("ReceiptHandle", "")).startswith(COPY)]
        known = [each for each in entries if each not in copies]
        failed = self.server.weather.failing(operation, known, queue) if known else []
        names = {each["Id"] for each in failed}
        rest = {**asked, "Entries": [each for each in known if each["Id"] not in names]}
        more = {"Successful": [{"Id": each["Id"]} for each in copies], "Failed": failed}
        if not rest["Entries"]:
            self._answer(200, json.dumps(more).encode(), queue)
            return
        self._pass_on(operation, rest, queue, json.dumps(rest).encode(), more)

    def _pass_on(
        self, operation: str, asked: Json, queue: str, body: bytes, more: Json | None = None
    ) -> None:
        weather, headers = self.server.weather, {**self.headers, "Content-Length": str(len(body))}
        self._behind.request("POST", self.path, body, headers)
        came = self._behind.getresponse()
        content = came.read()
        if came.status != 200 or not operation:
            self._answer(came.status, content, queue, dict(came.headers))
            return
        answer: Json = json.loads(content or b"{}")
        if operation == "CreateQueue":
            weather.made(queue)
            answer["QueueUrl"] = f"https://{self.headers['Host']}{urlsplit(answer['QueueUrl']).path}"
        elif operation == RECEIVE and weather.loses(operation, answer, queue):
            self._reset(content)
            return
        elif operation == RECEIVE:
            weather.received(answer, queue)
        elif operation == "GetQueueAttributes":
            answer = weather.counted(answer, queue)
        for name, entries in (more or {}).items():
            answer[name] = [*answer.get(name, []), *entries]
        said = json.dumps(answer).encode()
        if operation != RECEIVE and weather.loses(operation, answer, queue):
            self._reset(said)
        else:
            self._answer(200, said, queue)

    def _refuse(self, kind: str) -> None:
        code, status, query_name = REFUSALS[kind]
        said = json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": "simulated weather"}).encode()
        self._answer(status, said, "", {"x-amzn-query-error": query_name})

    def _answer(self, status: int, body: bytes, queue: str, headers: Json | None = None) -> None:
        closes = bool(queue) and self.server.weather.befalls(CLOSED, queue)
        self.send_response(status)
        for name, value in (headers or {}).items():
            if name.lower().startswith("x-amz"):
                self.send_header(name, value)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(body)))
        if closes:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.close_connection or closes

    def _reset(self, body: bytes) -> None:
        """Half of the answer, then a reset."""
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body) + 1}\r\n\r\n".encode()
        self.wfile.write(head + body[: len(body) // 2])
        self.wfile.flush()
        # no time to linger: what is closed is reset
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        socket.close(self.request.detach())
