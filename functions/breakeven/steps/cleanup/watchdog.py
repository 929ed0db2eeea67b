"""The watchdog: it cleans up what belongs to no run that goes on, whoever should have done so before."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.results.items import RUN
from breakeven.steps.aws_clients import StepFunctions
from breakeven.steps.cleanup.clean_up import Outcome, record_end
from breakeven.steps.cleanup.resources import Resource, ResourceType
from breakeven.steps.executions import ExecutionStatus, execution_arn, execution_status
from breakeven.steps.run.take_lock import free_lock, owners
from breakeven.steps.run_lease import lease_until
from breakeven.steps.services import Services


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
