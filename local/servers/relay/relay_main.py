"""The relay's process: orders come on standard input, answers go to standard output, a JSON object a line.

It ends with its standard input: it never outlives the run that has started it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

from breakeven.agent.impairment import Impairment
from local.servers.relay.relay_server import Relay

Json = dict[str, Any]


def obeyed(order: Json, relay: Relay) -> Json:
    """Impair the link of a node, or restore it; what to answer.

    :param order: ``node``, and ``impairment``; null: as it was
    """
    relay.links[order["node"]].set(Impairment.read(order["impairment"]))
    return {"at_s": time.time()}


async def serve(nodes: dict[str, int]) -> None:
    """Until standard input ends."""
    relay, orders = Relay(nodes), asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    _say({"ports": await relay.listen()})
    while line := await orders.readline():
        _say(obeyed(json.loads(line), relay))


def _say(document: Json) -> None:
    print(json.dumps(document), flush=True)


def main() -> None:
    """The nodes behind, name and port, are its one argument."""
    asyncio.run(serve(json.loads(sys.argv[1])))


if __name__ == "__main__":
    main()
