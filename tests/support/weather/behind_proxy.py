"""The proxy of faults before a scripted SQS server: what came through, and calls by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from breakeven.workload.service_faults import ServiceFault
from local.servers.proxy.fault_proxy import FaultProxy, Injected
from tests.support.scripted.scripted_http import Heard, answer

QUEUE, OTHER = "http://sqs/1/q", "http://sqs/1/another"
SENT = answer(200, {"MessageId": "m", "MD5OfMessageBody": "0"})
NOTHING = answer(200, {})
LONG_S = 60.0


def message(number: int) -> dict[str, Any]:
    return {
        "Body": f"{number}",
        "ReceiptHandle": f"h{number}",
        "Attributes": {"ApproximateReceiveCount": "2"},
    }


@dataclass
class Behind:
    """The proxy, and what came through to the server."""

    proxy: FaultProxy
    heard: Heard
    folder: Path

    def operations(self) -> list[str]:
        heads = (head.decode().lower() for head, _ in self.heard.requests)
        return [head.partition("x-amz-target: amazonsqs.")[2].partition("\r\n")[0] for head in heads]

    def begin(self, kind: Any, percent: float = 100, **fields: Any) -> None:
        given = {"at_s": 0, "for_s": LONG_S, **fields}
        self.proxy.begin("f", ServiceFault(kind=kind, percent=percent, **given), [QUEUE])

    def end(self) -> Injected:
        return self.proxy.end("f")


@contextmanager
def connected(found: Behind) -> Iterator[HTTPConnection]:
    address = urlsplit(found.proxy.endpoint)
    connection = HTTPConnection(str(address.hostname), address.port, timeout=20)
    yield connection
    connection.close()


def call(to: HTTPConnection, operation: str, queue: str = QUEUE, **members: Any) -> tuple[int, Any]:
    """Status and document of the answer."""
    headers = {"X-Amz-Target": f"AmazonSQS.{operation}"}
    to.request("POST", "/", json.dumps({"QueueUrl": queue, **members}), headers)
    came: HTTPResponse = to.getresponse()
    return came.status, json.loads(came.read() or b"{}")


def is_reset(to: HTTPConnection, operation: str) -> bool:
    try:
        call(to, operation)
    except ConnectionResetError:
        to.close()
        return True
    except RemoteDisconnected:  # closed in good order
        return False
    return False
