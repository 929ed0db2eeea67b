"""RabbitMQ nodes with classic mirrored queues: on two of them, what the article of 2012 compared with SQS."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from breakeven.errors import CaseError
from breakeven.installation import QUEUES
from breakeven.targets.rabbitmq.rabbitmq_management import ManagementError
from breakeven.targets.rabbitmq.rabbitmq_target import RabbitMQTarget, queue_mode
from breakeven.targets.target import Prepared
from breakeven.workload.case import Case

POLICY = "breakeven-mirror"
#: ``ha-mode: all`` alone promotes a mirror that is not in sync and so loses what was confirmed
POLICY_DEFINITION = {
    "ha-mode": "all",
    "ha-sync-mode": "automatic",
    "ha-promote-on-failure": "when-synced",
    "ha-promote-on-shutdown": "when-synced",
}
#: of the policy of a number of copies, above that of all nodes, whose pattern has the same queues
PRIORITY = 1
#: the beginning of a queue's name that says its number of copies
COUNTED = re.compile(rf"{QUEUES}n(\d+)-")


class RabbitMQMirroredPair(RabbitMQTarget):
    """A mirror of each queue on every node but its master's, or as many as a case says of it.

    A policy knows its queues by their names. So the names of a case with such a number begin with it, and the
    policy of a number is of all queues that do, whichever case and attempt made them: it is right for a run
    that goes on, and one that an aborted case has left is of no queue of any other number.
    """

    name = "rabbitmq-mirrored-pair"
    policy = (POLICY, POLICY_DEFINITION)
    short_words = "no synchronised mirror of"

    def names(self, case: Case, attempt: int) -> tuple[str, ...]:
        """``be-n2-<8 hex digits>-…`` of queues with two copies."""
        names, copies = super().names(case, attempt), case.workload.group_size
        return names if copies is None else tuple(name.replace(QUEUES, _prefix(copies), 1) for name in names)

    def prepare(self, case: Case, attempt: int) -> Prepared:
        """With the policy of the case's number of copies in place before there are queues for it.

        :raises CaseError: a policy of others would have its way; see the base
        """
        copies, priority = case.workload.group_size, 0
        if copies is not None:
            priority = PRIORITY
            self._management.set_policy(
                policy_of(copies), f"^{_prefix(copies)}", definition_of(copies), priority=priority
            )
        for queue in self.names(case, attempt):
            if other := self._policy_before(queue, priority):
                raise CaseError(
                    f"{self.name}: {queue} would follow the policy {other!r}, which another has set on the "
                    f"broker with priority {priority} or more; remove that"
                )
        return super().prepare(case, attempt)

    def _policy_before(self, queue: str, priority: int) -> str | None:
        """One of others that has its way, or may have: of several of one priority any does."""
        for policy in self._management.policies():
            is_of_these = policy.get("apply-to", "all") in ("all", "queues", "classic_queues")
            if is_of_these and policy["priority"] >= priority and not str(policy["name"]).startswith(POLICY):
                with suppress(re.error):  # Erlang's patterns have more than Python's
                    if re.search(policy["pattern"], queue):
                        return str(policy["name"])
        return None

    def arguments(self, case: Case) -> dict[str, Any]:
        """The queue's master is on the node that it is declared on."""
        return {"x-queue-master-locator": "client-local", **queue_mode(case.workload)}

    def replicas(self, queue: Mapping[str, Any]) -> tuple[int, int]:
        """Mirrors: those in sync, and those due on nodes that are not stopped on purpose.

        A number of copies is kept as long as there are enough nodes that run: of a mirror whose node is lost,
        RabbitMQ makes another elsewhere (RabbitMQ 3.10 documentation, "Classic Queue Mirroring").
        """
        counted, running = COUNTED.match(str(queue["name"])), self._size - len(self._stopped)
        copies = min(int(counted[1]), running) if counted else running
        return len(queue.get("synchronised_slave_nodes", [])), copies - 1

    def dismantle(self) -> None:
        super().dismantle()
        with suppress(ManagementError):
            for copies in range(1, self._size + 1):
                self._management.delete_policy(policy_of(copies))


def policy_of(copies: int) -> str:
    """The name of the policy of queues with so many copies, their master's own among them."""
    return f"{POLICY}-{copies}"


def definition_of(copies: int) -> dict[str, str | int]:
    """What it says: all but the number is as in the policy of all nodes."""
    return {**POLICY_DEFINITION, "ha-mode": "exactly", "ha-params": copies}


def _prefix(copies: int) -> str:
    return f"{QUEUES}n{copies}-"
