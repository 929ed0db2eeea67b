"""Time and money that tasks of Fargate take of a run: themselves, their endpoints and their image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget.durations import expected
from breakeven.planning.budget.state_calls import loader_s, watch_s
from breakeven.planning.execution_limits import WATCH_S
from breakeven.pricing.bill.lines import BYTES_PER_GB
from breakeven.targets.catalog import record_of
from breakeven.terms import Environment
from breakeven.workload.case import Case

#: of each task: as much of a core as a function has with its 1,769 MB, and the least memory that Fargate has
#: with it. A result grows by 5 MB in 13 minutes (decision 0021), so that three hours of one fit
VCPU, MEMORY_GB = 1, 2
#: what a task calls that has no gateway: its image, and its log
ENDPOINTS = ("ecr.api", "ecr.dkr", "logs")
#: what is priced: in words, service and item of the price book, how many of its units
Quantity = tuple[str, str, str, float]


def has_tasks(case: Case) -> bool:
    """Are its loaders tasks?"""
    return case.loader == "fargate"


def endpoints(cases: Sequence[Case]) -> list[str]:
    """Services that a run of the cases makes endpoints of, by the ends of their names; none without tasks."""
    targets = [record_of(case.target) for case in cases if has_tasks(case)]
    own = sorted({target.endpoint for target in targets if target.endpoint})
    return [*ENDPOINTS, *own] if targets else []


def before_s(environment: Environment, *, image_built: bool | None) -> float:
    """Seconds before the first lane: endpoints are made while the image is built, where it is not."""
    if environment == "local":
        return assumed.TASKS_LOCAL_S
    return assumed.ENDPOINTS_S + (0.0 if image_built else assumed.IMAGE_BUILD_S)


def watched_again(case: Case) -> int:
    """How often its watch is called after the first time."""
    return ceil(watch_s(case) / WATCH_S) - 1 if has_tasks(case) else 0


def quantities(cases: Sequence[Case], run_s: float, *, image_built: bool | None) -> Iterator[Quantity]:
    """None where no case has tasks.

    :param run_s: of the whole run, in which endpoints are up; begun hours are billed as whole ones
    """
    tasks = [case for case in cases if has_tasks(case)]
    if not tasks:
        return
    hours = sum(case.loaders * _billed_s(case) for case in tasks) / 3600
    yield "tasks, vCPUs", "fargate", "vcpu_hour_arm", hours * VCPU
    yield "tasks, memory", "fargate", "gb_hour_arm", hours * MEMORY_GB
    up = len(endpoints(cases)) * assumed.ZONES
    yield "endpoints of tasks", "network", "endpoint_hour", up * ceil(run_s / 3600)
    yield "traffic through endpoints", "network", "endpoint_gb", sum(map(_endpoint_gb, tasks))
    if not image_built:
        minutes = ceil(assumed.IMAGE_BUILD_S / 60)
        yield "image of tasks, built", "codebuild", "arm_small_minute", minutes


def _billed_s(case: Case) -> float:
    """Of one task: from when its image is fetched, a minute at least."""
    return max(60.0, assumed.TASK_BEFORE_S + loader_s(case))


def _endpoint_gb(case: Case) -> float:
    """A managed service's messages pass its endpoint twice; brokers are beside the tasks."""
    if record_of(case.target).has_brokers:
        return 0.0
    return (
        2 * expected(case.workload, case.target, "aws").messages * case.workload.message_bytes / BYTES_PER_GB
    )
