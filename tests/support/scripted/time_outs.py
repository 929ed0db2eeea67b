"""The native clients on TLS servers that keep them waiting, in a process of its own on the Python under test.

python -m tests.support.scripted.time_outs <orders.json

``{"timeout_s": …, "deadline_s": …, "certificate": path, "ports": {way: port}}``; prints how each call ended:
``{"sqs general, silent": "…"}``, or null for one that had not ended at the deadline.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from breakeven.brokers.access import Access, Node
from breakeven.clients import connections
from breakeven.clients.amqp import link, wire
from breakeven.clients.core.loading import core
from breakeven.clients.core.tls_context import TlsContext
from breakeven.clients.fast_path import Origin, Ours, SendBatch, WhenSent
from breakeven.clients.sqs import client, connection, fast_path_receiver, fast_path_sender
from breakeven.clients.sqs.endpoint import Endpoint
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.cases import workload_with
from tests.support.scripted.amqp_wire import HEARTBEAT

ORDERS: dict[str, Any] = {}
HOST, QUEUE = "127.0.0.1", "http://sqs.example/123456789012/a-queue"
#: more than the buffers of both ends of a connection hold, bytes
LARGE = 4 << 20
#: a frame that a broker takes at any time: a heartbeat
STAMPER = Stamper("abcd", 1, LARGE)
RUN_NS = 200_000_000


def general(port: int) -> None:
    """The general path's one exchange, with a body that fits no buffer."""
    context = TlsContext(cafile=ORDERS["certificate"])
    opened = connection.Connection(Endpoint.of(f"https://{HOST}:{port}"), ORDERS["timeout_s"], context)
    head = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % LARGE
    opened.exchange(head + bytes(LARGE))


def core_sends(port: int) -> None:
    sender = sqs(port).sender(QUEUE)
    assert sender.prepare(Origin(b"abcd", 1, LARGE, STAMPER.rest, STAMPER.bodies, 0, None)), "not the core's"
    due: dict[int, int] = {}
    while True:
        sent = sender.send_on_fast_path(
            SendBatch(0, 1, None, WhenSent.ANSWERED, 0), time.monotonic_ns() + RUN_NS, due
        )
        if sent.error:
            raise sent.error


def core_receives(port: int) -> None:
    receiver = sqs(port).receiver(QUEUE)
    assert receiver.expect(Ours(b"abcd", 2)), "not the core's"
    while True:
        taken = receiver.receive_on_fast_path(time.monotonic_ns() + RUN_NS)
        if taken.error:
            raise taken.error


def sqs(port: int) -> client.SqsClient:
    return client.SqsClient(
        workload_with(message_bytes=64, client="native"), endpoint=f"https://{HOST}:{port}"
    )


def amqp(port: int) -> None:
    """Open a connection; where that goes well, write more than anybody reads."""
    certificate = Path(ORDERS["certificate"]).read_text()
    node = Node(name="n", host=HOST, amqp_port=port, management_port=1, certificate=certificate)
    access = Access(username="u", password="p", tls=True, nodes=(node,))
    opened = link.Link(access, node, "a test", 131_072)
    opened.write(HEARTBEAT * (4 * LARGE // len(HEARTBEAT)))
    opened.flush()


#: by the name of what is driven: how, and the ways in which a server keeps it waiting
CALLS: dict[str, tuple[Callable[[int], None], tuple[str, ...]]] = {
    "sqs general": (general, ("handshake", "silent", "stalling", "dripping", "never-reading")),
    "sqs core sends": (core_sends, ("handshake", "silent", "stalling", "dripping", "never-reading")),
    "sqs core receives": (core_receives, ("handshake", "silent", "stalling", "dripping")),
    "amqp": (amqp, ("handshake", "silent", "dripping frame", "never-reading broker")),
}


def note(ends: dict[str, str | None], name: str, call: Callable[[], None]) -> None:
    try:
        call()
    except Exception as error:
        ends[name] = f"{type(error).__name__}: {error}"
    else:
        ends[name] = "well"


def shorten(timeout_s: float) -> None:
    """Give every call so long."""
    for module in (connection, client, wire, connections):
        module.CALL_TIMEOUT_S = timeout_s
    fast_path_sender._TIMEOUT_NS = fast_path_receiver._CALL_NS = round(timeout_s * 1e9)


def main() -> None:
    ORDERS.update(json.loads(sys.stdin.read()))
    shorten(ORDERS["timeout_s"])
    assert core() is not None, "the core is not compiled"
    os.environ |= {"AWS_CA_BUNDLE": ORDERS["certificate"], "AWS_DEFAULT_REGION": "us-east-1"}
    ends: dict[str, str | None] = {}
    threads = []
    for what, (call, ways) in CALLS.items():
        for way in ways:
            name = f"{what}, {way}"
            ends[name] = None
            made = partial(note, ends, name, partial(call, ORDERS["ports"][way]))
            threads.append(threading.Thread(target=made, daemon=True))
    for thread in threads:
        thread.start()
    until_s = time.monotonic() + ORDERS["deadline_s"]
    for thread in threads:
        thread.join(max(0.0, until_s - time.monotonic()))
    print(json.dumps(ends), flush=True)
    os._exit(0)  # whatever still hangs


if __name__ == "__main__":
    main()
