"""Check that an account may run as many functions or tasks at once as a plan has loaders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from breakeven import words
from breakeven.planning.budget.task_lines import VCPU
from breakeven.planning.machine_availability import Account, lanes_that_fit
from breakeven.planning.refusal import Refusal, origin
from breakeven.workload.case import Case, LoaderKind
from breakeven.workload.suite import Suite

#: "Concurrent executions" of Lambda; 1,000 in most accounts, and 10 in many new ones
FUNCTIONS = "L-B99A9384"
#: "Fargate On-Demand vCPU resource count", of a region; 6 in many accounts
TASKS = "L-3032A538"
#: functions that run beside a case's loaders: its watch, a step of another lane, and what the clock calls
BESIDE = 5
#: of them, what each lane takes: its case's watch
BESIDE_EACH = 1
MORE_FUNCTIONS = f"ask AWS for more of quota {FUNCTIONS} of Lambda in Service Quotas"
MORE_TASKS = f"ask AWS for more of quota {TASKS} of Fargate in Service Quotas"


@dataclass(frozen=True, slots=True)
class Quota:
    """What an account has for loaders of one kind.

    ``most``: loaders of one case. ``room``: loaders of all lanes, each of which takes ``beside`` more.
    ``has`` and ``more`` say in words what it is, and how there can be more.
    """

    kind: LoaderKind
    most: int
    room: float
    beside: int
    has: str
    more: str

    def loaders(self, case: Case) -> int:
        """Those that are of the kind."""
        return case.loaders if case.loader == self.kind else 0


def quotas(account: Account) -> Iterator[Quota]:
    """Those that are known."""
    if account.functions is not None:
        has = f"the account may run {account.functions} functions at once, {BESIDE} of which run beside them"
        most, room = account.functions - BESIDE, account.functions - (BESIDE - BESIDE_EACH)
        yield Quota("lambda", most, room, BESIDE_EACH, has, MORE_FUNCTIONS)
    if account.task_vcpus is not None:
        vcpus = account.task_vcpus
        has = f"the account may run {vcpus:g} vCPUs of Fargate at once, and a loader has {VCPU}"
        yield Quota("fargate", int(vcpus // VCPU), vcpus / VCPU, 0, has, MORE_TASKS)


def fitted(suite: Suite, cases: Sequence[Case], account: Account) -> tuple[list[Case], list[str]]:
    """The cases with as many loaders as the account may run, and a sentence for each cell that has fewer.

    A count that the suite asks for stands.
    """
    fitting: list[Case] = list(cases)
    notes: dict[str, None] = {}
    for quota in quotas(account):
        for number, case in enumerate(fitting):
            explicit = suite.loaders_of(case.scenario) is not None
            if explicit or not 0 < quota.most < quota.loaders(case):
                continue
            fitting[number] = case.model_copy(update={"loaders": quota.most})
            few = f"{words.plural(quota.most, 'loader')} and not {case.loaders}, as {quota.has}"
            cell = f"{case.scenario}, {case.cell} on {case.target}"
            notes[f"{cell}: {few}. Its figures may be lower bounds; {quota.more}."] = None
    return fitting, list(notes)


def refusals(suite: Suite, cases: Sequence[Case], account: Account) -> Iterator[Refusal]:
    """Cases of more loaders than can ever run at once, of a suite that asks for so many."""
    for quota in quotas(account):
        for case in cases:
            if quota.loaders(case) > quota.most:
                fits = f"{quota.most} loaders fit" if quota.most > 0 else "that is too few for any case"
                remedy = f"{quota.has}: {fits}, or {quota.more}"
                field = origin(suite, case.scenario, "loaders")
                yield Refusal(case_id=case.case_id, field=field, value=case.loaders, remedy=remedy)


def lanes_at_once(cases: Sequence[Case], account: Account) -> int:
    """How many lanes may be up together: all, or as many as there are functions and tasks for."""
    targets = {case.target for case in cases}
    fit = [len(targets)]
    for quota in quotas(account):
        loaders = [max(quota.loaders(case) for case in cases if case.target == each) for each in targets]
        fit.append(lanes_that_fit([count + quota.beside for count in loaders], quota.room))
    return min(fit)
