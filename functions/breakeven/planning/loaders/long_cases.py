"""Cases that outlast a function, of a suite that wants its loaders to be functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_DOWN, Decimal

from breakeven.agent.effects import BACK_S
from breakeven.planning.budget.durations import (
    LOADER_LIMIT_S,
    SLACK,
    prefill_seconds,
    seconds_needed,
    too_long_by,
)
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.planning.refusal import Refusal, origin
from breakeven.planning.workload_settings import scaled
from breakeven.terms import Environment
from breakeven.workload.case import CLOSING_S, Case
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
        field, value, remedy = _longest(suite, case, scale, over, environment)
        why = f"a loader may take {LOADER_LIMIT_S / 60:.0f} min and this needs about {minutes:.0f}"
        yield Refusal(
            case_id=case.case_id, field=field, value=value, remedy=f"{why}; {remedy}, or loader: fargate"
        )


def _longest(
    suite: Suite, case: Case, scale: float, excess_s: float, environment: Environment
) -> tuple[str, float, str]:
    """The field that makes a case too long, its value, and what fits."""
    messages = suite.scenarios[case.scenario].messages
    if messages is not None:
        fits = f"--scale {scale:g} fits ({scaled(messages, scale):,} messages)"
        return f"scenarios.{case.scenario}.messages", messages, fits
    loading_s = SLACK * prefill_seconds(case.workload, case.target, environment)
    if loading_s > max(case.workload.measure_s, case.workload.drain_s):
        fit = max(0, int(case.workload.prefill * (1 - excess_s / loading_s)))
        asked = origin(suite, case.scenario, "prefill")
        return asked, case.workload.prefill, f"{fit:,} fit"
    ends_s = max((fault.end_s for fault in case.workload.node_faults), default=-BACK_S)
    if ends_s + BACK_S > case.workload.measure_s + case.workload.drain_s:
        fits = f"the last fault may end {ends_s - excess_s:.0f} s after the measured stage's start"
        return origin(suite, case.scenario, "faults"), ends_s, fits
    lengths = ("measure_s", "confirm_s", "drain_s", "warmup_s")
    name = max(lengths, key=lambda field: float(getattr(case.workload, field)))
    value = float(getattr(case.workload, name))
    if name == "confirm_s":
        return origin(suite, case.scenario, name), value, f"{max(0.0, value - excess_s):.0f} s fit"
    stages_s = case.workload.warmup_s + case.workload.measure_s + case.workload.drain_s
    fits = f"warmup_s, measure_s and drain_s may add up to {stages_s - excess_s:.0f} s"
    return origin(suite, case.scenario, name), value, fits


def fitting_scale(suite: Suite, slow: Sequence[Case], environment: Environment) -> float:
    """The largest ``--scale`` of two figures at which every slow load-unload case fits; 1 when there is none.

    The time beside the gate is proportional to the messages, so it is a quotient, rounded down.
    """
    gate = OVERHEADS[environment].gate
    scales = [Decimal(1)]
    for case in slow:
        messages = suite.scenarios[case.scenario].messages
        if messages is not None and case.workload.messages is not None:
            stages_s = seconds_needed(case.workload, case.target, environment) - gate
            full_s = stages_s * messages / case.workload.messages
            scales.append(_two_figures_down((LOADER_LIMIT_S - CLOSING_S - gate) / full_s))
    return float(min(scales))


def _two_figures_down(value: float) -> Decimal:
    exact = Decimal(value)
    return exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding=ROUND_DOWN)
