"""One AMQP sender in a process of its own, on the Python under test: what drove its messages; JSON.

python -m tests.support.loaders.amqp_child <order.json

``{"access": …, "messages": count}``; prints ``{"prepared": …, "answered": count, "by_general": count,
"fallback": …}``.
"""

from __future__ import annotations

import json
import sys
import time

from breakeven.brokers.access import Access
from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.fast_path import Origin, SendBatch, WhenSent
from breakeven.loadgen.ledger.stamp import Stamper
from tests.support.cases import workload_with

SIZE, LIMIT_S = 64, 20.0
STAMPER = Stamper("abcd", 1, SIZE)
ORIGIN = Origin(b"abcd", 1, SIZE, STAMPER.rest, STAMPER.bodies, 0, None)


def main() -> None:
    order = json.loads(sys.stdin.read())
    count = order["messages"]
    workload = workload_with(message_bytes=SIZE, client="native", window=count)
    client = NativeAmqpClient(workload, Access.model_validate(order["access"]))
    sender = client.sender("a-queue")
    found = {"answered": 0, "by_general": 0, "prepared": sender.prepare(ORIGIN) >= count}
    until_s = time.monotonic() + LIMIT_S
    first = 0
    while found["prepared"] and found["answered"] < count and time.monotonic() < until_s:
        batch = SendBatch(first, count - first, None, WhenSent.ANSWERED, 0)
        if sent := sender.send_on_fast_path(batch, time.monotonic_ns() + 200_000_000, {}):
            first += len(sent.handed_ns)
            found["answered"] += len(sent.sequence)
            found["by_general"] += sent.by_general
    print(json.dumps({**found, "fallback": sender.fallback}), flush=True)
    client.close()


if __name__ == "__main__":
    main()
