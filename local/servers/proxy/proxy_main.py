"""The proxy's process: orders come on standard input, answers go to standard output, a JSON object a line.

It ends with its standard input: it never outlives the run that has started it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from typing import Any

from breakeven.workload.service_faults import ServiceFault
from local.ports import LOOPBACK
from local.servers.proxy.injections import Injections
from local.servers.proxy.proxy_server import ProxyServer
from local.servers.proxy.sqs_calls import queue_name

Json = dict[str, Any]


def obeyed(order: Json, injections: Injections) -> Json:
    """Begin or end a fault; what to answer.

    :param order: ``begin`` or ``end`` with its name; with ``begin`` its ``fault``, and the ``queues``, by URL
    """
    if name := order.get("begin"):
        queues = frozenset(map(queue_name, order["queues"]))
        injections.begin(name, ServiceFault.model_validate(order["fault"]), queues)
        return {"at_s": time.time()}
    ended = injections.end(order["end"])
    return {"at_s": time.time(), "injected": dict(ended.injected), "seen": ended.seen}


async def serve(behind: tuple[str, int]) -> None:
    """Until standard input ends."""
    injections, orders = Injections(), asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    _say({"port": await ProxyServer(behind, injections).listen(LOOPBACK)})
    while line := await orders.readline():
        _say(obeyed(json.loads(line), injections))


def _say(document: Json) -> None:
    print(json.dumps(document), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host", help="of the server behind")
    parser.add_argument("port", type=int)
    given = parser.parse_args()
    asyncio.run(serve((given.host, given.port)))


if __name__ == "__main__":
    main()
