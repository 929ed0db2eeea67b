"""Results that a case's loaders have left, and the messages left in its queues."""

from __future__ import annotations

import time

from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.result import LoaderResult
from breakeven.results import layout
from breakeven.steps.services import Services
from breakeven.targets.target import Target
from breakeven.workload.case import Case

#: estimates are asked for again until they agree, for so long at most, seconds. SQS: they "may not achieve
#: consistency until at least 1 minute after the producers stop" (SQS API reference, GetQueueAttributes).
ESTIMATES_FOR_S = 75.0
#: between two of them, seconds, and how many in a row have to agree, beyond that minute
AGAIN_S, AGREEING, SETTLED_S = 5.0, 3, 60.0


def loader_results(services: Services, case: Case, attempt: int) -> list[LoaderResult]:
    """Each loader's result, or its last checkpoint where it ended without one."""
    there = set(services.store.keys(layout.raw_prefix(case.run_id, case.case_id, attempt)))
    found = []
    for loader in range(case.loaders):
        keys = [
            layout.loader_key(case.run_id, case.case_id, attempt, loader, what)
            for what in ("result", "checkpoint")
        ]
        if key := next((key for key in keys if key in there), None):
            found.append(LoaderResult.from_json(services.store.get_json(key)))
    return found


def count_left(
    target: Target, queues: tuple[str, ...], outstanding: int, *, patient: bool
) -> QueueCount | None:
    """What the target says is left. None, and it is not asked, where nothing is outstanding.

    :param outstanding: messages that may be in the queues, by what their senders and receivers know
    :param patient: wait for estimates to agree; of use where the drain was cut short, else nothing hangs on
        them
    :raises CaseError: the target does not answer
    """
    if not outstanding:
        return None
    if target.exact_depth:
        return QueueCount(target.left(queues))
    return _estimate(target, queues, ESTIMATES_FOR_S if patient else 0.0)


def _estimate(target: Target, queues: tuple[str, ...], for_s: float) -> QueueCount:
    """The last of several; the first that is nothing, since nothing is taken off by it."""
    began_s, readings = time.monotonic(), [target.depth(queues)]
    while readings[-1]:
        waited_s = time.monotonic() - began_s
        if waited_s >= SETTLED_S and len(set(readings[-AGREEING:])) == 1:
            return QueueCount(readings[-1], exact=False)
        if waited_s >= for_s:
            break
        time.sleep(AGAIN_S)
        readings.append(target.depth(queues))
    return QueueCount(readings[-1], exact=False, steady=not readings[-1])
