"""The board of sizes: what each target costs for each 1000 messages a second that it was seen to hold.

A question for each target, its options the sizes with a capacity of their own: this run's, or an earlier
run's on AWS. None is carried from one size to another. Their dollars are what keeps a cluster up;
traffic across zones and people's hours, which no size changes, are not in them, nor are a burstable type's
surplus CPU credits: EC2 bills the mean of 24 hours, and the rate of a board is held at a peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.broker_lines import SURPLUS
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import Line
from breakeven.pricing.bill.questions import Option, Question, question
from breakeven.pricing.bill.run_capacities import Capacities, RunCapacity
from breakeven.pricing.cluster_form import ClusterForm
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.broker_types import broker_types

#: a rate is held at the capacity itself, as it was measured
AT_CAPACITY = {
    "utilisation": 1.0,
    "peak_factor": 1.0,
    "hours": None,
    "amazon_mq_hours": None,
    "consumer": None,
}


def boards(
    inputs: Inputs, book: PriceBook, capacities: Capacities, own: Sequence[Inputs] = ()
) -> tuple[list[Question], list[dict[str, Any]], list[str]]:
    """A question for each target that has a capacity, what a report says of each size, and what is left out.

    :param inputs: of the run's headline: the size of messages counts
    :param own: of the run's clusters, each with the volumes that its suite gave it
    """
    found: dict[str, list[tuple[Option, Inputs]]] = {}
    sizes, left_out = [], []
    for one in _chosen(inputs, capacities):
        priced = _inputs(inputs, one, own)
        try:
            option = _option(priced, book, one)
        except InputError as error:
            left_out.append(f"{one.instance} is not on the board of sizes: {error}")
            continue
        found.setdefault(one.target, []).append((option, priced))
        name = _name(book, one.target)
        sizes.append({"question_id": name, "option_id": _option_id(one), **_words(one, option, capacities)})
    questions = [
        Question(_name(book, target), "board", options[0][1], book, tuple(option for option, _ in options))
        for target, options in found.items()
    ]
    return questions, sizes, left_out


def _chosen(inputs: Inputs, capacities: Capacities) -> Iterator[RunCapacity]:
    """The capacity of each target and size that prices it: as questions choose theirs."""
    every = {(one.form, one.instance): one for one in (*capacities.own, *capacities.stored)}
    for (_, instance), one in every.items():
        if instance in broker_types():
            chosen = capacities.find_managed(inputs.but(**_form(one), amazon_mq=instance))
        else:
            chosen = capacities.find(inputs.but(**_form(one), instance=instance))
        if chosen:
            yield chosen


def _inputs(inputs: Inputs, one: RunCapacity, own: Sequence[Inputs]) -> Inputs:
    """The question's, of the size."""
    blank = {**_form(one), "amazon_mq": None}
    if one.instance in broker_types():
        managed = {"amazon_mq": one.instance, "amazon_mq_capacity_msg_per_s": one.msg_per_s}
        return inputs.but(**AT_CAPACITY, **(blank | managed))
    alike = [each for each in own if (each.form, each.instance) == (one.form, one.instance)]
    return (alike[0] if alike else inputs).but(
        **AT_CAPACITY, **blank, instance=one.instance, capacity_msg_per_s=one.msg_per_s
    )


def _form(one: RunCapacity) -> dict[str, Any]:
    return {**one.model_dump(include=set(ClusterForm.model_fields)), "broker_zones": None}


def _option_id(one: RunCapacity) -> str:
    """Its instance type; of a cluster with other nodes or copies than its form has, with these."""
    return one.instance if one.is_usual else f"{one.instance}.{one.nodes}-nodes.{one.copies}-copies"


def _option(inputs: Inputs, book: PriceBook, one: RunCapacity) -> Option:
    """:raises InputError: the size has no price"""
    side = "amazon-mq" if inputs.amazon_mq else "self-hosted"
    made = [each for each in question("board", inputs, book).options if each.side == side]
    if not made:
        raise InputError(f"price book {book.label}", "amazonmq", one.instance, "it has no price there")
    return replace(made[0], option_id=_option_id(one), lines=tuple(_kept_up(made[0].lines)))


def _kept_up(lines: Sequence[Line]) -> Iterator[Line]:
    """What a cluster costs whatever it carries: no surplus CPU credits, which go by its mean use."""
    kept = (line for line in lines if line.per_cluster and line.line != SURPLUS)
    return (replace(line, per_message=0.0, fixed=0.0) for line in kept)


def _name(book: PriceBook, target: str) -> str:
    return f"{book.name}.board-{target}"


def _words(one: RunCapacity, option: Option, capacities: Capacities) -> dict[str, Any]:
    return {
        "target": one.target,
        "option": option.label,
        "capacity_msg_per_s": one.msg_per_s,
        "low_msg_per_s": one.low_msg_per_s,
        "high_msg_per_s": one.high_msg_per_s,
        "nodes_down": one.nodes_down,
        "objective_ms": one.objective_ms,
        "run_id": one.run_id,
        "age_days": capacities.age_days(one),
    }
