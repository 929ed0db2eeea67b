"""The questions beside a question: its uncertain inputs at their ends, and each input a quarter off."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace
from itertools import product
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.broker_lines import SERVICES
from breakeven.pricing.bill.cheaper_variants import cheaper
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import MAX_BATCH, Inputs
from breakeven.pricing.bill.known_capacity import capacities
from breakeven.pricing.bill.questions import (
    AS_USED,
    RABBITMQ,
    Purpose,
    Question,
    article_question,
    map_question,
    priced_beside,
    question,
)
from breakeven.pricing.bill.run_capacities import NO_CAPACITIES, Capacities, RunCapacity, priced_with
from breakeven.pricing.prices.book import PriceBook
from breakeven.words import plural

#: empty receives a message where they are not known: none, to one for each message (a queue that is polled
#: faster than it fills)
EMPTY_RECEIVES = (0.0, 1.0)
#: the numbers whose crossings a report has, so that what a run counts can be priced
COUNTED = (*EMPTY_RECEIVES, *(float(2**step) for step in range(1, 10)), 1000.0)
#: of the batch that was asked for, how full calls may be on average
BATCH_FILL = (0.5, 1.0)
#: of a capacity that was given or printed: another workload, or another's machine, will have
CAPACITY = (0.75, 1.25)
QUARTER = (0.75, 1.25)
#: of the price across zones, for traffic between Amazon MQ's own brokers where its charge is not known
INTER_NODE = (0.0, 1.0)
#: bytes of the messages whose crossings a report sets side by side
SIZES = (256, *(kib * 1024 for kib in (1, 2, 3, 4, 8, 16, 24, 32, 64, 256)))
BATCHES = ("send_batch", "receive_batch", "delete_batch")
Changes = dict[str, Any]
CAPACITY_INPUT = "capacity"
MANAGED_CAPACITY, MANAGED_TRAFFIC = "Amazon MQ's capacity", "traffic between Amazon MQ's brokers"
#: side of an option -> uncertain inputs that do not move its bill, but another's
NOT_OF: dict[str, set[str]] = {
    "self-hosted": {MANAGED_CAPACITY, MANAGED_TRAFFIC},
    "amazon-mq": {CAPACITY_INPUT},
}


def ask_all(
    name: str,
    inputs: Inputs,
    book: PriceBook,
    *,
    others: dict[str, float] | None = None,
    size: str = "",
    capacity: RunCapacity | None = None,
    managed_capacity: RunCapacity | None = None,
    capacities_of: Capacities = NO_CAPACITIES,
) -> Asked:
    """A question with its intervals, sensitivity, cheaper variants and map; and the 2012 article's beside it.

    :param others: on the map beside the question's own instance type: type -> messages a second of one
        cluster with one node down; None: those that a source printed
    :param size: what the suite calls the cluster's machines, where it has several
    :param capacity: a run's, which the inputs have their capacity from
    :param managed_capacity: a run's, which they have Amazon MQ's from
    :param capacities_of: runs', for the variants
    :raises InputError: a price that is needed is not known
    """
    inputs, why = priced_beside(inputs, book)
    base = replace(
        question(name, inputs, book, size=size), capacity=capacity, managed_capacity=managed_capacity
    )
    notes = list(why)
    if others is None:
        printed = list(capacities(inputs.deployment, inputs.message_bytes).values())
        printed = [known for known in printed if known.instance in book.items(SERVICES[inputs.commitment])]
        others = {known.instance: known.msg_per_s for known in printed}
        notes += [f"On the decision map: {known.describe()}" for known in printed]
    less, unpriced = cheaper(base, lambda each: priced_with(each, capacities_of.find(each)))
    notes += unpriced
    beside = (*less, *corners(base), *quarters(base), *by_size(base), *by_empty_receives(base))
    questions = (base, *beside, map_question(base, others), article_question())
    return Asked(questions, tuple(notes))


def ask_size(
    name: str, inputs: Inputs, book: PriceBook, size: str, capacity: RunCapacity | None = None
) -> tuple[Question, ...]:
    """The question of one more size or form, with its intervals; Amazon MQ stands beside the first.

    :raises InputError: a price that is needed is not known
    """
    base = question(name, inputs.but(amazon_mq=None), book, size=size)
    return (replace(base, purpose="size", capacity=capacity), *corners(base))


def ask_rate(base: Question, msg_per_s: float, message_bytes: int) -> Question:
    """The question's bills at another rate, such as that of an open loop, as if it were the monthly mean."""
    change = {"msg_per_s": msg_per_s, "message_bytes": message_bytes}
    return _beside(base, f"rate-{msg_per_s:g}.{message_bytes}B", change, "rate", "rate")


