"""Why a search for crossings ends where it does, in words."""

from __future__ import annotations

import pytest

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.lines import MAX_MSG_PER_S
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.report.money.priced.search_ends import why_it_ends

#: 70% used at a peak of three times the mean: a cluster is full at a mean of 700 and of 1,400
INPUTS = ask(capacity_msg_per_s=3000.0, amazon_mq="mq.m7g.large", amazon_mq_capacity_msg_per_s=6000.0)


@pytest.mark.parametrize(
    ("option", "rate", "why"),
    [
        (RABBITMQ, 700_000.0, ", where the 1,000th RabbitMQ cluster is full"),
        (AMAZON_MQ, 1_400_000.0, ", where the 1,000th Amazon MQ cluster is full"),
        (AMAZON_MQ, 700_000.0, ", where a price ends"),
        (RABBITMQ, 699_999.0, ", where a price ends"),
        (RABBITMQ, MAX_MSG_PER_S, ""),
    ],
)
def test_a_search_ends_at_the_last_cluster_at_the_last_price_or_at_the_highest_rate(option, rate, why):
    assert why_it_ends(INPUTS, option, rate) == why
