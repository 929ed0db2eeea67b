"""Plan a run: expand and check the suite, store its cases and prices, answer the rounds to run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from breakeven.errors import InputError
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.budget.metric_lines import has_metrics
from breakeven.planning.budget.task_lines import endpoints
from breakeven.planning.loaders.advice import LoaderAdvice
from breakeven.planning.machine_availability import ANY_ACCOUNT, Account
from breakeven.planning.plan import DEFAULT_ALLOWANCE, Plan, make_plan
from breakeven.pricing.bill.questions import price_books
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.refresh import Refreshed
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.results.schemas import SERVICE_MINUTES
from breakeven.steps.run.account_capacity import instance_types, prices_of
from breakeven.steps.run.costs import ask_about
from breakeven.steps.run.resume_run import QUESTIONS, earlier_run, plan_resumed, take_over
from breakeven.steps.run.run_input import RunInput, parse_run_input, suite_of
from breakeven.steps.run.software import versions
from breakeven.steps.run.suite_advice import known_advice
from breakeven.steps.services import Services
from breakeven.targets.catalog import is_compared, record_of
from breakeven.version import RUN_FORMAT, VERSION
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


def plan_run(
    services: Services,
    run_id: str,
    document: dict[str, Any],
    *,
    execution: str,
    started_at: str,
    is_running: Callable[[str], bool] = lambda _: True,
    allowance: Allowance = DEFAULT_ALLOWANCE,
    account: Callable[[Suite], Account] = lambda suite: ANY_ACCOUNT,
    images: Callable[[Sequence[str]], Sequence[str]] = lambda wanted: (),
    simulated: bool = False,
) -> dict[str, Any]:
    """What the workflow goes on with: ``{sql_run_id, legs_at_once, images, endpoints, metrics, rounds}``.

    ``images`` are those of brokers that are to be baked first; ``endpoints`` are those that loaders which
    are tasks call, none where there are no such loaders to run; ``metrics``: whether CloudWatch has any of
    what is left to run; ``rounds`` are lists of legs.

    :param is_running: tells of an execution's ARN whether it is under way; taken to be, by default
    :param allowance: what this deployment allows, whatever the input asks for
    :param account: what the account has room for; asked for runs on AWS only
    :param images: tells which images of a run's nodes are not there
    :param simulated: AWS is stood in for, on one machine; only there may the input say that it is
    :raises InputError: input, suite or plan that cannot run; nothing has been started
    """
    check_name(run_id)
    wanted = parse_run_input(document)
    check_surroundings(wanted, simulated=simulated)
    if wanted.resume_run_id is None:
        plan = _begin(services, run_id, wanted, allowance, account)
    else:
        check_run_id(wanted.resume_run_id, field="resume_run_id")
        earlier = earlier_run(services, wanted.resume_run_id, is_running)
        room = account(suite_of(earlier.wanted)) if wanted.surroundings.name == "aws" else ANY_ACCOUNT
        body = services.store.get_json(layout.price_book_key(earlier.run_id))
        plan = plan_resumed(earlier, wanted, run_id, allowance, room, PriceBook.model_validate(body))
        take_over(services, earlier, plan, wanted.surroundings.notes)
    services.state(run_id).update(
        RUN,
        status="running",
        execution=execution,
        started_at=started_at,
        deadline_at=round(datetime.fromisoformat(started_at).timestamp() + plan.deadline_s),
        suite=plan.suite,
        environment=plan.environment,
        shared=wanted.surroundings.shared,
        cases=len(plan.cases),
        resumes=wanted.resume_run_id,
    )
    return {
        "sql_run_id": f"'{run_id}'",  # an Athena parameter is a literal; check_run_id keeps it one
        "legs_at_once": plan.lanes_at_once,
        "images": list(images(_broker_images(plan))),
        "endpoints": _endpoints(plan),
        "metrics": plan.environment == "aws" and has_metrics(_to_be_read(services, plan)),
        "rounds": [[_leg(plan, leg) for leg in legs] for legs in plan.model_dump(mode="json")["rounds"]],
    }


def _begin(
    services: Services,
    run_id: str,
    wanted: RunInput,
    allowance: Allowance,
    account: Callable[[Suite], Account],
) -> Plan:
    suite = suite_of(wanted)
    advice, warnings = known_advice(services, suite.suite)
    room = account(suite) if wanted.surroundings.name == "aws" else ANY_ACCOUNT
    prices = prices_of(wanted, datetime.now(UTC).date(), instance_types(suite))
    plan = plan_of(wanted, suite, run_id, advice, allowance, room, prices.book)
    plan.raise_if_refused()
    _store(services, run_id, wanted, suite, plan, prices, warnings)
    return plan


def check_run_id(run_id: str, field: str = "name") -> None:
    """:raises InputError: a run's id must be safe in keys, queue names and SQL"""
    if not RUN_ID.fullmatch(run_id):
        remedy = "a run's id has letters, digits, hyphens and underscores, at most 80"
        raise InputError("execution", field, run_id, remedy)


