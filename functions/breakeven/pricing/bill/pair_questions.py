"""The question of all pairs: SQS's prices, and every form of clusters of one's own and of Amazon MQ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.questions import (
    AMAZON_MQ,
    AS_USED,
    BATCHED,
    RABBITMQ,
    Option,
    Question,
    amazon_mq_option,
    own_cluster,
    sqs_options,
)
from breakeven.pricing.bill.uncertainty import Changes, inputs_moving, uncertain
from breakeven.pricing.cluster_form import NODES, USUAL_NODES, Deployment
from breakeven.pricing.prices.book import PriceBook

#: what has inputs of its own in the question; the last two stand for their form
SQS = (AS_USED, BATCHED)
OWN: dict[str, Deployment] = {f"{RABBITMQ}-{form}": form for form in NODES}
MANAGED: dict[str, Deployment] = {f"{AMAZON_MQ}-single": "single", f"{AMAZON_MQ}-cluster": "trio"}
#: more than two that are moved make no corner of any pair
MOST_MOVED = 2
Known = Callable[[Inputs], Inputs]


def ask_pairs(base: Question, known: Known = lambda inputs: inputs) -> tuple[Question, ...]:
    """The question of all pairs, and the same at the ends of what is uncertain of each two.

    Its clusters are of the base's instance type and its broker type, in every form.

    :param known: what prices a form with the capacity that was measured of it
    :raises InputError: a price that a form needs is not known
    """
    inputs = dict.fromkeys(SQS, base.inputs)
    inputs |= {name: known(in_form(base.inputs, form)) for name, form in OWN.items()}
    if base.inputs.amazon_mq:
        inputs |= {name: known(in_form(base.inputs, form)) for name, form in MANAGED.items()}
    name = f"{base.question_id}.pairs"
    asked = Question(name, "pairs", base.inputs, base.book, _options(inputs, base.book))
    corners = [
        replace(
            asked,
            question_id=f"{name}-{number}",
            purpose="pairs-interval",
            options=_options(changed, base.book),
            base_id=name,
        )
        for number, changed in enumerate(_corners(inputs))
    ]
    return (asked, *corners)


def in_form(inputs: Inputs, form: Deployment) -> Inputs:
    """The inputs of another form: its own nodes and zones, and no capacity that is another form's."""
    changes: Changes = {"deployment": form}
    if form != inputs.deployment:
        changes |= USUAL_NODES
        if inputs.broker_zones is not None:
            changes["broker_zones"] = min(inputs.broker_zones, NODES[form])
        changes |= dict.fromkeys(
            ("capacity_msg_per_s", "capacity_low_msg_per_s", "capacity_high_msg_per_s", "capacity_nodes_down")
        )
    if form_of(form) != form_of(inputs.deployment):
        changes |= dict.fromkeys(
            ("amazon_mq_capacity_msg_per_s", "amazon_mq_low_msg_per_s", "amazon_mq_high_msg_per_s")
        )
    if form_of(form) == "single":
        changes["amazon_mq_gb"] = None
    return inputs.but(**changes)


def _options(inputs: dict[str, Inputs], book: PriceBook) -> tuple[Option, ...]:
    used, _ = sqs_options(inputs[AS_USED], book)
    _, full = sqs_options(inputs[BATCHED], book)
    found = [used, full]
    found += [own_cluster(inputs[name], book, option_id=name) for name in OWN]
    for name in MANAGED:
        option = amazon_mq_option(inputs[name], book)[0] if name in inputs else None
        found += [replace(option, option_id=name)] if option else []
    return tuple(found)


def _corners(inputs: dict[str, Inputs]) -> Iterator[dict[str, Inputs]]:
    """Combinations of the ends of each one's own uncertain inputs; nothing where all is certain.

    Of a pair only its own two matter: whatever moves a third at the same time would be priced for nothing.
    """
    moving = [
        (name, ends)
        for name, own in inputs.items()
        for varied, ends in uncertain(own).items()
        if varied in inputs_moving(_kind(name))
    ]
    for picked in product(*(range(len(ends)) for _, ends in moving)) if moving else ():
        moved = {name for (name, _), at in zip(moving, picked, strict=True) if at}
        if len(moved) > MOST_MOVED:
            continue
        changed = dict(inputs)
        for (name, ends), at in zip(moving, picked, strict=True):
            changed[name] = changed[name].but(**ends[at])
        yield changed


def uncertain_of_pair(inputs: Inputs, first: str, second: str) -> list[str]:
    """Names of the uncertain inputs that move one of the two, but for what was measured of another form."""
    found: dict[str, None] = {}
    for name in (first, second):
        form = {**OWN, **MANAGED}.get(name)
        own = in_form(inputs, form) if form else inputs
        found |= dict.fromkeys(varied for varied in uncertain(own) if varied in inputs_moving(_kind(name)))
    return list(found)


def _kind(name: str) -> str:
    """The option of other questions whose form this is."""
    return name if name in SQS else RABBITMQ if name in OWN else AMAZON_MQ
