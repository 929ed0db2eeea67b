"""Estimate of a run: seconds of lanes and run, and on AWS dollars by line. Free tiers are not counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil

from pydantic import Field

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget import state_calls, task_lines
from breakeven.planning.budget.lane_lines import (
    HOURS_PER_MONTH,
    baking,
    broker_instances,
    broker_looks,
    cross_zone_gb,
    of_amazon_mq,
    volumes,
)
from breakeven.planning.budget.metric_lines import has_metrics, metrics_read
from breakeven.planning.budget.request_counts import requests_by_price, sqs_requests
from breakeven.planning.budget.state_calls import loader_s, ordering_s, watch_s
from breakeven.planning.budget.task_lines import has_tasks
from breakeven.planning.execution_limits import METRICS_WAIT_S, QUERIES
from breakeven.planning.machine_availability import machines_of
from breakeven.pricing.bill.lines import BYTES_PER_GB
from breakeven.pricing.prices.book import PriceBook
from breakeven.targets.catalog import INSTRUMENT, record_of
from breakeven.terms import Environment, Frozen, TargetName
from breakeven.workload.case import Case
from breakeven.workload.node_faults import REBOOT_S


class CostLine(Frozen):
    """``quantity`` x the book's price of ``service/item``; ``usd`` is null with a reason when not known."""

    what: str
    service: str
    item: str
    quantity: float
    unit: str
    unit_usd: float | None = Field(description="of one unit; the first tier's where there are tiers")
    usd: float | None
    source: str = Field(description="of the price")
    as_of: str = Field(description="the source's date")
    reason: str | None = None


class Estimate(Frozen):
    """Of a whole run. ``usd`` adds up the lines whose price is known; ``unpriced`` names the others."""

    seconds: float = Field(description="of the whole run")
    lanes: dict[TargetName, float] = Field(description="seconds of each target's lane")
    price_book: str
    lines: list[CostLine] = Field(description="empty where nothing is billed")
    usd: float
    unpriced: list[str]

    @property
    def digits(self) -> int:
        """With which dollars of so much are shown."""
        return 2 if self.usd >= 1 else 4

    def in_words(self) -> str:
        """The sum and its lines, the dearest first: ``$2.27 (SQS requests $1.30; functions, memory ...)``."""
        digits = self.digits
        dear = sorted((line for line in self.lines if line.usd), key=lambda line: -(line.usd or 0.0))
        shown = [line for line in dear if round(line.usd or 0.0, digits) > 0]
        words = [f"{line.what} ${line.usd:.{digits}f}" for line in shown]
        rest = self.usd - sum(line.usd or 0.0 for line in shown)
        if len(dear) > len(shown):
            words.append(f"the rest ${rest:.{digits}f}")
        return f"${self.usd:.{digits}f} ({'; '.join(words)})"


def estimate(
    cases: Sequence[Case],
    environment: Environment,
    book: PriceBook,
    at_once: int | None = None,
    *,
    windows: Sequence[Case] = (),
    taken_over: Sequence[Case] = (),
    image_built: bool | None = None,
    to_bake: Sequence[str] = (),
) -> Estimate:
    """Time and money of the cases in one run.

    Lanes go side by side on AWS, one after another locally; the instrument's goes before all others.

    :param at_once: how many lanes there is room for on AWS; None: for all
    :param windows: of the lanes' warm-ups
    :param taken_over: cases that an earlier run has measured, whose metrics are read by this one
    :param image_built: whether the image of tasks is there; None is not known, and paid for
    :param to_bake: images of brokers that are baked first, all at the same time
    """
    lanes = lane_seconds(cases, environment, windows)
    together_s = sum(lanes.values())
    if environment == "aws":
        others = [seconds for target, seconds in lanes.items() if target != INSTRUMENT]
        together_s = lanes.get(INSTRUMENT, 0.0) + max(others, default=0.0)
        if at_once is not None and at_once < len(others):
            # whatever their order, as many as there is room for are up until the last one begins
            # (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969)
            longest = max(others)
            together_s += (sum(others) - longest) / at_once
    seconds = assumed.OVERHEADS[environment].around_run + together_s
    if any(has_tasks(case) for case in cases):
        seconds += task_lines.before_s(environment, image_built=image_built)
    lines = []
    if environment == "aws":
        seconds += METRICS_WAIT_S if has_metrics([*cases, *taken_over]) else 0.0
        seconds += (assumed.BUILDER_S + assumed.SNAPSHOT_S) if to_bake else 0.0
        of_tasks = task_lines.quantities(cases, seconds, image_built=image_built)
        lines = [
            _line(book, *each)
            for each in [*_quantities(cases, lanes, windows, taken_over), *of_tasks, *baking(to_bake)]
        ]
    return Estimate(
        seconds=round(seconds, 1),
        lanes={target: round(seconds, 1) for target, seconds in lanes.items()},
        price_book=book.label,
        lines=lines,
        usd=sum(line.usd for line in lines if line.usd is not None),
        unpriced=[f"{line.service}/{line.item}" for line in lines if line.usd is None],
    )


