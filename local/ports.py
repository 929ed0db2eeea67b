"""Free ports on the loopback interface."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from contextlib import ExitStack

from breakeven.errors import BreakevenError

LOOPBACK = "127.0.0.1"
#: below the range from which Linux gives outgoing connections their ports (32768 and up), so that no
#: connection of a run takes a port between its being found free and its being listened on
PORT_RANGE = range(20_000, 32_000)
#: how often a start is tried with other ports
ATTEMPTS = 3


class PortTaken(BreakevenError):
    """Somebody else was first to listen on a port that had been found free."""


def free_ports(count: int) -> list[int]:
    """Find ``count`` different free ports. Somebody may still take one first: see ``start_on_free_ports``."""
    candidates = iter(random.SystemRandom().sample(PORT_RANGE, len(PORT_RANGE)))
    with ExitStack() as held:
        found: list[int] = []
        while len(found) < count:
            port = next(candidates)
            probe = held.enter_context(socket.socket())
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
            found.append(port)
        return found


def start_on_free_ports(start: Callable[[], None], stop: Callable[[], None]) -> None:
    """Start something that looks for its own ports; again, should one be taken meanwhile.

    Whatever ``start`` raises, ``stop`` has been called when it arrives here.
    """
    for attempts_left in reversed(range(ATTEMPTS)):
        try:
            start()
        except PortTaken:
            stop()
            if not attempts_left:
                raise
        except BaseException:
            stop()
            raise
        else:
            return


def answers(port: int, greeting: bytes | None = None) -> bool:
    """Is the port listened on; with a greeting, is that answered?"""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=2.0) as connection:
            if greeting is None:
                return True
            connection.sendall(greeting)
            return len(connection.recv(1)) == 1
    except OSError:
        return False


def is_port_taken(said: str) -> bool:
    """Does the output of a server that ended say that its port was taken?"""
    return any(words in said.lower() for words in ("eaddrinuse", "in use"))
