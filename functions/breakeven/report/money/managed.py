"""Conditions of the prices of clusters: what those of one's own and of Amazon MQ suppose."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.amazon_mq import brokers_of
from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.report.money.option_words import own_kind

BETWEEN = "traffic between its brokers, whose price no source gives,"


def amazon_mq_needs(inputs: Inputs, msg_per_s: float) -> float:
    """What each cluster of the service must carry at a monthly mean, messages a second."""
    return amazon_mq_capacity(inputs).needed_each(msg_per_s)


def conditions(inputs: Inputs, msg_per_s: float, spoken: str = "") -> str:
    """What the price of Amazon MQ supposes at a rate; empty where its capacity and its charges are known.

    :param spoken: the option with its article, where what stands before does not name it
    """
    if inputs.amazon_mq_capacity_msg_per_s:
        between = BETWEEN.replace("its", "Amazon MQ's") if spoken else BETWEEN
        return f"{between} is free" if is_charge_unknown(inputs) else ""
    needs = words.figure(amazon_mq_needs(inputs, msg_per_s))
    if brokers_of(inputs.deployment) == 1:
        each = spoken or "it"
    else:
        each = f"each {spoken.removeprefix('an ')}" if spoken else "each of its clusters"
    return f"{each} carries at least {needs} msg/s{_and_free(inputs)}"


def own_conditions(inputs: Inputs, msg_per_s: float) -> str:
    """The same of a cluster of one's own; empty where its capacity is known."""
    if inputs.capacity_msg_per_s:
        return ""
    needs = words.figure(capacity_of(inputs).needed_each(msg_per_s))
    down = " with one node down" if inputs.nodes > 1 else ""
    return f"each of its {own_kind(inputs)}s carries at least {needs} msg/s{down}"


def is_charge_unknown(inputs: Inputs) -> bool:
    """Whether the price leaves out what traffic between a cluster's brokers is charged."""
    return brokers_of(inputs.deployment) > 1 and inputs.amazon_mq_inter_node is None


def _and_free(inputs: Inputs) -> str:
    return f" and {BETWEEN} is free" if is_charge_unknown(inputs) else ""
