"""The plan of a run: its cases, the order they go in, what they will take, and what cannot run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from pydantic import Field

from breakeven.errors import InputError, together
from breakeven.planning import (
    broker_limits,
    environment_refusals,
    execution_limits,
    footprint,
    left_out,
    machine_availability,
    run_deadline,
    smaller_machines,
)
from breakeven.planning.budget import budget
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.budget.estimate import Estimate, estimate
from breakeven.planning.case_order import order_rounds
from breakeven.planning.checks.fault_notes import fault_notes
from breakeven.planning.expand import expand
from breakeven.planning.expected_losses import expected_losses
from breakeven.planning.loaders import fargate, long_cases, quotas
from breakeven.planning.loaders.advice import LoaderAdvice
from breakeven.planning.loaders.choice import choose_loaders, not_more
from breakeven.planning.node_sizes import even_clusters, passed_types, zones_asked
from breakeven.planning.refusal import Refusal
from breakeven.planning.rounds import Leg
from breakeven.planning.self_test import instrument_cases
from breakeven.planning.warm_up import windows_of_lanes
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import DEFAULT_REGION, book_of
from breakeven.targets.catalog import is_compared
from breakeven.terms import Environment, Frozen, TargetName
from breakeven.workload.case import Case, Variant
from breakeven.workload.fields import MOST_WARM_UP_S
from breakeven.workload.suite import Suite

DEFAULT_MAX_USD = 20.0
#: a cent: what is less was meant otherwise
LEAST_MAX_USD = 0.01
DEFAULT_ALLOWANCE = Allowance()


class Plan(Frozen):
    run_id: str
    suite: str
    title: str
    where: str = Field(description="where the suite was read, for messages")
    environment: Environment
    variant: Variant
    region: str = Field(description="whose price book is used")
    scale: float
    seed: int = Field(description="orders legs and cases")
    max_usd: float
    cases: list[Case]
    rounds: list[list[Leg]]
    lanes_at_once: int
    estimate: Estimate
    deadline_s: float = Field(description="from the start; nothing is begun after it")
    refusals: list[Refusal]
    warm_up: bool = Field(default=False, description="of each lane, before its first case")
    warm_up_s: float = Field(default=MOST_WARM_UP_S, description="which it takes at most")
    loader_notes: list[str] = Field(default=[], description="where counts are not the usual ones, and why")
    machine_notes: list[str] = Field(
        default=[], description="brokers not of the usual type, or left out, and why; an even number of nodes"
    )

    fault_notes: list[str] = Field(
        default=[],
        description="the loss that each fault lets expect, and which come too early for a time to recover",
    )

    @property
    def notes(self) -> list[str]:
        """What is said of it before it is run."""
        return [*self.machine_notes, *self.loader_notes, *self.fault_notes]

    @property
    def around_cases_s(self) -> dict[TargetName, float]:
        """Seconds of each lane beside its cases: until it is open and warm, and to close it."""
        expected = {case.case_id: case.expected_s for case in self.cases}
        found = dict(self.estimate.lanes)
        for leg in (leg for legs in self.rounds for leg in legs):
            found[leg.target] -= sum(expected[one.case_id] for one in leg.cases)
        return {target: max(0.0, seconds) for target, seconds in found.items()}

    def raise_if_refused(self) -> None:
        """:raises InputError: something of the plan cannot run; every reason once"""
        distinct = {(refusal.field, refusal.remedy): refusal for refusal in self.refusals}
        if distinct:
            raise together([InputError(self.where, r.field, r.value, r.remedy) for r in distinct.values()])


def make_plan(
    suite: Suite,
    *,
    run_id: str,
    environment: Environment = "aws",
    variant: Variant | None = None,
    scale: float = 1.0,
    seed: int | None = None,
    region: str = DEFAULT_REGION,
    max_usd: float = DEFAULT_MAX_USD,
    advice: LoaderAdvice | None = None,
    hardware: Mapping[str, object] | None = None,
    allowance: Allowance = DEFAULT_ALLOWANCE,
    account: machine_availability.Account = machine_availability.ANY_ACCOUNT,
    book: PriceBook | None = None,
) -> Plan:
    """Expand, order and price a suite. The same arguments give the same plan.

    :param seed: orders legs and cases; the suite's, or made from the run's id, unless given
    :param max_usd: a run on AWS that would cost more is refused
    :param advice: what earlier runs found of their loaders; dropped where more of them alone would refuse it
    :param hardware: of the one machine of a local run
    :param allowance: what the deployment allows a run on AWS, whatever ``max_usd`` says
    :param account: what the account has room for, on AWS
    :param book: of the region, as the Price List has brought it up to date; the shipped one, unless given
    :raises InputError: the suite cannot be expanded, or there is no price book of the region
    """
    if seed is None:
        seed = suite.seed if suite.seed is not None else _seed_of(run_id)
    book, left = book or book_of(region), list[str]()
    if environment == "aws":
        suite, left = left_out.priced(suite, book)
    expanded = expand(suite, run_id=run_id, environment=environment, variant=variant, scale=scale)
    fitting, smaller = smaller_machines.fitted(suite, expanded, account, book)
    compared = machine_availability.placed(fitting, account)
    blank = Plan(
        run_id=run_id,
        suite=suite.suite,
        title=suite.title,
        where=suite.where,
        environment=environment,
        variant=compared[0].variant,
        region=region,
        scale=scale,
        seed=seed,
        max_usd=max_usd,
        cases=[],
        rounds=[],
        lanes_at_once=1,
        estimate=estimate([], environment, book, 1),
        deadline_s=0.0,
        refusals=[],
        warm_up=suite.warm_up > 0,
        warm_up_s=suite.warm_up,
        fault_notes=[*expected_losses(compared), *fault_notes(compared)],
        machine_notes=[
            *left,
            *smaller,
            *passed_types(suite, compared),
            *even_clusters(compared),
            *zones_asked(compared),
            *broker_limits.notes(compared),
        ],
    )
    make = partial(_planned, blank, suite, book=book, allowance=allowance, account=account)
    if advice is None:
        return make(compared, [])
    chosen, notes = choose_loaders(suite, compared, advice, environment, hardware or {})
    made = make(chosen, notes)
    if made.refusals and notes:
        plain = make(compared, [])
        if len(plain.refusals) < len(made.refusals):
            why = next(refusal for refusal in made.refusals if refusal not in plain.refusals)
            return plain.model_copy(update={"loader_notes": [not_more(notes, why), *plain.loader_notes]})
    return made


def _planned(
    blank: Plan,
    suite: Suite,
    compared: Sequence[Case],
    loader_notes: list[str],
    *,
    book: PriceBook,
    allowance: Allowance,
    account: machine_availability.Account,
) -> Plan:
    """The plan of the suite's cases, and of the instrument's before them."""
    environment = blank.environment
    proving = instrument_cases(blank.run_id, environment, blank.variant) if suite.instrument else []
    fitting, fewer = quotas.fitted(suite, compared, account)
    notes = [*loader_notes, *fewer, *fargate.notes(suite, fitting, environment)]
    cases = [*proving, *fitting]
    plan = blank.model_copy(update={"cases": cases, "loader_notes": notes})
    return to_run(plan, cases, suite, allowance, account, book)


def to_run(
    plan: Plan,
    cases: Sequence[Case],
    suite: Suite,
    allowance: Allowance,
    account: machine_availability.Account,
    book: PriceBook | None = None,
    taken_over: Sequence[Case] = (),
) -> Plan:
    """The plan with these of its cases to be run: their order, what they take, and what cannot run.

    :param taken_over: cases that an earlier run has measured, whose metrics are read by this one
    """
    environment, book = plan.environment, book or book_of(plan.region)
    compared = [case for case in cases if is_compared(case.target)]
    fit = [part.lanes_at_once(compared, account) for part in (machine_availability, quotas)]
    lanes = max(1, min(fit)) if environment == "aws" else 1
    expected = estimate(
        cases,
        environment,
        book,
        lanes,
        windows=windows_of_lanes(compared, plan.warm_up_s) if plan.warm_up else [],
        taken_over=taken_over,
        image_built=account.image_built,
        to_bake=machine_availability.to_bake(cases, account),
    )
    refusals = [
        *environment_refusals.refusals(suite, compared, environment),
        *long_cases.refusals(suite, compared, environment),
        *_too_many(cases, lambda kept: order_rounds(kept, environment, plan.seed)),
        *run_deadline.refusals(compared, expected.seconds),
        *machine_availability.refusals(compared, book, account),
        *quotas.refusals(suite, compared, account),
        *fargate.refusals(suite, compared, environment),
        *footprint.refusals(suite, compared),
        *broker_limits.refusals(suite, compared),
    ]
    if environment == "aws":
        refusals += budget.refusals(suite, compared, expected, book, plan.max_usd, allowance)
    return plan.model_copy(
        update={
            "rounds": order_rounds(cases, environment, plan.seed),
            "lanes_at_once": lanes,
            "estimate": expected,
            "deadline_s": round(run_deadline.deadline_s(expected.seconds, cases), 1),
            "refusals": refusals,
        }
    )


def _seed_of(run_id: str) -> int:
    return int.from_bytes(hashlib.sha256(run_id.encode()).digest()[:4], "big") >> 1


def _too_many(cases: Sequence[Case], order: Callable[[Sequence[Case]], list[list[Leg]]]) -> Iterator[Refusal]:
    """More cases than one execution's history or state can hold."""

    def fits(kept: Sequence[Case]) -> bool:
        rounds = [[leg.model_dump(mode="json") for leg in legs] for legs in order(kept)]
        return execution_limits.fits(kept, rounds)

    if fits(cases):
        return
    events = execution_limits.history_events(cases)
    most_events = execution_limits.HISTORY_BUDGET
    why = f"{len(cases)} cases take about {events:,} events; a plan may take {most_events:,}"
    most = max(case.repeat for case in cases)
    repeats = execution_limits.largest(most, lambda n: fits([case for case in cases if case.repeat <= n]))
    if repeats:
        yield Refusal(case_id=None, field="repeats", value=most, remedy=f"{why}; {repeats} repeats fit")
    else:
        count = execution_limits.largest(len(cases), lambda n: fits(cases[:n]))
        remedy = f"{why}; about {count} cases fit"
        yield Refusal(case_id=None, field="scenarios", value=len(cases), remedy=remedy)
