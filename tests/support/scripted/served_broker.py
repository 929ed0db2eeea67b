"""The in-memory broker behind HTTP, as SQS speaks it: its faults are what a real client meets."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from breakeven.clients.base import CallFailed, ConnectionLost
from tests.support.scripted.fakes import FakeBroker

LOOPBACK = "127.0.0.1"


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, broker: FakeBroker) -> None:
        super().__init__((LOOPBACK, 0), _Handler)
        self.broker, self.in_hand = broker, {}
        self.handles = itertools.count()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any

    def do_POST(self) -> None:
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        operation = self.headers["x-amz-target"].partition(".")[2]
        try:
            status, answer = 200, getattr(self, f"_{operation}")(document)
        except CallFailed as error:
            status, answer = 400, {"__type": f"com.amazonaws.sqs#{error.code}"}
        except ConnectionLost:
            self.close_connection = True
            return
        body = json.dumps(answer).encode()
        head = f"HTTP/1.1 {status} Words\r\nContent-Length: {len(body)}\r\n\r\n"
        self.wfile.write(head.encode() + body)

    def log_message(self, *_: object) -> None:
        return

    def _SendMessage(self, document: dict[str, Any]) -> dict[str, Any]:
        self.server.broker.put(document["QueueUrl"], document["MessageBody"].encode())
        return {"MessageId": "m"}

    def _ReceiveMessage(self, document: dict[str, Any]) -> dict[str, Any]:
        broker = self.server.broker
        if broker.faults.receive_fails:
            raise broker.faults.receive_fails.pop()
        message = broker.take(document["QueueUrl"])
        if message is None:
            return {}
        handle = f"handle {next(self.server.handles)}"
        self.server.in_hand[handle] = (document["QueueUrl"], message)
        count = "2" if message.redelivered else "1"
        attributes = {"ApproximateReceiveCount": count}
        body = message.body.decode()
        return {"Messages": [{"Body": body, "ReceiptHandle": handle, "Attributes": attributes}]}

    def _DeleteMessage(self, document: dict[str, Any]) -> dict[str, Any]:
        """A deletion that is cut has its message handed out again, at once."""
        broker, handle = self.server.broker, document["ReceiptHandle"]
        code = broker.faults.settle_fails.pop() if broker.faults.settle_fails else None
        if code == CUT:
            queue, message = self.server.in_hand.pop(handle)
            broker.give_back(queue, [message])
            raise ConnectionLost(CUT)
        if code:
            raise CallFailed(code)
        del self.server.in_hand[handle]
        broker.settled()
        return {}


#: of a settlement: the connection ends instead of an answer
CUT = "cut"


@contextmanager
def serving(broker: FakeBroker) -> Iterator[str]:
    """Its endpoint."""
    server = _Server(broker)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://{LOOPBACK}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
