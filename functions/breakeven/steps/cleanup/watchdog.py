"""The watchdog: it cleans up what belongs to no run that goes on, whoever should have done so before."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from breakeven.results.items import RUN
from breakeven.steps.aws_clients import StepFunctions
from breakeven.steps.cleanup.clean_up import Outcome, record_end
from breakeven.steps.cleanup.resources import Kind, Leftover
from breakeven.steps.executions import Told, ask, execution_arn
from breakeven.steps.run_lease import lease_until
from breakeven.steps.run_lock import free_lock, owners
from breakeven.steps.services import Services


@dataclass
class Watchdog:
    """Looks at all that the installation has standing, whoever was told what.

    :param state_machine: ARN of the workflow, for runs whose record does not name their execution
    """

    services: Services
    kinds: Sequence[Kind]
    step_functions: StepFunctions
    state_machine: str

    def watch(self) -> Outcome:
        """Let go of what belongs to a run that is over, or whose lease has lapsed; free their locks."""
        outcome = Outcome()
        standing = {kind.name: outcome.trying(kind.name, kind.find) or [] for kind in self.kinds}
        held = outcome.trying("locks", lambda: owners(self.services)) or {}
        runs = {each.run_id for found in standing.values() for each in found if each.run_id}
        finished = {run_id for run_id in sorted(runs) if self._is_finished(run_id, outcome)}
        for kind in self.kinds:
            outcome.let_go(kind, [each for each in standing[kind.name] if _is_done_with(each, finished)])
        for execution, run_id in held.items():
            self._free(execution, run_id, outcome)
        return outcome

    def _is_finished(self, run_id: str, outcome: Outcome) -> bool:
        """Its execution is over, or its lease is: what cannot be judged is left, and is a problem."""
        told = outcome.trying(f"run {run_id}", lambda: self._told_of(run_id))
        if told and told.over:
            outcome.trying(f"record of {run_id}", lambda: record_end(self.services, run_id, told))
            return True
        until = outcome.trying(f"lease of {run_id}", lambda: lease_until(self.services, run_id))
        return until is not None and time.time() > until

    def _told_of(self, run_id: str) -> Told:
        record = self.services.state(run_id).get(RUN)
        return ask(self.step_functions, record.get("execution") or execution_arn(self.state_machine, run_id))

    def _free(self, execution: str, run_id: str, outcome: Outcome) -> None:
        told = outcome.trying(f"lock of {run_id}", lambda: ask(self.step_functions, execution))
        if told and told.over:
            outcome.trying(f"record of {run_id}", lambda: record_end(self.services, run_id, told))
            outcome.trying(f"lock of {run_id}", lambda: free_lock(self.services, execution))


def _is_done_with(leftover: Leftover, finished: set[str]) -> bool:
    if leftover.run_id:
        return leftover.run_id in finished
    return leftover.lease_until is not None and time.time() > leftover.lease_until