def lane_seconds(
    cases: Iterable[Case], environment: Environment, windows: Iterable[Case] = ()
) -> dict[TargetName, float]:
    """Each target's seconds from its launch to its end, its warm-up and its cases one after another."""
    overheads = assumed.OVERHEADS[environment]
    lanes: dict[TargetName, float] = {}
    for case in cases:
        record = record_of(case.target)
        more = (case.nodes - record.node_count) * overheads.more_node
        start = record.open_lane_s[environment] + more + overheads.close_lane
        lanes[case.target] = lanes.get(case.target, start) + case.expected_s
    for window in windows:
        lanes[window.target] += window.expected_s
    return lanes


def _quantities(
    cases: Sequence[Case],
    lanes: dict[TargetName, float],
    windows: Sequence[Case],
    taken_over: Sequence[Case],
) -> list[task_lines.Quantity]:
    loaders = sum(case.loaders for case in cases)
    called = [case for case in cases if not has_tasks(case)]
    called_s = sum(case.loaders * loader_s(case) for case in called)
    loaders_s = sum(case.loaders * loader_s(case) for case in cases)
    watched_s = sum(map(watch_s, cases))
    machines = machines_of(cases)
    hours: dict[str, float] = {}
    for target, each in machines.items():
        hours[each.instance_type] = hours.get(each.instance_type, 0.0) + each.nodes * lanes[target] / 3600
    rebooting = [case for case in cases if case.workload.reboots]
    ordering = sum(map(ordering_s, rebooting))
    # what has a broker rebooted runs beside the watch
    steps_s = watched_s + ordering + REBOOT_S * len(rebooting) + assumed.STEPS_S * len(cases)
    awaiting = assumed.FAULT_LISTS_PER_S * sum(watch_s(case) - loader_s(case) for case in rebooting)
    called_s += sum(window.expected_s for window in windows)
    gb_s = called_s * assumed.LOADER_MEMORY_GB + steps_s * assumed.STEP_MEMORY_GB
    down = sum(case.workload.nodes_down > 0 for case in cases)
    faulty = sum(bool(case.workload.node_faults) for case in cases)
    count = {
        "case": len(cases),
        "nodes_down": down,
        "faults": faulty,
        "reboot": len(rebooting),
        "loader": loaders,
        "lane": len(lanes),
        "run": 1,
        "metrics": int(has_metrics([*cases, *taken_over])),
    }
    count["broker_look"] = broker_looks(lanes)
    count |= {"tasks": len(called) < len(cases), "watch": sum(map(task_lines.watched_again, cases))}
    calls = sum(case.loaders for case in called) + _per(assumed.CALLS, count)
    # a checkpoint each second and a result a loader; lists are billed as what is written
    written = loaders_s + loaders + assumed.ROWS_PER_CASE * len(cases)
    written += assumed.ORDER_LOOKS_PER_S * ordering + awaiting
    read = metrics_read(cases) + metrics_read(taken_over)  # of brokers of their own
    return [
        *((broker_instances(name, hours), "ec2", name, node_hours) for name, node_hours in hours.items()),
        *volumes(machines, lanes),
        *of_amazon_mq(cases, lanes),
        *(
            ("SQS requests", "sqs", *each)
            for each in requests_by_price([*cases, *windows], sqs_requests).items()
        ),
        ("functions, memory", "lambda", "gb_second_arm", gb_s),
        ("functions, calls", "lambda", "request", calls),
        ("workflow", "states", "transition", _per(assumed.TRANSITIONS, count)),
        ("results, written", "s3", "put", written + sum(hours.values()) * assumed.AGENT_CALLS_PER_HOUR),
        ("results, read", "s3", "get", assumed.READS_PER_LOADER * loaders + awaiting),
        ("state, written", "dynamodb", "write", state_calls.written(cases)),
        ("state, read", "dynamodb", "read", state_calls.read(cases)),
        ("queries", "athena", "tb", QUERIES * assumed.ATHENA_LEAST_TB),
        ("traffic across zones", "network", "cross_zone_gb", sum(map(cross_zone_gb, [*cases, *windows]))),
        ("logs", "cloudwatch", "logs_gb", calls * assumed.LOG_BYTES_PER_CALL / BYTES_PER_GB),
        ("metrics", "cloudwatch", "metric_month", assumed.METRICS * _billed_hours(lanes) / HOURS_PER_MONTH),
        ("metrics of services, read", "cloudwatch", "metric_read", read),
    ]


def _billed_hours(lanes: dict[TargetName, float]) -> int:
    """Hours, begun ones as whole, in which a run sends custom metrics."""
    return ceil((assumed.OVERHEADS["aws"].around_run + sum(lanes.values())) / 3600)


def _per(each: dict[str, int], count: dict[str, int]) -> int:
    return sum(number * count[of] for of, number in each.items())


def _line(book: PriceBook, what: str, service: str, item: str, quantity: float) -> CostLine:
    price = book.price(service, item)
    return CostLine(
        what=what,
        service=service,
        item=item,
        quantity=quantity,
        unit=price.unit,
        unit_usd=price.usd,
        source=price.source,
        as_of=price.as_of,
        usd=None if price.usd is None else price.cost(quantity),
        reason=price.reason,
    )
