"""How full the calls of SQS batched are: its interval and sensitivity through the queries, by brute force."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from gmpy2 import mpq as F

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.pair_questions import ask_pairs
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ, Question, question
from breakeven.pricing.bill.variations import corners, quarters
from breakeven.pricing.prices.book_files import load_book
from local.stored.answers import answers
from tests.support.money.cost_crossings import Crossing, Pair
from tests.support.money.cost_curves import Option
from tests.support.money.intervals import intervals
from tests.support.money.priced_options import option_of

HOURS = F(730)
SECONDS = HOURS * 3600
TRIO = {"deployment": "trio", "amazon_mq": None}
Row = dict[str, Any]


def sqs_and_cluster(base: Question, requests: F, capacity: F | None = None) -> tuple[Option, Option]:
    """SQS batched with so many billed requests a message, and the cluster; priced as the base has them.

    :param capacity: messages a second of one cluster: 0.7 of it at a peak of three times the mean; None: the
        network's
    """
    rows = Asked((base,)).rows()
    sqs = option_of(rows, base.question_id, BATCHED)
    lines = [replace(one, per_message=requests) if one.name == "requests" else one for one in sqs.lines]
    (own,) = (option for option in base.options if option.option_id == RABBITMQ)
    assert own.messages_per_cluster
    carried = F(own.messages_per_cluster) if capacity is None else capacity * F(7, 10) / 3 * SECONDS
    return replace(sqs, lines=tuple(lines)), option_of(rows, base.question_id, RABBITMQ, carried)


def crossings(base: Question, requests: F, capacity: F | None = None) -> list[Crossing]:
    return Pair(*sqs_and_cluster(base, requests, capacity), HOURS).crossings()


def check(rows: list[Row], expected: list[Crossing], ends: list[list[Crossing]]) -> None:
    """The rows are the first of those crossings, each with its interval."""
    spans = intervals(expected, ends)
    assert 0 < len(rows) <= len(expected)
    for row, exact, span in zip(rows, expected, spans, strict=False):
        assert exact.messages is not None
        assert row["msg_per_s"] == pytest.approx(float(exact.messages / SECONDS), rel=1e-6)
        assert span
        assert row["low_msg_per_s"] == pytest.approx(float(span.low / SECONDS), rel=1e-6)
        assert row["high_msg_per_s"] == pytest.approx(float(span.high / SECONDS), rel=1e-6)


def of_batched(rows: list[Row], first: str, second: str, other: str) -> list[Row]:
    return [row for row in rows if (row[first], row[second]) == (BATCHED, other)]


@pytest.mark.parametrize("fill", [None, 0.8])
@pytest.mark.parametrize("capacity", [None, 15_000.0])
def test_the_interval_is_the_brute_force_s_over_half_full_to_full(
    fill: float | None, capacity: float | None
) -> None:
    measured = {"batch_fill": 0.8, "batch_fill_low": 0.75, "batch_fill_high": 0.85} if fill else {}
    base = question("q", ask(**TRIO, **measured, capacity_msg_per_s=capacity), load_book("us-east-1"))
    # of 1 KiB ten messages are one request of each kind, in batches of so many
    best, *fills = (F(8, 10), F(75, 100), F(85, 100)) if fill else (F(1), F(1, 2), F(1))
    stated = None if capacity is None else F(15_000)
    ends = [None] if stated is None else [stated * F(3, 4), stated * F(5, 4)]
    expected = crossings(base, F(3, 10) / best, stated)
    spans = [crossings(base, F(3, 10) / each, end) for each in fills for end in ends]
    asked = Asked((base, *corners(base), *ask_pairs(base))).rows()
    rows = answers(asked, ["crossover", "pair_crossings"])
    found = of_batched(rows["crossover"], "sqs_option", "other_option", RABBITMQ)
    assert len(found) == len(expected)
    check(found, expected, spans)
    paired = of_batched(rows["pair_crossings"], "first_option", "second_option", "rabbitmq-trio")
    check(paired, expected, spans)
    assert len(paired) == min(10, len(expected))


def test_what_is_not_known_of_the_batches_leaves_sqs_as_used_alone() -> None:
    known = question("q", ask(**TRIO, batch_fill=1.0), load_book("us-east-1"))
    unknown = question("q", ask(**TRIO), load_book("us-east-1"))
    found = [
        answers(Asked((base, *corners(base))).rows(), ["crossover"])["crossover"] for base in (known, unknown)
    ]
    ends = [
        [(row["low_msg_per_s"], row["high_msg_per_s"]) for row in rows if row["sqs_option"] == AS_USED]
        for rows in found
    ]
    assert ends[0] == ends[1] != []


def test_sensitivity_to_the_fill_is_the_brute_force_s() -> None:
    base = question("q", ask(**TRIO, batch_fill=0.9), load_book("us-east-1"))
    rows = answers(Asked((base, *quarters(base))).rows(), ["sensitivity"])["sensitivity"]
    found = {
        (row["sqs_option"], row["factor"]): row["msg_per_s"]
        for row in rows
        if row["varied"] == "batch fill of SQS batched"
    }
    first = {
        factor: crossings(base, F(3, 10) / fill)[0].messages
        for factor, fill in ((0.75, F(675, 1000)), (1.25, F(1)))
    }
    for factor, messages in first.items():
        assert messages is not None
        assert found[BATCHED, factor] == pytest.approx(float(messages / SECONDS), rel=1e-6)
    assert found[AS_USED, 0.75] == found[AS_USED, 1.25]
