"""The quota of FIFO queues: its rows, and up to which rate a queue takes what is priced."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.sqs_lines import batched, within_fifo_quota
from breakeven.pricing.prices.fifo_quotas import fifo_quotas
from breakeven.report.money.price_assumptions import fifo_quota


@pytest.mark.parametrize(
    ("region", "calls"),
    [
        ("us-east-1", 70_000),
        ("eu-central-1", 19_000),
        ("ap-southeast-1", 9000),
        ("sa-east-1", 4500),
        ("af-south-1", 2400),  # not named by the source: as all others
    ],
)
def test_each_region_has_a_quota_of_calls(region: str, calls: int) -> None:
    assert fifo_quotas().of(region) == calls


@pytest.mark.parametrize(
    ("inputs", "mean"),
    [
        # 9,000 calls at the peak, which is three times the mean
        ({}, 3000),
        ({"peak_factor": 1}, 9000),
        # the action with the fewest messages a call has the most calls
        ({"send_batch": 10, "receive_batch": 10, "delete_batch": 5}, 15_000),
        ({"consumer": "lambda", "consumer_queues": 4}, 12_000),
        ({"consumer": "lambda", "send_batch": 10, "lambda_receives": 2}, 6000),
    ],
)
def test_a_queue_takes_the_quota_at_the_peak(inputs: dict[str, Any], mean: float) -> None:
    assert within_fifo_quota(ask(queue="fifo", **inputs), 9000) == pytest.approx(mean)


def test_full_batches_take_ten_times_as_many_messages() -> None:
    assert within_fifo_quota(batched(ask(queue="fifo")), 9000) == pytest.approx(30_000)


def test_an_answer_says_where_the_quota_ends_and_whether_the_rate_is_above_it() -> None:
    (said,) = fifo_quota(ask(queue="fifo", msg_per_s=20_000), "ap-southeast-1")
    assert "takes 9,000 calls a second of each action in ap-southeast-1" in said
    assert "that is a mean of 3,000 as used and 30,000 batched, in messages a second." in said
    assert said.endswith("as if the quota were raised; 20,000 is one of these as used.")
    (within,) = fifo_quota(ask(queue="fifo", msg_per_s=3000), "ap-southeast-1")
    assert within.endswith("as if the quota were raised.")
    assert fifo_quota(ask(msg_per_s=20_000), "ap-southeast-1") == []
