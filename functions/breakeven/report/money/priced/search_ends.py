"""Ends of a search for crossings, and why it ends there: charts and tables of prices end elsewhere."""

from __future__ import annotations

from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity, capacity_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.lines import MAX_MSG_PER_S
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.money.option_words import brief

#: of an option, to which it is priced; ``queries/parts/pieces.sql`` has the same
MOST_CLUSTERS = 1000


def why_it_ends(inputs: Inputs, option: str, msg_per_s: float) -> str:
    """', where the 1,000th RabbitMQ cluster is full': why SQS and an option were compared up to a rate.

    Empty at the highest rate of any search.

    :param option: the one that stands beside SQS
    """
    if abs(msg_per_s - MAX_MSG_PER_S) <= EXACT * MAX_MSG_PER_S:
        return ""
    capacity = amazon_mq_capacity(inputs) if option == AMAZON_MQ else capacity_of(inputs)
    full = (capacity.mean_msg_per_s or 0.0) * MOST_CLUSTERS
    if abs(msg_per_s - full) > EXACT * full:
        return ", where a price ends"
    name = brief(option if option == AMAZON_MQ else RABBITMQ)
    return f", where the {MOST_CLUSTERS:,}th {name} cluster is full"
