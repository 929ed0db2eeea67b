"""The broker of this host as systemd runs it: what an agent on a node does to it."""

from __future__ import annotations

import signal
import time

from breakeven.agent.commands import SOON_S, answer_of
from breakeven.agent.effects import Away

UNIT = "rabbitmq-server.service"
#: of one that is stopped: systemd kills it after 90 s of its own
STOP_S = 100.0
#: until a node runs that is started; as on one machine (``local.servers.brokers``)
START_S = 90.0
POLL_S = 0.05


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
        return answer_of(("rabbitmqctl", "--quiet", "--node", node, "eval", expression), within_s)

    @staticmethod
    def _is_state(state: str) -> bool:
        return _systemctl(SOON_S, "show", "--property=ActiveState", "--value", UNIT) == state


def _systemctl(within_s: float, *words: str) -> str:
    return answer_of(("systemctl", *words), within_s)
