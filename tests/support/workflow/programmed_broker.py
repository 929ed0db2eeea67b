"""The process of a programmed cluster: the instrument's AMQP server, whose program can be changed on its way.

Each line of standard input is a program; with the next one everybody is cut off, and what the queues held is
gone. The port, on standard output, stays the same. It serves on loopback until standard input ends.
"""

from __future__ import annotations

import os
import socket
import sys

from breakeven.instrument.__main__ import BACKLOG
from breakeven.instrument.amqp import AmqpConnection
from breakeven.instrument.broker import Broker
from breakeven.instrument.loop import Loop, Peer
from breakeven.instrument.process import HOST
from breakeven.instrument.program import Program


def serve(listener: socket.socket, program: Program) -> None:
    """Until there is something to read on standard input."""
    broker, loop = Broker(program), Loop()
    peers: list[Peer] = []

    def welcome(connected: socket.socket) -> Peer:
        peers.append(AmqpConnection(loop, connected, broker, multiple=program.multiple))
        return peers[-1]

    loop.listen(listener, welcome)
    loop.add(sys.stdin.fileno(), loop.stop)
    loop.run()
    for peer in peers:
        peer.close()


def main() -> None:
    with socket.create_server((HOST, 0), backlog=BACKLOG) as listener:
        print(listener.getsockname()[1], flush=True)
        while line := os.read(sys.stdin.fileno(), 65_536):  # a program is far shorter, and comes at once
            serve(listener, Program.model_validate_json(line))


if __name__ == "__main__":
    main()