def uncertain(inputs: Inputs) -> dict[str, list[Changes]]:
    """Name of each uncertain input -> what it changes at either end."""
    found: dict[str, list[Changes]] = {}
    if inputs.empty_receives is None and inputs.consumer is None:
        found["empty receives"] = [{"empty_receives": end} for end in EMPTY_RECEIVES]
    if any(getattr(inputs, batch) > 1 for batch in BATCHES):
        found["batch fill"] = [
            {batch: max(1.0, getattr(inputs, batch) * fill) for batch in BATCHES} for fill in BATCH_FILL
        ]
    if ends := capacity_ends(inputs):
        found[CAPACITY_INPUT] = [{"capacity_msg_per_s": end} for end in ends]
    if inputs.amazon_mq and brokers_of(inputs.deployment) > 1 and inputs.amazon_mq_inter_node is None:
        found[MANAGED_TRAFFIC] = [{"amazon_mq_inter_node": end} for end in INTER_NODE]
    if ends := amazon_mq_ends(inputs):
        found[MANAGED_CAPACITY] = [{"amazon_mq_capacity_msg_per_s": end} for end in ends]
    return found


def capacity_ends(inputs: Inputs) -> tuple[float, ...]:
    """The interval's, where the capacity was measured; where no upper end was found, the capacity itself."""
    return _ends(inputs.capacity_msg_per_s, inputs.capacity_low_msg_per_s, inputs.capacity_high_msg_per_s)


def amazon_mq_ends(inputs: Inputs) -> tuple[float, ...]:
    """The same of Amazon MQ; none where it is not beside the question."""
    if inputs.amazon_mq is None:
        return ()
    return _ends(
        inputs.amazon_mq_capacity_msg_per_s, inputs.amazon_mq_low_msg_per_s, inputs.amazon_mq_high_msg_per_s
    )


def _ends(stated: float | None, low: float | None, high: float | None) -> tuple[float, ...]:
    if stated is None:
        return ()
    if low is None:
        return tuple(stated * end for end in CAPACITY)
    return low, high or stated


def corners(base: Question) -> list[Question]:
    """The question at every combination of the ends of its uncertain inputs.

    An input that moves one option alone takes only that one from its first end to its second: the other
    options are compared once, and stand in no corner twice.
    """
    ends = uncertain(base.inputs)
    if not ends:
        return []
    varied, found = ", ".join(ends), []
    for number, picked in enumerate(product(*(range(len(each)) for each in ends.values()))):
        changes = dict(ChainMap(*(each[at] for each, at in zip(ends.values(), picked, strict=True))))
        moved = {name for name, at in zip(ends, picked, strict=True) if at}
        corner = _beside(base, f"corner-{number}", changes, "interval", varied)
        options = tuple(option for option in corner.options if not moved & NOT_OF.get(option.side, set()))
        if any(option.side != "sqs" for option in options):
            found.append(replace(corner, options=options))
    return found


