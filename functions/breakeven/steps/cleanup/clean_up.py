"""The clean-up of what a run has made: one definition, used by its workflow, by the rule and by the watchdog.

Three ways that need nothing of one another, beside each node's own lease: the workflow's last steps
(``release_rest``), the rule on executions that end badly (``clean_up``), and the ``Watchdog``. Each may run
twice, or at once with another, and goes on past what it cannot clean up, which its outcome says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.errors import BreakevenError
from breakeven.installation import RUN_TAG
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.results.items import RUN
from breakeven.steps.aws_clients import (
    Ec2,
    ExecutionStatus,
    Mq,
    StepFunctions,
    execution_arn,
    execution_status,
)
from breakeven.steps.cleanup.resources import BROKERS, Resource, ResourceType
from breakeven.steps.instances import our_instances
from breakeven.steps.managed_brokers import NotYetError, our_brokers
from breakeven.steps.reasons import reason_of
from breakeven.steps.run.take_lock import free_lock, owners
from breakeven.steps.run_lease import lease_until
from breakeven.steps.services import Services

T = TypeVar("T")
#: how long it is not believed, after an execution has ended, that it still runs: what is said of one is
#: "eventually consistent" (Step Functions API reference, DescribeExecution)
STALE_S, LOOK_S = 10.0, 1.0
#: what the record of a run says failed, when it was the execution and no state of it
EXECUTION = "Execution"


class NotCleanedUpError(BreakevenError):
    """Something could not be cleaned up, or looked at; everything else was. Trying again does no harm."""


@dataclass
class Outcome:
    """``gone``: type -> what was cleaned up of it. ``problems``: what could not be done, in words.

    ``later``: what cannot be done yet, and is no fault. ``tidied``: as ``gone``, of types that outlive runs.
    """

    gone: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    tidied: dict[str, list[str]] = field(default_factory=dict)

    def trying(self, what: str, do: Callable[[], T]) -> T | None:
        """What it answers; None where it fails, which is then among the problems."""
        try:
            return do()
        except NotYetError:
            raise
        except (ClientError, BotoCoreError, BreakevenError) as error:
            self.problems.append(f"{what}: {error}")
            return None

    def clean_up(self, resource_type: ResourceType, resources: Iterable[Resource]) -> None:
        for resource in resources:
            try:
                done = self.trying(resource.id, partial(_cleaned_up, resource_type, resource.id))
            except NotYetError as error:
                self.later.append(str(error))
            else:
                if done:
                    found = self.tidied if resource_type.outlives_runs else self.gone
                    found.setdefault(resource_type.name, []).append(resource.id)

    def raise_if_incomplete(self) -> None:
        """:raises NotCleanedUpError: with every problem"""
        if self.problems:
            raise NotCleanedUpError("not cleaned up: " + "; ".join(self.problems))


def _cleaned_up(resource_type: ResourceType, resource_id: str) -> bool:
    resource_type.clean_up(resource_id)
    return True


def clean_up_all(resource_types: Sequence[ResourceType], run_id: str | None = None) -> Outcome:
    """Clean up all that the run has made, or the installation, of these types."""
    outcome = Outcome()
    for each in resource_types:
        outcome.clean_up(each, outcome.trying(each.name, partial(each.find, run_id)) or [])
    return outcome


def release_rest(services: Services, resource_types: Sequence[ResourceType], run_id: str) -> Outcome:
    """Clean up whatever of the run its lanes have not, and put on record that they had not."""
    outcome = clean_up_all(resource_types, run_id)
    if late := [*outcome.gone.get("instances", []), *outcome.gone.get(BROKERS, [])]:
        services.state(run_id).update(RUN, released_late=late, release_failed_at="ReleaseLane")
    _record_left(services, run_id, outcome)
    return outcome


def clean_up(
    services: Services,
    resource_types: Sequence[ResourceType],
    step_functions: StepFunctions,
    run_id: str,
    execution: str,
) -> Outcome:
    """Clean up after an execution that ended badly; record the run's end where nothing has, free the lock.

    Nothing is done while the execution is under way: it may have been redriven since its end was announced.
    """
    until = time.monotonic() + STALE_S
    while not (status := execution_status(step_functions, execution)).over and time.monotonic() < until:
        time.sleep(LOOK_S)
    if not status.over:
        return Outcome()
    outcome = clean_up_all(resource_types, run_id)
    outcome.trying("the run's record", lambda: record_end(services, run_id, status))
    outcome.trying("the run's record", lambda: _record_left(services, run_id, outcome))
    outcome.trying("the lock", lambda: free_lock(services, execution))
    return outcome


def _record_left(services: Services, run_id: str, outcome: Outcome) -> None:
    """On the run's record stands what it leaves to the watchdog, and why."""
    if outcome.later:
        services.state(run_id).update(RUN, left_to_watchdog=outcome.later)


