"""The questions beside a question: its uncertain inputs at their ends, and each input a quarter off."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace
from functools import partial
from itertools import product

from breakeven.errors import InputError
from breakeven.pricing.bill.article import article_question
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.broker_lines import SERVICES
from breakeven.pricing.bill.cheaper_variants import cheaper
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import MAX_BATCH, Inputs
from breakeven.pricing.bill.known_capacity import capacities
from breakeven.pricing.bill.pair_questions import ask_pairs
from breakeven.pricing.bill.questions import (
    AMAZON_MQ,
    AS_USED,
    RABBITMQ,
    Purpose,
    Question,
    map_question,
    priced_beside,
    question,
)
from breakeven.pricing.bill.run_capacities import (
    NO_CAPACITIES,
    Capacities,
    RunCapacity,
    managed_priced_with,
    priced_with,
)
from breakeven.pricing.bill.uncertainty import (
    BATCHES,
    EMPTY_RECEIVES,
    FILL_OF_BATCHED,
    MANAGED_CAPACITY,
    Changes,
    inputs_of_others,
    uncertain,
)
from breakeven.pricing.bill.volumes import by_volume
from breakeven.pricing.prices.book import PriceBook
from breakeven.words import plural

#: the numbers whose crossings a report has, so that what a run counts can be priced
COUNTED = (*EMPTY_RECEIVES, *(float(2**step) for step in range(1, 10)), 1000.0)
QUARTER = (0.75, 1.25)
MANAGED_PRICE = "Amazon MQ price"
#: of staff time a month, for which the rate is named from which on running one's own pays: a working day
STAFF_HOURS = 8.0
#: bytes of the messages whose crossings a report sets side by side
SIZES = (256, *(kib * 1024 for kib in (1, 2, 3, 4, 8, 16, 24, 32, 64, 256)))


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
    """A question with its intervals, sensitivity, cheaper variants, volumes and map; the article's beside it.

    :param others: on the map beside the question's own instance type: type -> messages a second of one
        cluster with one node down; None: those that a source printed
    :param size: what the suite calls the cluster's machines, where it has several
    :param capacity: a run's, which the inputs have their capacity from
    :param managed_capacity: a run's, which they have Amazon MQ's from
    :param capacities_of: runs', for the variants and the other forms
    :raises InputError: a price that is needed is not known
    """
    inputs, why = priced_beside(inputs, book)
    base = replace(
        question(name, inputs, book, size=size), capacity=capacity, managed_capacity=managed_capacity
    )
    notes = list(why)
    if others is None:
        printed = list(capacities(inputs).values())
        printed = [known for known in printed if known.instance in book.items(SERVICES[inputs.commitment])]
        others = {known.instance: known.msg_per_s for known in printed}
        notes += [f"On the decision map: {known.describe()}" for known in printed]
    less, unpriced = cheaper(base, lambda each: priced_with(each, capacities_of.find(each)))
    notes += unpriced
    beside = (
        *less,
        *corners(base),
        *quarters(base),
        *by_size(base),
        *by_empty_receives(base),
        *staffed(base),
    )
    known = partial(_known, capacities_of)
    volumes = by_volume(base, known)
    pairs = ask_pairs(base, known)
    questions = (base, *beside, *volumes, *pairs, map_question(base, others), article_question())
    return Asked(questions, tuple(notes))


def _known(capacities_of: Capacities, inputs: Inputs) -> Inputs:
    """The inputs of a form, with what was measured of it."""
    own = priced_with(inputs, capacities_of.find(inputs))
    return managed_priced_with(own, capacities_of.find_managed(inputs))


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
        options = tuple(option for option in corner.options if not moved & inputs_of_others(option.option_id))
        if len({option.side == "sqs" for option in options}) > 1:
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


def staffed(base: Question) -> list[Question]:
    """SQS and our own cluster with ``STAFF_HOURS`` in its bill: with its ends, and at more empty receives.

    None where an hour has no price.
    """
    inputs = base.inputs.but(hours=STAFF_HOURS, amazon_mq=None)
    if not inputs.hour_rate:
        return []
    name = f"{base.question_id}.staffed"
    own = replace(question(name, inputs, base.book), purpose="staffed", base_id=base.question_id)
    found = [own, *(replace(corner, purpose="staffed-interval") for corner in corners(own))]
    for each in by_empty_receives(own):
        count = each.inputs.empty_receives
        found.append(replace(each, purpose="staffed-receives", base_id=base.question_id, factor=count))
    return found


def quarters(base: Question) -> list[Question]:
    """The question with one input a quarter lower, then higher, as far as the input's own bounds let it.

    Other zones are those of our own brokers and their clients.
    """
    found = [
        _beside(base, f"{name.replace(' ', '-')}.{factor:g}", change, "sensitivity", name, factor)
        for name, changes in _varied(base.inputs).items()
        for factor, change in changes
    ]
    zones = base.inputs.zones
    return [each if each.inputs.zones == zones else _amazon_mq_as_in(base, each) for each in found]


def _amazon_mq_as_in(base: Question, changed: Question) -> Question:
    """With the bill of Amazon MQ as it was: its brokers, and their clients' traffic, stay in their zones."""
    kept = {option.option_id: option for option in base.options if option.option_id == AMAZON_MQ}
    options = tuple(kept.get(option.option_id, option) for option in changed.options)
    return replace(changed, options=options)


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
        "people's hours of Amazon MQ": "amazon_mq_hours",
        "price of an hour": "hour_rate" if inputs.hours or inputs.amazon_mq_hours else "",
    }
    if inputs.amazon_mq:
        single |= {
            MANAGED_PRICE: "amazon_mq_price_factor",
            MANAGED_CAPACITY: "amazon_mq_capacity_msg_per_s",
        }
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
    fill = inputs.batch_fill or 1.0
    found[FILL_OF_BATCHED] = [
        (factor, {"batch_fill": min(1.0, fill * factor)}) for factor in QUARTER if factor < 1 or fill < 1
    ]
    found |= {
        zones_changed(zones, inputs.zones): [(zones / inputs.zones, _in(inputs, zones))]
        for zones in {1, inputs.most_zones} - {inputs.zones}
    }
    return {name: [pair for pair in pairs if _allowed(inputs, pair[1])] for name, pairs in found.items()}


def zones_changed(zones: int, asked: int) -> str:
    """Name for readers: '1 zone for 3'."""
    return f"{plural(zones, 'zone')} for {asked}"


def _in(inputs: Inputs, zones: int) -> Changes:
    """Our own brokers in so many zones; in one, their clients are there too."""
    return {"broker_zones": zones, "client_zone_share": 0.0 if zones == 1 else inputs.client_zone_share}


def _allowed(inputs: Inputs, change: Changes) -> bool:
    """Whether the change stays within the inputs' bounds, and changes anything."""
    try:
        return inputs.but(**change) != inputs
    except InputError:
        return False