def by_size(base: Question) -> list[Question]:
    """The question with messages of other sizes, in its brokers' zones and all in one, without Amazon MQ."""
    inputs = base.inputs
    changes = [
        {"message_bytes": size, "amazon_mq": None, **_in(inputs, zones)}
        for size in sorted({*SIZES, inputs.message_bytes})
        for zones in sorted({inputs.zones, 1}, reverse=True)
    ]
    return [
        _beside(
            base,
            f"{change['message_bytes']}B.{change['broker_zones']}z",
            change,
            "message-size",
            "message size",
        )
        for change in changes
        if _allowed(inputs, change)
    ]


def by_empty_receives(base: Question) -> list[Question]:
    """SQS as used and our own cluster at more and more empty receives; none where their number is given."""
    if base.inputs.empty_receives is not None or base.inputs.consumer:
        return []
    asked = [
        _beside(base, f"{count:g}-empty", {"empty_receives": count}, "empty-receives", "empty receives")
        for count in COUNTED
    ]
    wanted = (AS_USED, RABBITMQ)
    return [
        replace(each, options=tuple(option for option in each.options if option.option_id in wanted))
        for each in asked
    ]


def quarters(base: Question) -> list[Question]:
    """The question with one input a quarter lower, then higher, as far as the input's own bounds let it."""
    return [
        _beside(base, f"{name.replace(' ', '-')}.{factor:g}", change, "sensitivity", name, factor)
        for name, changes in _varied(base.inputs).items()
        for factor, change in changes
    ]


def _beside(
    base: Question, name: str, changes: Changes, purpose: Purpose, varied: str, factor: float | None = None
) -> Question:
    """The question with some inputs changed."""
    changed = question(f"{base.question_id}.{name}", base.inputs.but(**changes), base.book)
    return replace(changed, purpose=purpose, base_id=base.question_id, varied=varied, factor=factor)


def _varied(inputs: Inputs) -> dict[str, list[tuple[float, Changes]]]:
    """Input by its name for readers -> (factor, what it changes); inputs that are nothing are left out."""
    single = {
        "SQS price": "sqs_price_factor",
        "instance price": "instance_price_factor",
        "empty receives": "empty_receives",
        "existing requests": "existing_requests",
        "volume size": "volume_gb",
        "metrics a node": "node_metrics",
        "alarms a node": "node_alarms",
        "people's hours": "hours",
        "price of an hour": "hour_rate" if inputs.hours else "",
    }
    if inputs.amazon_mq:
        single[MANAGED_CAPACITY] = "amazon_mq_capacity_msg_per_s"
    if capacity_of(inputs).sustained is not None:
        single |= {
            "peak factor": "peak_factor",
            "utilisation": "utilisation",
            "capacity": "capacity_msg_per_s",
        }
    found = {
        name: [(factor, {field: getattr(inputs, field) * factor}) for factor in QUARTER]
        for name, field in single.items()
        if field and getattr(inputs, field)
    }
    found["message size"] = [
        (factor, {"message_bytes": max(1, round(inputs.message_bytes * factor))}) for factor in QUARTER
    ]
    batches = {batch: getattr(inputs, batch) for batch in BATCHES if getattr(inputs, batch) > 1}
    if batches:
        found["batch"] = [
            (factor, {name: min(float(MAX_BATCH), max(1.0, size * factor)) for name, size in batches.items()})
            for factor in QUARTER
        ]
    found |= {
        f"{plural(zones, 'zone')} for {inputs.zones}": [(zones / inputs.zones, _in(inputs, zones))]
        for zones in {1, inputs.nodes} - {inputs.zones}
    }
    return {name: [pair for pair in pairs if _allowed(inputs, pair[1])] for name, pairs in found.items()}


def _in(inputs: Inputs, zones: int) -> Changes:
    """The brokers in so many zones; in one, their clients are there too."""
    return {"broker_zones": zones, "client_zone_share": 0.0 if zones == 1 else inputs.client_zone_share}


def _allowed(inputs: Inputs, change: Changes) -> bool:
    """Whether the change stays within the inputs' bounds, and changes anything."""
    try:
        return inputs.but(**change) != inputs
    except InputError:
        return False
