"""Going on with a run that did not come to its end: which cases are settled, and a plan of the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.machine_availability import Account
from breakeven.planning.plan import Plan, to_run
from breakeven.workload.suite import Suite


def is_settled(item: Mapping[str, Any]) -> bool:
    """Is the case's outcome a result that stands? ``item`` is its record in the run's state.

    ``ok`` is, and so is ``failed`` after an attempt: to run it until it passes would hide that it fails.
    What failed without one (its lane broke before, or the deadline passed) says nothing of its target.
    """
    status = item.get("status")
    return status == "ok" or (status == "failed" and int(item.get("attempt", 0)) > 0)


def resumed_plan(
    plan: Plan,
    suite: Suite,
    settled: Collection[str],
    *,
    run_id: str,
    max_usd: float,
    allowance: Allowance,
    account: Account,
) -> Plan:
    """The plan of a run that goes on with another's: all of its cases, and rounds of those not settled.

    Time, dollars and refusals are of what is left to run.
    """
    cases = [case.model_copy(update={"run_id": run_id}) for case in plan.cases]
    ours = plan.model_copy(update={"run_id": run_id, "cases": cases, "max_usd": max_usd})
    left = [case for case in cases if case.case_id not in settled]
    return to_run(ours, left, suite, allowance, account)
