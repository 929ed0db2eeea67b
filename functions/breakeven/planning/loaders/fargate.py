"""Loaders that are tasks of Fargate: which cases have them and why, and how many can be settled together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.budget.durations import LOADER_LIMIT_S, seconds_needed
from breakeven.planning.budget.task_lines import has_tasks
from breakeven.planning.expand import expand
from breakeven.planning.refusal import Refusal, origin
from breakeven.terms import Environment
from breakeven.workload.case import CLOSING_S, Case
from breakeven.workload.suite import Suite

#: loaders x seconds of one case: whoever settles it holds a result of each loader, which grows by some 6.4 KB
#: a second (5 MB in 13 minutes, decision 0021): a GB of the function's 1.7
SETTLED_LOADER_S = 150_000.0


def may_have_tasks(suite: Suite) -> bool:
    """Whether a plan of the suite can have some, at whatever scale: then the account is asked about them."""
    try:
        return any(has_tasks(case) for case in expand(suite, run_id="asked"))
    except InputError:
        return False  # the plan itself refuses it


def notes(suite: Suite, cases: Sequence[Case], environment: Environment) -> list[str]:
    """A sentence for each cell whose loaders are tasks: why."""
    found: dict[str, None] = {}
    for case in (one for one in cases if has_tasks(one)):
        what = f"{case.scenario}, {case.cell} on {case.target}: {words.plural(case.loaders, 'loader')}"
        found[f"{what} as {_tasks(case)} of Fargate, {_why(suite, case, environment)}."] = None
    return list(found)


def _tasks(case: Case) -> str:
    return "a task" if case.loaders == 1 else "tasks"


def _why(suite: Suite, case: Case, environment: Environment) -> str:
    if suite.loader_of(case.scenario) == "fargate":
        return "as the suite says"
    needed_s, has_s = seconds_needed(case.workload, case.target, environment), LOADER_LIMIT_S - CLOSING_S
    if round(needed_s / 60) <= round(has_s / 60):  # in minutes they would look the same
        needed, limit = f"{needed_s:.0f} s", f"{has_s:.0f} s"
    else:
        needed, limit = f"{needed_s / 60:.0f} min", f"{LOADER_LIMIT_S / 60:.0f} min"
    return f"because a loader may need {needed} and a function may run for {limit}"


def refusals(suite: Suite, cases: Sequence[Case], environment: Environment) -> Iterator[Refusal]:
    """Cases of more tasks than can be settled together."""
    for case in (one for one in cases if has_tasks(one)):
        needed_s = seconds_needed(case.workload, case.target, environment)
        fit = max(1, int(SETTLED_LOADER_S // needed_s))
        if case.loaders > fit:
            what = f"{case.loaders} loaders for {needed_s / 60:.0f} min write more results"
            most = f"ask for {words.plural(fit, 'loader')} at most, or a shorter case"
            remedy = f"{what} than one settle step can hold; {most}"
            field = origin(suite, case.scenario, "loaders")
            yield Refusal(case_id=case.case_id, field=field, value=case.loaders, remedy=remedy)
