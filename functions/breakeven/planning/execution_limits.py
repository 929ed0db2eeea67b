"""Limits of one execution of the workflow, and the parts of a plan that exceed them."""

from __future__ import annotations

import bisect
import json
from collections.abc import Callable, Sequence
from math import ceil
from typing import Any

from breakeven.workload.case import INLINE_LOADERS, Case

#: Step Functions, standard workflow
MAX_HISTORY_EVENTS = 25_000
MAX_STATE_BYTES = 262_144
#: seconds that one call of a case's watch takes, a little less than it may
WATCH_S = 840.0
#: and one of what has a broker rebooted, which asks for nothing in its last three minutes
REBOOT_CALL_S = 660.0
#: a quarter is left, beside every retry, which is counted
HISTORY_BUDGET = MAX_HISTORY_EVENTS * 3 // 4
#: half is left for what later steps add
STATE_BUDGET = MAX_STATE_BYTES // 2

#: a run that bakes images of brokers looks at them so often, and for so long at most: seconds
LOOKS_EVERY_S, BAKE_LIMIT_S = 30, 2400
#: the same of a broker that Amazon MQ creates, which takes 15 to 25 minutes
BROKER_LOOKS_EVERY_S, BROKER_LIMIT_S = 60, 2700
#: and, as often, of one whose lane has ended in its creation, until it can be deleted: longer than that takes
RELEASE_LIMIT_S = 1800
#: how long a run waits, once its lanes have ended, for what CloudWatch has of its services to come: seconds.
#: Assumed: of Amazon MQ no page says how late they are, and SQS' up to 15 minutes are not waited for
METRICS_WAIT_S = 120
#: questions that Athena answers at the end of a run, one each file of queries/; a test counts them
QUERIES = 22
#: events of the definition in infra/ in the worst case, every retry taken; a test counts them there
HISTORY_PER_RUN = 334  # the first look at images, what it makes for tasks, and metrics among it
HISTORY_PER_QUERY = 34
HISTORY_PER_LOOK = 9  # at images that are baked, and at a broker; the first is counted above
HISTORY_PER_LEG = 165  # in a round of its own
HISTORY_PER_CASE = 106
HISTORY_PER_LOADER = 16  # of an inline map
HISTORY_PER_TASK = 32  # the same, of a loader that is a task: ECS may have to be asked more than once
HISTORY_PER_WATCH = 16  # of a case whose watch is called again, since it outlasts a function
HISTORY_OF_MANY_LOADERS = 2  # of a distributed map beside a case's: each loader has a history of its own
HISTORY_OF_NODES_DOWN = 66  # of a case that stops nodes, beside a case's
HISTORY_OF_FAULTS = 20  # of a case with faults, after which its nodes are awaited
HISTORY_OF_REBOOT = 16  # of a case that has a broker rebooted, each time that it is followed


def history_events(cases: Sequence[Case]) -> int:
    """Events that a run of the cases adds to the execution's history, at most.

    Legs are counted as they are locally (one a target and repeat), which is never fewer than on AWS.
    """
    legs = len({(case.target, case.repeat) for case in cases})
    services = {case.machines.service for case in cases if case.machines}
    managed = len({case.target for case in cases if case.machines and case.machines.service == "amazonmq"})
    return (
        HISTORY_PER_RUN
        + HISTORY_PER_QUERY * QUERIES
        + HISTORY_PER_LOOK * ("ec2" in services) * (BAKE_LIMIT_S // LOOKS_EVERY_S)
        + HISTORY_PER_LOOK * managed * ((BROKER_LIMIT_S + RELEASE_LIMIT_S) // BROKER_LOOKS_EVERY_S)
        + HISTORY_PER_LEG * legs
        + HISTORY_PER_CASE * len(cases)
        + HISTORY_OF_NODES_DOWN * sum(case.workload.nodes_down > 0 for case in cases)
        + HISTORY_OF_FAULTS * sum(bool(case.workload.node_faults) for case in cases)
        + HISTORY_OF_REBOOT * sum(_calls(case, REBOOT_CALL_S) for case in cases if case.workload.reboots)
        + sum(_loaders_events(case) for case in cases)
        + HISTORY_PER_WATCH * sum(watches(case) - 1 for case in cases)
    )


def watches(case: Case) -> int:
    """How often a case's watch is called, at most: a function may take 15 minutes, and a case more."""
    return _calls(case, WATCH_S)


def _calls(case: Case, each_s: float) -> int:
    return 1 if case.loader == "lambda" else ceil((case.limit_s + case.start_deadline_s) / each_s)


def _loaders_events(case: Case) -> int:
    each = HISTORY_PER_LOADER if case.loader == "lambda" else HISTORY_PER_TASK
    return each * case.loaders if case.loaders <= INLINE_LOADERS else HISTORY_OF_MANY_LOADERS


def state_bytes(rounds: Any) -> int:
    """Bytes of the rounds as the workflow carries them from state to state."""
    return len(json.dumps(rounds, separators=(",", ":")).encode())


def fits(cases: Sequence[Case], rounds: Any) -> bool:
    return history_events(cases) <= HISTORY_BUDGET and state_bytes(rounds) <= STATE_BUDGET


def largest(end: int, fits: Callable[[int], bool]) -> int:
    """The largest number below ``end`` that fits, when all smaller ones do; 0 when none does."""
    return bisect.bisect_left(range(1, end), True, key=lambda n: not fits(n))


#: of how many loaders one unit of a consistent read holds the items: 4 KB, of some 300 B each
LOADERS_PER_READ = 12
