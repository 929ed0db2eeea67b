"""Cases that outlast a function, of a suite that wants its loaders to be functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.planning.budget.durations import LOADER_LIMIT_S, too_long_by
from breakeven.planning.checks import origin
from breakeven.planning.expand import scaled
from breakeven.planning.loaders.scale import fitting_scale
from breakeven.planning.refusal import Refusal
from breakeven.terms import Environment
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite


def refusals(suite: Suite, cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """Each with what makes it too long, and what fits."""
    cases = [case for case in cases if case.loader == "lambda"]
    excess = {case.case_id: too_long_by(case.workload, case.target, environment) for case in cases}
    slow = [case for case in cases if excess[case.case_id] > 0]
    scale = fitting_scale(suite, slow, environment)
    for case in slow:
        over = excess[case.case_id]
        minutes = (LOADER_LIMIT_S + over) / 60
        field, value, remedy = _longest(suite, case, scale, over)
        why = f"a loader may take {LOADER_LIMIT_S / 60:.0f} min and this needs about {minutes:.0f}"
        yield Refusal(
            case_id=case.case_id, field=field, value=value, remedy=f"{why}; {remedy}, or loader: fargate"
        )


def _longest(suite: Suite, case: Case, scale: float, excess_s: float) -> tuple[str, float, str]:
    """The field that makes a case too long, its value, and what fits."""
    messages = suite.scenarios[case.scenario].messages
    if messages is not None:
        fits = f"--scale {scale:g} fits ({scaled(messages, scale):,} messages)"
        return f"scenarios.{case.scenario}.messages", messages, fits
    name = max(("measure_s", "drain_s", "warmup_s"), key=lambda field: float(getattr(case.workload, field)))
    value = float(getattr(case.workload, name))
    stages_s = case.workload.warmup_s + case.workload.measure_s + case.workload.drain_s
    fits = f"warmup_s, measure_s and drain_s may add up to {stages_s - excess_s:.0f} s"
    return origin(suite, case.scenario, name), value, fits
