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
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.results.items import LOCKS
from breakeven.results.state import CONDITION_FAILED, RunState, SuppressCodes
from breakeven.steps.aws_clients import Ec2, StepFunctions, execution_status
from breakeven.steps.lane.release_lane import instances_of
from breakeven.steps.run_lease import lease_until
from breakeven.steps.services import Services


def take_lock(
    services: Services, step_functions: StepFunctions, ec2: Ec2, run_id: str, execution: str
) -> dict[str, Any]:
    """Take the lock of the execution's state machine, or keep it if it is the execution's already.

    Answers ``{item}``: the lock's key, for its release.

    :raises LockHeldError: another run holds it, or has left brokers that still run
    """
    locks, item = RunState(services.table, LOCKS), lock_item(execution)
    held = locks.get(item)
    if held and held["owner"] != execution:
        _check_free(held, step_functions, ec2)
    with SuppressCodes(CONDITION_FAILED):
        locks.take(
            item,
            held.get("version"),
            owner=execution,
            run_id_of_owner=run_id,
            taken_at=round(time.time()),
            lease_until=_lease_until(services, run_id),
            released_at=None,
        )
        return {"item": item}
    raise LockHeldError("another execution has just taken the lock; wait for its end")


def _lease_until(services: Services, run_id: str) -> int:
    """The run's deadline and what may come after it: later than that it does nothing any more."""
    until = lease_until(services, run_id)
    return round(time.time() + MAX_RUN_S if until is None else until)


def _check_free(held: dict[str, Any], step_functions: StepFunctions, ec2: Ec2) -> None:
    """:raises LockHeldError: it is not, with what would do"""
    check_lease(held, step_functions)
    run_id = held["run_id_of_owner"]
    if brokers := instances_of(ec2, run_id):
        ids = ", ".join(brokers)
        raise LockHeldError(
            f"brokers of run {run_id} still run ({ids}): wait for them to end, or terminate them"
        )


def free_lock(services: Services, execution: str) -> bool:
    """Release the lock that this execution holds, and nobody else's; whether it held one."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return RunState(services.table, LOCKS).free(lock_item(execution), execution, released_at=now)


def owners(services: Services) -> dict[str, str]:
    """Every lock that is held: its owner, an execution's ARN -> the run's id."""
    locks = RunState(services.table, LOCKS).items().values()
    return {lock["owner"]: lock["run_id_of_owner"] for lock in locks if lock["released_at"] is None}


def lock_item(arn: str) -> str:
    """The lock's sort key: the name of the state machine of that ARN, or of one of its executions."""
    return arn.split(":")[6]


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
