"""The scale at which a suite's load-unload cases fit their loaders."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_DOWN, Decimal

from breakeven.planning.budget.durations import CLOSING_S, LOADER_LIMIT_S, seconds_needed
from breakeven.planning.budget.planning_assumptions import OVERHEADS
from breakeven.terms import Environment
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite


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