def record_end(services: Services, run_id: str, status: ExecutionStatus) -> bool:
    """Write how the execution ended into the run's record, unless it has an end; whether it had none."""
    ended = {"finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    if status.status == "ABORTED":
        words = ": ".join(word for word in ("the execution was aborted", status.error, status.cause) if word)
        return services.state(run_id).end(status="aborted", reason=words, **ended)
    error = {"Error": status.error or f"States.{status.status}", "Cause": status.cause}
    if status.status == "TIMED_OUT":
        error = {"Error": "States.Timeout", "Cause": status.cause or "the execution outlasted its limit"}
    elif status.forgotten:
        error["Cause"] = "Step Functions does not know the execution any more"
    where, reason = reason_of({EXECUTION: error})
    return services.state(run_id).end(status="failed", failed_at=where, reason=reason, **ended)


@dataclass
class Watchdog:
    """Looks at all that the installation has standing, whoever should have cleaned it up.

    :param state_machine: ARN of the workflow, for runs whose record does not name their execution
    """

    services: Services
    resource_types: Sequence[ResourceType]
    step_functions: StepFunctions
    state_machine: str

    def watch(self) -> Outcome:
        """Let go of what belongs to a run that is over, or whose lease has lapsed; free their locks."""
        outcome = Outcome()
        standing = {each.name: outcome.trying(each.name, each.find) or [] for each in self.resource_types}
        held = outcome.trying("locks", lambda: owners(self.services)) or {}
        runs = {each.run_id for found in standing.values() for each in found if each.run_id}
        finished = {run_id for run_id in sorted(runs) if self._is_finished(run_id, outcome)}
        for each in self.resource_types:
            outcome.clean_up(each, [one for one in standing[each.name] if _is_done_with(one, finished)])
        for execution, run_id in held.items():
            self._free(execution, run_id, outcome)
        return outcome

    def _is_finished(self, run_id: str, outcome: Outcome) -> bool:
        """Its execution is over, or its lease is: what cannot be judged is left, and is a problem."""
        status = outcome.trying(f"run {run_id}", lambda: self._status_of(run_id))
        if status and status.over:
            outcome.trying(f"record of {run_id}", lambda: record_end(self.services, run_id, status))
            return True
        until = outcome.trying(f"lease of {run_id}", lambda: lease_until(self.services, run_id))
        return until is not None and time.time() > until

    def _status_of(self, run_id: str) -> ExecutionStatus:
        record = self.services.state(run_id).get(RUN)
        return execution_status(
            self.step_functions, record.get("execution") or execution_arn(self.state_machine, run_id)
        )

    def _free(self, execution: str, run_id: str, outcome: Outcome) -> None:
        status = outcome.trying(f"lock of {run_id}", lambda: execution_status(self.step_functions, execution))
        if status and status.over:
            outcome.trying(f"record of {run_id}", lambda: record_end(self.services, run_id, status))
            outcome.trying(f"lock of {run_id}", lambda: free_lock(self.services, execution))


def _is_done_with(resource: Resource, finished: set[str]) -> bool:
    if resource.run_id:
        return resource.run_id in finished
    return resource.lease_until is not None and time.time() > resource.lease_until


@dataclass(frozen=True, slots=True)
class Nodes:
    """``overdue``: of those up, the instances, and brokers of Amazon MQ, whose run must have ended by now."""

    up: int
    overdue: list[str]


def standing_nodes(services: Services, ec2: Ec2, mq: Mq) -> Nodes:
    """The installation's broker nodes and brokers of Amazon MQ, whatever run they are of."""
    nodes = [(each.id, each.tags, each.launched_at) for each in our_instances(ec2) if each.stands]
    nodes += [(each.id, each.tags, each.created_at) for each in our_brokers(mq) if each.stands]
    runs = {tags.get(RUN_TAG, "") for _, tags, _ in nodes}
    ends = {run_id: lease_until(services, run_id) if run_id else None for run_id in runs}
    due = [(name, ends[tags.get(RUN_TAG, "")] or since + MAX_RUN_S) for name, tags, since in nodes]
    return Nodes(len(nodes), [name for name, end in due if time.time() > end])
