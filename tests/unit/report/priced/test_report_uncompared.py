"""What the headline leaves out, and why: only what would change it."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.contract.report_model import Report
from breakeven.report.money.priced.uncompared import left_out
from tests.fixtures.report import money, sample
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()[:2]
NODE, BROKER = "one RabbitMQ node (206 a second)", "one Amazon MQ broker (697 a second)"
SINGLE = f"{NODE} and {BROKER}, as nothing takes over from either"
PAIR = ", and a mirrored RabbitMQ pair (1,110 a second), as its queues left RabbitMQ in 4.0"


def report_of(**inputs: Any) -> Report:
    """Of 600 B, of which a broker is cheaper than SQS before a pair is, and a pair before a trio."""
    return sample.report(PLAN, **money.answers(message_bytes=600, **inputs))


@pytest.mark.parametrize(
    ("inputs", "said"), [({}, f"{SINGLE}."), ({"deployment": "trio"}, f"{SINGLE}{PAIR}.")]
)
def test_options_that_pay_before_the_headlines_clusters_are_named_with_the_reason(
    inputs: dict[str, Any], said: str
) -> None:
    report = report_of(**inputs)
    expected = f"Left out, though cheaper than SQS batched from lower rates on: {said}"
    assert left_out(report) == expected
    assert in_detail(report)["The headline"].endswith(expected)


def test_where_the_headlines_cluster_pays_first_nothing_is_left_out() -> None:
    assert left_out(report_of(deployment="single")) == ""


def test_without_amazon_mq_only_our_own_are_named() -> None:
    said = left_out(report_of(amazon_mq=None))
    assert said.endswith(": one RabbitMQ node (206 a second), as nothing takes over from it.")


@pytest.mark.parametrize(("factor", "named"), [(0.999, True), (1.001, False)])
def test_an_option_is_named_only_if_it_pays_from_a_lower_rate(factor: float, named: bool) -> None:
    report = report_of(deployment="trio")
    assert report.pairs
    trio, pair = (
        next(
            one
            for one in report.pairs.crossings
            if (one.first_option, one.second_option) == ("sqs-batched", name)
        )
        for name in ("rabbitmq-trio", "rabbitmq-pair")
    )
    assert trio.msg_per_s
    moved = pair.model_copy(update={"msg_per_s": trio.msg_per_s * factor})
    found = [moved if one is pair else one for one in report.pairs.crossings]
    changed = report.model_copy(update={"pairs": report.pairs.model_copy(update={"crossings": found})})
    assert ("mirrored RabbitMQ pair" in left_out(changed)) == named


def test_of_a_report_of_before_nothing_is_said() -> None:
    assert left_out(report_of().model_copy(update={"pairs": None})) == ""
    assert left_out(sample.report(PLAN, **sample.NOTHING)) == ""
