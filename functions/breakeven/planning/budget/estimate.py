"""What a run will take: seconds of lanes and run, and on AWS dollars by line. Free tiers are not counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import ceil

from pydantic import Field

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget import state_calls, task_lines
from breakeven.planning.budget.durations import consume_rate, expected
from breakeven.planning.budget.state_calls import loader_s
from breakeven.planning.budget.task_lines import has_tasks
from breakeven.planning.execution_limits import BROKER_LOOKS_EVERY_S, QUERIES
from breakeven.planning.machine_availability import BUILDERS, broker_item, brokers_of, machines_of
from breakeven.planning.node_sizes import USUAL_VOLUME
from breakeven.pricing.bill.broker_lines import crossings_per_message
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.lines import BYTES_PER_GB
from breakeven.pricing.bill.sqs_lines import requests_per_message
from breakeven.pricing.prices.book import PriceBook
from breakeven.targets.catalog import INSTRUMENT, record_of
from breakeven.terms import Environment, Frozen, TargetName
from breakeven.workload.case import SINGLY, Case, ConnectTo, Machines, Workload, architecture_of

HOURS_PER_MONTH = 730.0
#: of the messages that a node passes to the queue's leader on another, by what clients connect to; None: what
#: pricing takes of any of the nodes
HOP_SHARES: dict[ConnectTo, float | None] = {"any": None, "leader": 0.0, "other": 1.0}


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
    image_built: bool | None = None,
    to_bake: Sequence[str] = (),
) -> Estimate:
    """Time and money of the cases in one run.

    Lanes go side by side on AWS, one after another locally; the instrument's goes before all others.

    :param at_once: how many lanes there is room for on AWS; None: for all
    :param windows: of the lanes' warm-ups
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
        seconds += (assumed.BUILDER_S + assumed.SNAPSHOT_S) if to_bake else 0.0
        of_tasks = task_lines.quantities(cases, seconds, image_built=image_built)
        lines = [
            _line(book, *each) for each in [*_quantities(cases, lanes, windows), *of_tasks, *_baking(to_bake)]
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


def requests_by_price(cases: Iterable[Case], count: Callable[[Case], float]) -> dict[str, float]:
    """Requests of the cases whose targets are billed for them, by the item that prices them."""
    found: dict[str, float] = {}
    for case in cases:
        if item := record_of(case.target).request_price:
            found[item] = found.get(item, 0.0) + count(case)
    return found


def sqs_requests(case: Case) -> float:
    """Requests billed for a case: three a message (more above 64 KiB, fewer in batches), and asks that come
    back empty.
    """
    work, messages = case.workload, expected(case.workload, case.target, "aws").messages
    each, loaded = requests_each(work, **_fills(work)), requests_each(work, **_full(work))
    return work.prefill * loaded + (messages - work.prefill) * each + _empty_asks(case)


def requests_each(workload: Workload, **calls: float) -> float:
    """Requests billed for a message, the mean over its sizes: messages of one size are taken to share calls.

    :param calls: messages of one call of each kind; 1 unless given
    """
    shares = workload.shares
    each = (requests_per_message(ask(message_bytes=share.bytes, **calls)) for share in shares)
    return sum(share.percent / 100 * requests for share, requests in zip(shares, each, strict=True))


def _fills(workload: Workload) -> dict[str, float]:
    """Messages a call. What comes by a rate fills a batch as far as it lingers; a receive is taken to find
    more than one message only where a queue was loaded before.
    """
    linger_s = workload.linger_ms / 1e3
    receive = float(workload.receive_batch) if workload.messages is not None else 1.0
    if workload.rate is None:
        return {
            **_full(workload),
            "receive_batch": receive,
            "delete_batch": min(receive, workload.delete_batch),
        }
    each = {"send_batch": workload.producers, "delete_batch": workload.consumers}
    fills = {
        name: min(float(getattr(workload, name)), 1 + workload.rate / workers * linger_s)
        for name, workers in each.items()
        if workers
    }
    return {"receive_batch": receive, **fills}


def _full(workload: Workload) -> dict[str, float]:
    """The same of what is loaded into a queue and found there."""
    receive = float(workload.receive_batch)
    return {
        "send_batch": float(workload.send_batch),
        "receive_batch": receive,
        "delete_batch": min(receive, workload.delete_batch),
    }


def cross_zone_gb(case: Case) -> float:
    """Traffic of a broker's case that is billed for crossing zones, both directions.

    Loaders are taken to be spread over the zones of the stack's network, and so are nodes unless it is known
    that fewer zones offer their type.
    """
    record, apart = record_of(case.target), (assumed.ZONES - 1) / assumed.ZONES
    placed = len(case.machines.zones) if case.machines else 0
    if record.nodes:
        crossings = crossings_per_message(
            ask(
                deployment=record.nodes.deployment,
                cluster_nodes=case.nodes,
                group_size=case.workload.group_size,
                broker_zones=placed or min(case.nodes, assumed.ZONES),
                client_zone_share=apart,
                leader_hop_share=HOP_SHARES[case.workload.connect_to],
            )
        )
    elif record.broker:
        crossings = 2 * apart  # published and delivered; what its nodes send one another is the service's
    else:
        return 0.0
    messages = expected(case.workload, case.target, "aws").messages
    return 2 * messages * case.workload.message_bytes * crossings / BYTES_PER_GB


def _empty_asks(case: Case) -> float:
    """While messages are sent, consumers with nothing to receive go on asking; half a cycle is an ask.

    Each call that may be in flight asks for itself.
    """
    workload = case.workload
    if workload.messages is not None or not workload.consumers:
        return 0.0
    sending_s = workload.warmup_s + workload.measure_s
    asking = workload.consumers * workload.in_flight
    most = consume_rate(workload.model_copy(update=SINGLY), case.target, "aws")
    sent = expected(workload, case.target, "aws").messages / sending_s
    idle = max(0.0, 1 - sent / most)
    asks = 2 * most if workload.wait_s == 0 else asking / workload.wait_s
    return idle * asks * sending_s


def _quantities(
    cases: Sequence[Case], lanes: dict[TargetName, float], windows: Sequence[Case]
) -> list[task_lines.Quantity]:
    loaders = sum(case.loaders for case in cases)
    called = [case for case in cases if not has_tasks(case)]
    called_s = sum(case.loaders * loader_s(case) for case in called)
    loaders_s = sum(case.loaders * loader_s(case) for case in cases)
    watched_s = sum(loader_s(case) for case in cases)
    machines = machines_of(cases)
    hours: dict[str, float] = {}
    for target, each in machines.items():
        hours[each.instance_type] = hours.get(each.instance_type, 0.0) + each.nodes * lanes[target] / 3600
    steps_s = watched_s + assumed.STEPS_S * len(cases)
    called_s += sum(window.expected_s for window in windows)
    gb_s = called_s * assumed.LOADER_MEMORY_GB + steps_s * assumed.STEP_MEMORY_GB
    down = sum(case.workload.nodes_down > 0 for case in cases)
    faulty = sum(bool(case.workload.node_faults) for case in cases)
    count = {
        "case": len(cases),
        "nodes_down": down,
        "faults": faulty,
        "loader": loaders,
        "lane": len(lanes),
        "run": 1,
    }
    count["broker_look"] = _looks(lanes)
    count |= {"tasks": len(called) < len(cases), "watch": sum(map(task_lines.watched_again, cases))}
    calls = sum(case.loaders for case in called) + _per(assumed.CALLS, count)
    return [
        *((_instances(name, hours), "ec2", name, node_hours) for name, node_hours in hours.items()),
        *_volumes(machines, lanes),
        *_of_amazon_mq(cases, lanes),
        *(
            ("SQS requests", "sqs", *each)
            for each in requests_by_price([*cases, *windows], sqs_requests).items()
        ),
        ("functions, memory", "lambda", "gb_second_arm", gb_s),
        ("functions, calls", "lambda", "request", calls),
        ("workflow", "states", "transition", _per(assumed.TRANSITIONS, count)),
        # a checkpoint each second and a result a loader
        ("results, written", "s3", "put", loaders_s + loaders + assumed.ROWS_PER_CASE * len(cases)),
        ("results, read", "s3", "get", assumed.READS_PER_LOADER * loaders),
        ("state, written", "dynamodb", "write", state_calls.written(cases)),
        ("state, read", "dynamodb", "read", state_calls.read(cases)),
        ("queries", "athena", "tb", QUERIES * assumed.ATHENA_LEAST_TB),
        ("traffic across zones", "network", "cross_zone_gb", sum(map(cross_zone_gb, [*cases, *windows]))),
        ("logs", "cloudwatch", "logs_gb", calls * assumed.LOG_BYTES_PER_CALL / BYTES_PER_GB),
        ("metrics", "cloudwatch", "metric_month", assumed.METRICS * _billed_hours(lanes) / HOURS_PER_MONTH),
    ]


def _volumes(
    machines: Mapping[TargetName, Machines], lanes: Mapping[TargetName, float]
) -> Iterator[task_lines.Quantity]:
    """Of all nodes, by type; and the IOPS that are provisioned."""
    months = {name: each.nodes * lanes[name] / 3600 / HOURS_PER_MONTH for name, each in machines.items()}
    for kind in dict.fromkeys(each.volume_type for each in machines.values()) or [USUAL_VOLUME]:
        own = {name: each for name, each in machines.items() if each.volume_type == kind}
        what = "broker volumes" if kind == USUAL_VOLUME else f"broker volumes, {kind}"
        yield (
            what,
            "ebs",
            f"{kind}_gb_month",
            sum(months[name] * each.volume_gb for name, each in own.items()),
        )
        if iops := sum(months[name] * (each.volume_iops or 0) for name, each in own.items()):
            yield f"{what}, IOPS", "ebs", f"{kind}_iops_month", iops


def _of_amazon_mq(cases: Sequence[Case], lanes: dict[TargetName, float]) -> Iterator[task_lines.Quantity]:
    """Brokers and their disks, from when they are asked for: from when they are billed is not documented."""
    for target, each in brokers_of(cases).items():
        if each.service == "amazonmq":
            hours = lanes[target] / 3600
            gb_months = each.nodes * each.volume_gb * hours / HOURS_PER_MONTH
            yield f"Amazon MQ, {broker_item(each)}", "amazonmq", broker_item(each), hours
            yield f"Amazon MQ, disks of {broker_item(each)}", "amazonmq", "storage_gb_month", gb_months


def _looks(lanes: dict[TargetName, float]) -> int:
    """At brokers that Amazon MQ creates, after the first of each."""
    opening = [record_of(target).open_lane_s["aws"] for target in lanes if record_of(target).broker]
    return sum(ceil(seconds / BROKER_LOOKS_EVERY_S) for seconds in opening)


def _baking(images: Sequence[str]) -> Iterator[task_lines.Quantity]:
    for image in images:
        builder = BUILDERS[architecture_of(image)]
        yield f"image of {image}, baked", "ec2", builder, assumed.BUILDER_S / 3600


def _instances(name: str, types: Collection[str]) -> str:
    return f"broker instances, {name}" if len(types) > 1 else "broker instances"


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
