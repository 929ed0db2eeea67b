"""Loaders that are tasks of Fargate: which cases have them and why, and whether the account may run them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.errors import InputError
from breakeven.planning.budget.durations import CLOSING_S, LOADER_LIMIT_S, seconds_needed
from breakeven.planning.budget.task_lines import VCPU, has_tasks
from breakeven.planning.checks import origin
from breakeven.planning.expand import expand
from breakeven.planning.machine_availability import Account
from breakeven.planning.refusal import Refusal
from breakeven.terms import Environment
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite

#: "Fargate On-Demand vCPU resource count", of a region; 6 in many accounts
QUOTA = "L-3032A538"
#: loaders x seconds of one case: whoever settles it holds a result of each loader, which grows by some 6.4 KB
#: a second (5 MB in 13 minutes, decision 0021): a GB of the function's 1.7
SETTLED_LOADER_S = 150_000.0
MORE = f"ask AWS for more of quota {QUOTA} of Fargate in Service Quotas"


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
        return f"as one may need {needed_s:.0f} s, and a function has {has_s:.0f}"
    return f"as one may need {needed_s / 60:.0f} min, and a function may take {LOADER_LIMIT_S / 60:.0f}"


def fitted(suite: Suite, cases: Sequence[Case], account: Account) -> tuple[list[Case], list[str]]:
    """The cases with as many tasks as the account may run, and a sentence for each cell that has fewer.

    A count that the suite asks for stands.
    """
    most = _most(account)
    if not most:
        return list(cases), []
    fitting: list[Case] = []
    found: dict[str, None] = {}
    for case in cases:
        if not has_tasks(case) or case.loaders <= most or suite.loaders_of(case.scenario) is not None:
            fitting.append(case)
            continue
        fitting.append(case.model_copy(update={"loaders": most}))
        few = f"{words.plural(most, 'loader')} and not {case.loaders}, as {_has(account)}"
        cell = f"{case.scenario}, {case.cell} on {case.target}"
        found[f"{cell}: {few}. Its figures may be lower bounds; {MORE}."] = None
    return fitting, list(found)


def refusals(
    suite: Suite, cases: Sequence[Case], account: Account, environment: Environment
) -> Iterator[Refusal]:
    """Cases of more tasks than can ever run at once, or than can be settled together."""
    yield from _over_quota(suite, cases, account)
    for case in (one for one in cases if has_tasks(one)):
        needed_s = seconds_needed(case.workload, case.target, environment)
        fit = max(1, int(SETTLED_LOADER_S // needed_s))
        if case.loaders > fit:
            what = f"{case.loaders} loaders for {needed_s / 60:.0f} min leave more than one settling can hold"
            remedy = f"{what}: {words.plural(fit, 'loader')} can, or a shorter case"
            field = origin(suite, case.scenario, "loaders")
            yield Refusal(case_id=case.case_id, field=field, value=case.loaders, remedy=remedy)


def _over_quota(suite: Suite, cases: Sequence[Case], account: Account) -> Iterator[Refusal]:
    most = _most(account)
    for case in cases:
        if most is not None and has_tasks(case) and case.loaders > most:
            fits = f"{most} loaders fit" if most else "that is too few for any case"
            remedy = f"{_has(account)}: {fits}, or {MORE}"
            field = origin(suite, case.scenario, "loaders")
            yield Refusal(case_id=case.case_id, field=field, value=case.loaders, remedy=remedy)


def lanes_at_once(cases: Sequence[Case], account: Account) -> int:
    """How many lanes may be up together: all, or as many as there are vCPUs for."""
    needs: dict[str, int] = {}
    for case in cases:
        needs[case.target] = max(needs.get(case.target, 0), case.loaders * VCPU if has_tasks(case) else 0)
    if account.task_vcpus is None:
        return len(needs)
    most = sorted(needs.values(), reverse=True)
    return max(1, sum(sum(most[: count + 1]) <= account.task_vcpus for count in range(len(most))))


def _most(account: Account) -> int | None:
    """Tasks of one case; None: not known."""
    return None if account.task_vcpus is None else int(account.task_vcpus // VCPU)


def _has(account: Account) -> str:
    return f"the account may run {account.task_vcpus:g} vCPUs of Fargate at once, and a loader has {VCPU}"
