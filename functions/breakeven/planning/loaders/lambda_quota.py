"""Whether an account may run as many functions at once as a plan's loaders are: Lambda's quota."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.planning.checks import origin
from breakeven.planning.machine_availability import Account
from breakeven.planning.refusal import Refusal
from breakeven.targets.catalog import INSTRUMENT
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite

#: "Concurrent executions" of Lambda; 1,000 in most accounts, and 10 in many new ones
QUOTA = "L-B99A9384"
#: functions that run beside a case's loaders: its watch, a step of another lane, and what the clock calls
BESIDE = 5
#: of them, what each lane takes: its case's watch
BESIDE_EACH = 1
MORE = f"ask AWS for more of quota {QUOTA} of Lambda in Service Quotas"


def fitted(suite: Suite, cases: Sequence[Case], account: Account) -> tuple[list[Case], list[str]]:
    """The cases with as many loaders as the account may run, and a sentence for each cell that has fewer.

    A count that the suite asks for stands.
    """
    most = _most(account)
    if most is None or most < 1:
        return list(cases), []
    fitting: list[Case] = []
    notes: dict[str, None] = {}
    for case in cases:
        if case.loader == "fargate" or case.loaders <= most or suite.loaders_of(case.scenario) is not None:
            fitting.append(case)
            continue
        fitting.append(case.model_copy(update={"loaders": most}))
        few = f"{words.plural(most, 'loader')} and not {case.loaders}, as {_has(account)}"
        notes[
            f"{case.scenario}, {case.cell} on {case.target}: {few}. Its figures may be lower bounds; {MORE}."
        ] = None
    return fitting, list(notes)


def refusals(suite: Suite, cases: Sequence[Case], account: Account) -> Iterator[Refusal]:
    """Cases of more loaders than can ever run at once, of a suite that asks for so many."""
    most = _most(account)
    for case in cases:
        if most is not None and functions_of(case) > most and case.target != INSTRUMENT:
            fits = f"{most} loaders fit" if most > 0 else "that is too few for any case"
            remedy = f"{_has(account)}: {fits}, or {MORE}"
            field = origin(suite, case.scenario, "loaders")
            yield Refusal(case_id=case.case_id, field=field, value=case.loaders, remedy=remedy)


def lanes_at_once(cases: Sequence[Case], account: Account) -> int:
    """How many lanes may be up together: all, or as many as there are functions for."""
    loaders: dict[str, int] = {}
    for case in cases:
        loaders[case.target] = max(loaders.get(case.target, 0), functions_of(case))
    if account.functions is None:
        return len(loaders)
    left = account.functions - (BESIDE - BESIDE_EACH)
    needs = sorted((each + BESIDE_EACH for each in loaders.values()), reverse=True)
    return max(1, sum(sum(needs[: count + 1]) <= left for count in range(len(needs))))


def functions_of(case: Case) -> int:
    """Loaders of a case that are functions: tasks are none."""
    return case.loaders if case.loader == "lambda" else 0


def _most(account: Account) -> int | None:
    """Loaders of one case; None: not known."""
    return None if account.functions is None else account.functions - BESIDE


def _has(account: Account) -> str:
    return f"the account may run {account.functions} functions at once, {BESIDE} of which run beside them"
