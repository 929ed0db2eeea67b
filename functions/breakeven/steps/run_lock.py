"""One run at a time: a lock with owner and lease in the state table, one for each state machine.

It is taken before anything that the clean-up would delete, so that a refused execution touches nothing of
the one that runs. It can be taken over only when its lease is over, its owner's execution does not run, and
none of the brokers of its last owner does.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from breakeven.errors import LockHeldError
from breakeven.results.items import LOCKS
from breakeven.results.state import RunState
from breakeven.steps.aws_clients import StepFunctions
from breakeven.steps.executions import execution_status
from breakeven.steps.services import Services


def free_lock(services: Services, execution: str) -> bool:
    """Release the lock that this execution holds, and nobody else's; whether it held one."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RunState(services.table, LOCKS).free(lock_item(execution), execution, released_at=now)


def owners(services: Services) -> dict[str, str]:
    """Every lock that is held: its owner, an execution's ARN -> the run's id."""
    locks = RunState(services.table, LOCKS).items().values()
    return {lock["owner"]: lock["run_id_of_owner"] for lock in locks if lock["released_at"] is None}


def lock_item(execution: str) -> str:
    """The lock's sort key: the name of the state machine whose execution has this ARN."""
    return execution.split(":")[6]


def lock_item_of(machine: str) -> str:
    """The same of the state machine's own ARN."""
    return machine.split(":")[6]


def check_lease(held: dict[str, Any], step_functions: StepFunctions) -> None:
    """``held`` is the lock's item, empty where there was never one.

    :raises LockHeldError: its owner may still run
    """
    if not held:
        return
    run_id, owner = held["run_id_of_owner"], held["owner"]
    if held["released_at"] is None:
        if time.time() < held["lease_until"]:
            until = datetime.fromtimestamp(held["lease_until"], UTC).isoformat(timespec="seconds")
            wait = "wait for its end; once it is stopped, the rule or the watchdog releases the lock"
            raise LockHeldError(f"run {run_id} holds the lock until {until} at the latest: {wait}")
        if not execution_status(step_functions, owner).over:
            raise LockHeldError(
                f"run {run_id} has outlasted its lease and still runs: stop execution {owner}"
            )
