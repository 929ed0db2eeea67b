"""The broker of this host as systemd runs it: what an agent on a node does to it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Sequence

from breakeven.agent.effects import Away
from breakeven.errors import BreakevenError

UNIT = "rabbitmq-server.service"
#: how long a command of systemd may take to answer, seconds, where it waits for nothing
SOON_S = 10.0
#: of one that is stopped: systemd kills it after 90 s of its own
STOP_S = 100.0
#: until a node runs that is started; as on one machine (``local.servers.brokers``)
START_S = 90.0
POLL_S = 0.05
#: characters of what a command said, its last ones, that an error repeats
SAID = 300


class BrokerHost:
    """One node, which this host has. The names are those that orders and peers have for it."""

    def __init__(self, node: str) -> None:
        self._node = node

    def runs(self, node: str) -> bool:
        """Is it there? One that is paused is."""
        return node == self._node and self._is_state("active")

    def signal(self, node: str, number: signal.Signals) -> None:
        """To every process of the unit. Its port mapper is another unit's, and stays, as the host does.

        What was killed stays down: Debian's unit would have it started again after 10 s, of itself
        (``Restart=on-failure``), and a stop takes that back.
        """
        _systemctl(SOON_S, "kill", f"--signal={number.name}", UNIT)
        if number is signal.SIGKILL:
            until = time.monotonic() + SOON_S
            while self._is_state("active") and time.monotonic() < until:
                time.sleep(POLL_S)
            _systemctl(STOP_S, "stop", UNIT)

    def shut_down(self, node: str) -> bool:
        """End it in an orderly way, by the unit's own command (``rabbitmqctl stop``).

        :return: False: it had not ended in time, and was killed
        """
        _systemctl(STOP_S, "stop", UNIT)
        return _systemctl(SOON_S, "show", "--property=Result", "--value", UNIT) == "success"

    def restart(self, node: str, away: Away) -> None:
        """Start it, and wait until it says that it has started: it is a member of its cluster again then.

        :raises BreakevenError: it ended, or had not started in time
        """
        _systemctl(START_S, "start", UNIT)

    def evaluate(self, node: str, expression: str, within_s: float) -> str:
        """What an Erlang expression gives in the node.

        :raises BreakevenError: the node does not answer in time, or the expression fails
        """
        return _answer(("rabbitmqctl", "--quiet", "--node", node, "eval", expression), within_s)

    @staticmethod
    def _is_state(state: str) -> bool:
        return _systemctl(SOON_S, "show", "--property=ActiveState", "--value", UNIT) == state


def _systemctl(within_s: float, *words: str) -> str:
    return _answer(("systemctl", *words), within_s)


def _answer(command: Sequence[str], within_s: float) -> str:
    """:raises BreakevenError: it is not over in time, and is ended, or has failed"""
    words = " ".join(command[:2])
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=within_s,
            check=False,
            text=True,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise BreakevenError(f"{words}: no answer in {within_s:g} s") from None
    if done.returncode:
        raise BreakevenError(f"{words}: {done.stdout.strip()[-SAID:]}")
    return done.stdout.strip()
