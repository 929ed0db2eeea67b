"""``pays_from.sql`` against a brute force in exact fractions: random questions, and a trio's steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from gmpy2 import mpq as F

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.questions import AS_USED, RABBITMQ, question
from breakeven.pricing.bill.variations import STAFF_HOURS, staffed
from breakeven.pricing.prices.book_files import load_book
from local.stored.answers import answers
from tests.support.money.cost_questions import Dice, put
from tests.support.money.pays_from import pays_from
from tests.support.money.query_tables import Bucket

QUESTIONS = 200
TOLERANCE = 1e-6
CHARTS = 100_000


def close(got: float | None, exact: F | None) -> bool:
    """To a millionth; zero and null are exact."""
    if got is None or exact is None:
        return got is None and exact is None
    return abs(got - float(exact)) <= TOLERANCE * abs(float(exact))


def per_second(messages: F | None, hours: F) -> F | None:
    return None if messages is None else messages / (hours * 3600)


@pytest.mark.thorough
def test_the_rate_equals_exact_fractions(tmp_path: Path) -> None:
    """Also with the uncertain inputs at their ends, and with the charts' end beyond a rate that was asked."""
    asked = []
    for number in range(QUESTIONS):
        dice = Dice(f"pays {number}")
        # the charts end within the thirty units in which everything is put
        hours = dice.unit * 30 / (F(3600) * CHARTS) * dice.random.choice([F(1, 30), F(1, 3), 1])
        q = replace(dice.question(f"q{number:04d}"), hours=hours, purpose="staffed", base=f"base {number}")
        if dice.often(0.3):
            q = replace(q, asked=dice.unit * dice.random.choice([7, 31]))
        asked.append(q)
    corners = [
        replace(
            q,
            question_id=f"{q.question_id} {factor}",
            purpose="staffed-interval",
            base=q.question_id,
            options=tuple(
                option
                if option.messages_per_cluster is None
                else replace(option, messages_per_cluster=option.messages_per_cluster * factor)
                for option in q.options
            ),
        )
        for q in asked
        for factor in (F(3, 4), F(5, 4))
    ]
    exact: dict[tuple[str, ...], tuple[F | None, F | None]] = {}
    for q in (*asked, *corners):
        end = max(q.hours * 3600 * CHARTS, q.asked or F(0))
        for options, pair in q.pairs().items():
            if pair.known:
                found = pays_from(pair.crossings(), options[1], end)
                start, until = found or (None, None)
                exact[(q.question_id, *options)] = per_second(start, q.hours), per_second(until, q.hours)
    bucket = Bucket(tmp_path)
    put(bucket, [*asked, *corners])
    rows = bucket.ask("pays_from")
    seen: Counter[str] = Counter()
    for row in rows:
        name, *options = row["question_id"], row["sqs_option"], row["other_option"]
        own, until = exact[(name, *options)]
        ends = [exact[(f"{name} {factor}", *options)] for factor in (F(3, 4), F(5, 4))]
        beside, untils = [start for start, _ in ends], [end for _, end in ends if end is not None]
        untils += [] if until is None else [until]
        rates = [rate for rate in (own, *beside) if rate is not None]
        assert row["base_id"] == f"base {int(name[1:])}"
        assert close(row["msg_per_s"], own), row
        assert close(row["until_msg_per_s"], until), row
        assert close(row["low_msg_per_s"], min(rates, default=None)), row
        assert close(row["high_msg_per_s"], max(rates, default=None)), row
        assert close(row["low_until_msg_per_s"], min(untils, default=None)), row
        assert (row["corners"], row["corners_with"]) == (2, 2 - beside.count(None)), row
        seen["none" if own is None else "first" if own == 0 else "rate"] += 1
        seen["until"] += until is not None
        seen["moved"] += len(set(rates)) > 1
    assert len(rows) == sum(name in {q.question_id for q in asked} for name, *_ in exact)
    assert all(seen[kind] >= 10 for kind in ("none", "first", "rate", "until", "moved")), seen


@pytest.mark.parametrize(("capacity", "rate"), [(500.0, None), (None, None)])
def test_of_a_trio_it_is_the_last_crossing_of_the_question_with_as_many_hours(
    capacity: float | None, rate: float | None
) -> None:
    """The rates that are priced for charts stand 21% apart, and a trio of 500 msg/s has a step each 117."""
    inputs = ask(deployment="trio", capacity_msg_per_s=capacity, msg_per_s=rate, amazon_mq=None)
    base = question("q", inputs, load_book("us-east-1"))
    with_hours = question("h", inputs.but(hours=STAFF_HOURS), load_book("us-east-1"))
    found = answers(Asked((with_hours, *staffed(base))).rows(), ["crossover", "pays_from"])
    (row,) = [
        row
        for row in found["pays_from"]
        if (row["purpose"], row["sqs_option"], row["base_id"]) == ("staffed", AS_USED, "q")
    ]
    changes = [
        one
        for one in found["crossover"]
        if (one["question_id"], one["sqs_option"], one["other_option"]) == ("h", AS_USED, RABBITMQ)
        and one["msg_per_s"] < CHARTS
    ]
    assert changes[-1]["cheaper_above"] == RABBITMQ
    assert row["msg_per_s"] == pytest.approx(changes[-1]["msg_per_s"], rel=TOLERANCE)
    assert len(changes) > (1 if capacity else 0)
    assert row["low_msg_per_s"] < row["msg_per_s"]


def test_what_lies_beyond_the_search_is_not_said_to_pay() -> None:
    """Of 256 KiB a thousand clusters of a trio carry less than the charts show: SQS is cheaper beyond."""
    inputs = ask(
        message_bytes=256 * 1024, broker_zones=1, client_zone_share=0.0, utilisation=0.65, amazon_mq=None
    )
    base = question("q", inputs, load_book("us-east-1"))
    found = answers(Asked((base, *staffed(base))).rows(), ["crossover", "pays_from"])
    (row,) = [
        row for row in found["pays_from"] if (row["purpose"], row["sqs_option"]) == ("staffed", AS_USED)
    ]
    searched = {one["searched_msg_per_s"] for one in found["crossover"] if one["sqs_option"] == AS_USED}
    assert row["until_msg_per_s"] == pytest.approx(*searched)
    assert row["until_msg_per_s"] < CHARTS
