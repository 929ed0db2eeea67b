"""The server's process: a program on the first line of standard input, the port on standard output.

It serves on loopback until standard input ends, so never longer than its parent; then it tells what it did.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys

from breakeven.instrument.amqp import AmqpConnection
from breakeven.instrument.broker import Broker
from breakeven.instrument.loop import Loop, Peer
from breakeven.instrument.program import Program
from breakeven.instrument.sqs import SqsConnection

BACKLOG = 1024


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt in a terminal is for who started it
    program = Program.model_validate_json(sys.stdin.buffer.readline())
    broker, loop = Broker(program), Loop()

    def welcome(connected: socket.socket) -> Peer:
        if program.protocol == "sqs":
            return SqsConnection(loop, connected, broker)
        return AmqpConnection(loop, connected, broker, multiple=program.multiple)

    def ended() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            loop.stop()

    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as listener:
        loop.listen(listener, welcome)
        loop.add(sys.stdin.fileno(), ended)
        print(listener.getsockname()[1], flush=True)
        loop.run()
    print(json.dumps(broker.notes.to_json()), flush=True)


if __name__ == "__main__":
    main()