def check_name(run_id: str) -> None:
    """:raises InputError: a new run's id is no id, or stands for whichever run is the newest"""
    check_run_id(run_id)
    if run_id == layout.LATEST:
        raise InputError("execution", "name", run_id, "it stands for the newest run; give another name")


def check_surroundings(wanted: RunInput, *, simulated: bool) -> None:
    """:raises InputError: the input calls an account one machine, on which nothing costs or is limited"""
    if wanted.surroundings.name != "aws" and not simulated:
        remedy = "belongs to runs on one machine; leave surroundings out"
        raise InputError("execution input", "surroundings.name", wanted.surroundings.name, remedy)


def plan_of(
    wanted: RunInput,
    suite: Suite,
    run_id: str,
    advice: LoaderAdvice | None = None,
    allowance: Allowance = DEFAULT_ALLOWANCE,
    account: Account = ANY_ACCOUNT,
    book: PriceBook | None = None,
) -> Plan:
    """The plan, the same locally before anything starts and in the workflow's first state.

    :param advice: what earlier runs of the suite found of their loaders
    :param book: of the run's region, brought up to date; the shipped one, unless given
    :raises InputError: a suite that makes no plan, or is none that the deployment allows
    """
    if wanted.surroundings.name == "aws":
        allowance.check_suite(wanted.suite)
    return make_plan(
        suite,
        run_id=run_id,
        environment=wanted.surroundings.name,
        variant=wanted.variant,
        scale=wanted.scale,
        seed=wanted.seed,
        region=wanted.region,
        max_usd=wanted.max_usd,
        advice=advice,
        hardware=wanted.surroundings.hardware,
        allowance=allowance,
        account=account,
        book=book,
    )


def usual_message_bytes(cases: Sequence[Case]) -> int:
    """The size that most compared cases have: the one whose price the cost question asks for."""
    sizes = [case.workload.message_bytes for case in cases if is_compared(case.target)]
    return Counter(sizes).most_common(1)[0][0]


def _endpoints(plan: Plan) -> list[str]:
    """Of the cases that are left to run, where the run goes on with another."""
    return endpoints(_to_run(plan))


def _to_run(plan: Plan) -> list[Case]:
    to_run = {ref.case_id for legs in plan.rounds for leg in legs for ref in leg.cases}
    return [case for case in plan.cases if case.case_id in to_run]


def _to_be_read(services: Services, plan: Plan) -> list[Case]:
    """The cases of which nobody has asked CloudWatch yet: also those that an aborted run has settled."""
    table = SERVICE_MINUTES.name
    read = set(services.store.keys(layout.rows_prefix(table, plan.run_id)))
    return [each for each in plan.cases if layout.row_key(table, plan.run_id, each.case_id) not in read]


def _broker_images(plan: Plan) -> list[str]:
    """Of the nodes that are left to be launched."""
    legs = [leg for legs in plan.rounds for leg in legs]
    machines = [leg.machines for leg in legs if leg.machines]
    return sorted({each.image for each in machines if each.service == "ec2"})


def _leg(plan: Plan, leg: dict[str, Any]) -> dict[str, Any]:
    target = leg["target"]
    return {
        **leg,
        "brokers": record_of(target).has_brokers,
        "managed": record_of(target).broker is not None,
        "warms_up": plan.warm_up and is_compared(target),
        "warm_up_s": plan.warm_up_s,
    }


def _store(
    services: Services,
    run_id: str,
    wanted: RunInput,
    suite: Suite,
    plan: Plan,
    prices: Refreshed,
    warnings: list[str],
) -> None:
    book = prices.book
    for case in plan.cases:
        services.store.put_json(layout.case_key(run_id, case.case_id), case.model_dump(mode="json"))
    asked = ask_about(plan.cases, usual_message_bytes(plan.cases), book)
    services.store.put_json(layout.price_book_key(run_id), book.model_dump(mode="json", by_alias=True))
    for table, rows in asked.rows().items():
        services.store.put_rows(table, run_id, QUESTIONS, rows)
    services.store.put_json(
        layout.plan_key(run_id),
        {
            "version": VERSION,
            "format": RUN_FORMAT,
            "versions": versions(),
            "input": wanted.model_dump(mode="json"),
            "suite": {"name": suite.suite, "title": suite.title, "sha256": suite.sha256},
            "plan": plan.model_dump(mode="json"),
            "price_books": price_books(asked.questions),
            "price_notes": list(prices.notes),
            "loader_warnings": warnings,
            "cost": asked.to_json(),
        },
    )
