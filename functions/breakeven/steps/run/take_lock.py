"""Taking the run's lock: refused while its owner may run, or has left brokers that do."""

from __future__ import annotations

import time
from typing import Any

from botocore.exceptions import ClientError

from breakeven.errors import LockHeldError
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.results.items import LOCKS
from breakeven.results.state import RunState
from breakeven.steps.aws_clients import Ec2, StepFunctions
from breakeven.steps.lane.release_lane import instances_of
from breakeven.steps.run_lease import lease_until
from breakeven.steps.run_lock import check_lease, lock_item
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
    try:
        locks.take(
            item,
            held.get("version"),
            owner=execution,
            run_id_of_owner=run_id,
            taken_at=round(time.time()),
            lease_until=_lease_until(services, run_id),
            released_at=None,
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        raise LockHeldError("another execution has just taken the lock; wait for its end") from error
    return {"item": item}


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
