"""Services that a step needs."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.brokers.access import Access
from breakeven.results import layout
from breakeven.results.state import RunState, Table
from breakeven.results.store import Store
from breakeven.targets.catalog import record_of
from breakeven.targets.target import Target, open_target
from breakeven.terms import TargetName
from breakeven.workload.case import Case


@dataclass(frozen=True)
class Services:
    store: Store
    table: Table

    def state(self, run_id: str) -> RunState:
        return RunState(self.table, run_id)

    def case(self, run_id: str, case_id: str) -> Case:
        return Case.model_validate(self.store.get_json(layout.case_key(run_id, case_id)))

    def access(self, run_id: str, target: TargetName) -> Access | None:
        """The lane's credentials and nodes; None for a service without brokers of the lane's own."""
        if not record_of(target).has_brokers:
            return None
        return Access.model_validate(self.store.get_json(layout.access_key(run_id, target)))

    def keep_access(self, run_id: str, target: TargetName, access: Access) -> None:
        """Put the lane's credentials and nodes among its secrets."""
        self.store.put_secret(layout.access_key(run_id, target), access.model_dump_json())

    def target(self, run_id: str, target: TargetName) -> Target:
        """The target with all of its nodes."""
        return open_target(target, self.access(run_id, target))

    def target_of(self, case: Case) -> Target:
        """The case's target, without the nodes that the case has stopped."""
        access = self.access(case.run_id, case.target)
        return open_target(case.target, access, case.workload.nodes_down)
