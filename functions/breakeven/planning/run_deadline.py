"""Deadlines of a run: its own, from the plan, and the execution's, after which nothing is run.

After the run's own deadline no brokers are launched and no case is begun: what is left fails at once, and
the run lets its brokers go, reports and ends by itself. The execution's limit is for a run that does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven.planning.budget.durations import LOADER_LIMIT_S
from breakeven.planning.refusal import Refusal
from breakeven.workload.case import Case

#: time limit of the state machine; a test holds the definition to it
MAX_RUN_S = 12 * 3600.0
#: what may be under way at the run's deadline and comes after it: a case of 15 min and its states' limits,
#: brokers let go, queries, the report
TAIL_S = 3600.0
#: how much longer than expected a run may take: rates are assumed, launches and retries take their time
SLACK_SHARE, SLACK_S = 0.5, 1800.0


def deadline_s(expected_s: float, cases: Sequence[Case] = ()) -> float:
    """Seconds from the execution's start to the run's deadline."""
    return expected_s * (1 + SLACK_SHARE) + SLACK_S + longer_by(cases)


def longer_by(cases: Sequence[Case]) -> float:
    """Seconds that the longest of the cases may take more than a function: none of it is begun so late.

    A loader that is a task can go on for hours. It is begun only when it will have ended by the time at which
    a function would have that was begun at the deadline.
    """
    return max((overtime_s(case) for case in cases), default=0.0)


def overtime_s(case: Case) -> float:
    """Seconds before the deadline after which the case is not begun any more."""
    return max(0.0, case.limit_s - LOADER_LIMIT_S)


def refusals(cases: Sequence[Case], expected_s: float) -> Iterator[Refusal]:
    """A run whose deadline and what comes after it do not fit into the execution's limit."""
    most_s = (MAX_RUN_S - TAIL_S - SLACK_S - longer_by(cases)) / (1 + SLACK_SHARE)
    if expected_s <= most_s:
        return
    repeats = max(case.repeat for case in cases)
    field, value = ("repeats", repeats) if repeats > 1 else ("scenarios", len(cases))
    hours, end = f"{expected_s / 3600:.1f}", f"it is stopped after {MAX_RUN_S / 3600:.0f} h"
    if most_s > 0:
        takes = f"the run would take about {hours} h, and the limit is {most_s / 3600:.1f} h: {end}"
        remedy = f"{takes}; run fewer repeats, or fewer or shorter cases"
    else:
        longest = max(case.limit_s for case in cases) / 3600
        takes = f"the run would take about {hours} h, and {end}: one of its cases may take {longest:.1f} h"
        remedy = f"{takes}; shorten that case"
    yield Refusal(case_id=None, field=field, value=value, remedy=remedy)
