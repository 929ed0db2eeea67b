"""The assumptions about money follow what was asked."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.money.price_assumptions import money_assumptions
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]


def said(**inputs: Any) -> str:
    """Of that question, priced: of its answers the sentences take only that there are crossings."""
    priced = {"crossover": money.answers()["crossover"], "cost": money.questions(**inputs)}
    return "\n".join(money_assumptions(sample.report(PLAN, **(money.NOTHING | priced))))


def test_as_the_main_job_asks():
    reported = said()
    assert reported.startswith("Prices: AWS's list prices of us-east-1, but for Amazon MQ's")
    assert "They are in US dollars before tax, on demand." in reported
    assert "peak is assumed to be 3 times the mean, and a cluster is used to 70%" in reported
    assert "not known; the network baseline carries 31,984 msg/s at most" in reported
    assert "1 KiB per message, attributes included, in calls of one message, billed" in reported
    assert "none is priced, and the interval goes up to one per message" in reported
    assert "free requests of each month are assumed to be available" in reported
    assert "0.3 requests per message" in reported
    assert "20 GB of gp3 each, 10 metrics and 5 alarms a node" in reported
    assert (
        "nodes in 2 zones, so each message crosses zones 3 times, charged on both sides, with 90 to 370 "
        "bytes beside its body" in reported
    )
    assert "The brokers' bill excludes staff time" in reported
    assert "at $75 an hour (assumed unless given)" in reported
    assert "the service's cluster of three brokers of mq.m7g.large with 15 GB of disk each" in reported
    assert "and clients' traffic across zones; no alarms. It runs RabbitMQ 3.13, 4.2 and 4.3" in reported
    assert "it counts with all brokers up, as no call can stop one" in reported
    assert "(2 times a message) is charged: nothing is priced, and intervals reach up" in reported
    assert "Prices 2012-12: 3 billed SQS requests per message; no free requests; 2 x m1.small" in reported
    assert "reserved" not in reported


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"commitment": "1y-standard"}, "instances reserved for one year (standard, nothing upfront)"),
        ({"sqs_price_factor": 0.9}, "on demand, with SQS at 90% of the list price."),
        ({"amazon_mq_price_factor": 0.8}, "on demand, with Amazon MQ at 80% of the list price."),
        (
            {"peak_factor": 5.0, "utilisation": 0.5},
            "5 times the mean, and a cluster is used to 50%",
        ),
        ({"capacity_msg_per_s": 3000.0}, "3,000 msg/s with one node down"),
        ({"empty_receives": 0.5}, "0.5 empty receives per message"),
        ({"empty_receives": 0.0}, "no empty receives;"),
        (
            {"send_batch": 5.0, "receive_batch": 10.0},
            "in calls of 5, 10 and 1 messages to send",
        ),
        ({"free_tier": False}, "no free requests are deducted"),
        ({"existing_requests": 2e9}, "the account makes 2.00 billion other requests a month"),
        (
            {"sqs_path": "endpoint"},
            "through an interface endpoint in 2 zones; the bill includes its hours and data, requests'",
        ),
        (
            {"sqs_path": "nat"},
            "through a NAT gateway in 2 zones; the bill includes its hours, its address and",
        ),
        ({"broker_zones": 1, "client_zone_share": 0.0}, "so no traffic across zones"),
        ({"volume": "none"}, "instances, no volumes, "),
        ({"node_metrics": 0.0, "node_alarms": 0.0}, "no monitoring"),
        (
            {"hours": 12.0, "hour_rate": 90.0},
            "bill includes 12 hours of staff time a month, whatever the number of clusters, at $90",
        ),
        ({"deployment": "single"}, "Amazon MQ: one broker of mq.m7g.large with 200 GB of disk"),
        ({"amazon_mq": "mq.m5.large"}, "It runs RabbitMQ 3.13. Its capacity"),
        ({"amazon_mq_gb": 75.0}, "75 GB of disk each"),
        (
            {"amazon_mq_gb": 75.0},
            "It runs RabbitMQ 4.2 and 4.3, which have disks of a chosen size. Its capacity",
        ),
        ({"queue": "fifo"}, "takes 70,000 calls a second of each action in us-east-1"),
        ({"consumer": "containers"}, "consumers' polls of idle queues are priced; the free requests"),
        ({"consumer": "lambda"}, "on SQS, what one receive brings (1 as used); on Amazon MQ, 10 messages or"),
        ({"consumer": "lambda"}, "the fewer that come in 0.5 s. Each idle queue of SQS is polled 0.25 times"),
        (
            {"consumer": "lambda", "lambda_window_s": 2},
            "10 messages or the fewer that come in 2 s, with 5 batches of a queue at a time; on Amazon MQ",
        ),
        (
            {"consumer": "lambda", "message_bytes": 700_000},
            "6 messages (its payload carries no more of this size) or the fewer that come in 0.5 s",
        ),
        ({"consumer": "lambda", "lambda_window_s": 0}, "on Amazon MQ, one message (no window)."),
        ({"amazon_mq_capacity_msg_per_s": 4000.0}, "4,000 msg/s with all nodes up"),
        ({"amazon_mq_inter_node": 0.5}, "is priced at 50% of the price across zones"),
        ({"amazon_mq_inter_node": 0.0}, "Nothing is priced of the traffic between its brokers."),
    ],
)
def test_each_sentence_follows_its_input(inputs, sentence):
    assert sentence in said(**inputs)
    assert sentence not in said()


def test_amazon_mq_is_not_told_of_where_it_was_not_asked_for():
    assert "Amazon MQ" not in said(amazon_mq=None)


def test_nothing_priced_assumes_nothing():
    assert money_assumptions(sample.report(PLAN, **sample.NOTHING)) == []
