"""Time that a run still takes, by what was expected of it and what is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from breakeven.planning.plan import Plan
from breakeven.planning.rounds import Leg
from breakeven.results.items import case_item
from breakeven.terms import TargetName
from breakeven.workload.case import Case

Items = Mapping[str, Mapping[str, Any]]
ENDED = {"ok", "failed"}


def seconds_left(items: Items, cases: Sequence[Case], now: datetime, plan: Plan | None = None) -> float:
    """Of the cases, and of the lanes that are still to be opened, warmed up and closed.

    Rounds go on one after another; of the legs of a round as many at once as the plan has room for.

    :param plan: that the cases are of; None: each follows the other, on lanes that are open
    """
    left = {case.case_id: _case_s(items.get(case_item(case.case_id), {}), case, now) for case in cases}
    if plan is None:
        return sum(left.values())
    around = plan.around_cases_s
    for target in _begun(items, plan):
        around.pop(target, None)
    rounds = ([_leg_s(leg, left, around) for leg in legs] for legs in plan.rounds)
    return sum(_round_s(legs, plan.lanes_at_once) for legs in rounds)


def _begun(items: Items, plan: Plan) -> set[TargetName]:
    """Targets of which a case has begun, so that their lanes are open and warm."""
    asked = (
        (leg.target, case_item(one.case_id)) for legs in plan.rounds for leg in legs for one in leg.cases
    )
    return {target for target, item in asked if items.get(item, {}).get("status")}


def _leg_s(leg: Leg, left: Mapping[str, float], around: Mapping[TargetName, float]) -> float:
    cases_s = sum(left.get(one.case_id, 0.0) for one in leg.cases)
    return cases_s + (around.get(leg.target, 0.0) if leg.opens else 0.0)


def _round_s(legs: Sequence[float], at_once: int) -> float:
    """As the plan's estimate has it of lanes."""
    longest = max(legs, default=0.0)
    return longest if at_once >= len(legs) else longest + (sum(legs) - longest) / at_once


def _case_s(item: Mapping[str, Any], case: Case, now: datetime) -> float:
    if item.get("status") in ENDED:
        return 0.0
    return case.expected_s - (_elapsed(item, case, now) if item.get("status") == "running" else 0.0)


def _elapsed(item: Mapping[str, Any], case: Case, now: datetime) -> float:
    """Seconds of those that the case is expected to take; what it takes beyond them is not known before."""
    since = (now - datetime.fromisoformat(item["started_at"])).total_seconds()
    return min(max(0.0, since), case.expected_s)
