"""``decision_map.sql`` against the model in exact fractions, and its ties."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_curves import ONE, Line, Option
from tests.support.money.cost_questions import Dice, Question, flat, put
from tests.support.money.query_tables import Bucket

HOURS_OF_WORK = (0, 1, 2, 4, 8, 16, 24, 40, 80, 160)
RATES = 73
PER_MESSAGE = Line("requests", flat(1), per_message=F(1))


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def own(usd: F | int | str | None, name: str = "own", rate: int | str | None = 10, **values: F) -> Option:
    """A cluster's price, and that of an hour of work."""
    line = Line("instances", flat(usd), per_cluster=F(1))
    return Option(name, "self-hosted", (line,), hour_rate=None if rate is None else F(rate), **values)


def sqs(usd: int | str = 1, name: str = "sqs") -> Option:
    return Option(name, "sqs", (replace(PER_MESSAGE, price=flat(usd)),))


def put_map(bucket: Bucket, *options: Option, asked: F | None = None, hours: F = ONE) -> None:
    put(bucket, [Question("q map", options, hours, purpose="map", base="q", asked=asked)])


def random_map(seed: int) -> Question:
    """Two prices of SQS, and three instance types at one price of work."""
    dice = Dice(seed)
    rate = dice.random.choice([F(60), F(1, 8), F(1, 100), F(1, 100), None])
    options = [dice.sqs("sqs"), dice.sqs("sqs batched")]
    while len(options) < 5:
        option = dice.other(f"type {len(options)}")
        if option.side == "self-hosted":
            options.append(replace(option, hour_rate=rate))
    return Question(
        f"q{seed} map", tuple(options), dice.hours, purpose="map", base=f"q{seed}", asked=dice.unit * 3
    )


@pytest.mark.thorough
def test_the_cheapest_option_for_each_rate_and_each_amount_of_work(bucket: Bucket) -> None:
    questions = {f"q{n}": random_map(n) for n in range(3000, 3040)}
    put(bucket, [*questions.values(), replace(questions["q3000"], question_id="x", purpose="headline")])
    seen: Counter[tuple[str, str]] = Counter()
    won: Counter[str] = Counter()
    exact: dict[tuple[str, F], dict[str, F | None]] = {}
    for row in bucket.ask("decision_map"):
        q = questions[row["question_id"]]
        messages = F(row["msg_per_s"]) * 3600 * q.hours
        if row["msg_per_s"] == pytest.approx(float(q.asked / q.hours / 3600), rel=1e-12):
            messages = q.asked  # exactly on a step, for some
        by_id = {option.option_id: option for option in q.options}
        if (row["question_id"], messages) not in exact:
            exact[row["question_id"], messages] = {o.option_id: o.usd(messages) for o in q.options}
        costs = exact[row["question_id"], messages]
        others = [usd for name, usd in costs.items() if usd is not None and by_id[name].side != "sqs"]
        other, sqs_usd = costs[row["best_other"]], costs[row["sqs_option"]]
        assert other is not None
        assert sqs_usd is not None
        work = F(row["hours"]) * (by_id[row["best_other"]].hour_rate or 0)
        assert float(other) == pytest.approx(float(min(others)), rel=1e-6)
        assert row["sqs_usd"] == pytest.approx(float(sqs_usd), rel=1e-6, abs=1e-9)
        assert row["other_usd"] == pytest.approx(float(other + work), rel=1e-6, abs=1e-9)
        assert row["usd"] == min(row["sqs_usd"], row["other_usd"]) or row["usd"] == row["sqs_usd"]
        assert row["usd"] == pytest.approx(float(min(sqs_usd, other + work)), rel=1e-6, abs=1e-9)
        assert row["cheapest"] in (row["sqs_option"], row["best_other"])
        if abs(sqs_usd - other - work) > F(1, 10**9) * sqs_usd:
            assert (row["cheapest"] == row["sqs_option"]) == (sqs_usd < other + work), row
        assert row["clusters"] == by_id[row["best_other"]].clusters(messages)
        assert row["book"] == f"{row['question_id']} map"
        seen[row["question_id"], row["sqs_option"]] += 1
        won[row["cheapest"]] += 1
    assert min(won.values()) >= 200, won
    assert len(won) == 5
    assert max(seen.values()) == (RATES + 1) * len(HOURS_OF_WORK)
    for name, q in questions.items():
        priced = {o.option_id for o in q.options if o.usd(F(1)) is not None}
        drawn = q.options[-1].hour_rate is not None and any(name.startswith("type") for name in priced)
        assert {option for question, option in seen if question == name} == {
            o for o in priced if drawn and o.startswith("sqs")
        }


def test_a_tie_goes_to_sqs(bucket: Bucket) -> None:
    """$0.30 against $0.20 and an hour of $0.10, which do not add up to the same double."""
    put_map(bucket, sqs("0.1"), own("0.2", rate="0.1"), asked=F(3))
    rows = [row for row in bucket.ask("decision_map") if row["sqs_usd"] == pytest.approx(0.3)]
    assert [(row["hours"], row["cheapest"]) for row in rows] == [
        (0, "own"),
        *((hours, "sqs") for hours in HOURS_OF_WORK[1:]),
    ]
    (tie,) = (row for row in rows if row["hours"] == 1)
    assert tie["usd"] == tie["sqs_usd"]


def test_of_two_that_cost_the_same_the_first_by_name_stands_for_both(bucket: Bucket) -> None:
    put_map(bucket, sqs(), own(2, "b"), own(2, "a"), own(3, "0"), hours=F(730))
    assert {row["best_other"] for row in bucket.ask("decision_map")} == {"a"}


def test_the_envelope_changes_where_another_type_gets_cheaper(bucket: Bucket) -> None:
    """A small type at $1 for each 36,000 messages, a large one at $3 for 360,000: as three of the small."""
    small, large = (
        own(1, "small", messages_per_cluster=F(36_000)),
        own(3, "large", messages_per_cluster=F(360_000)),
    )
    put_map(bucket, sqs(), small, large, asked=F(36_000 * 3))
    rows = [row for row in bucket.ask("decision_map") if row["hours"] == 0]
    best = {
        round(row["msg_per_s"], 6): (row["best_other"], row["clusters"], row["other_usd"]) for row in rows
    }
    assert best[10] == ("small", 1, 1)  # exactly full
    assert best[round(10 ** (13 / 12), 6)] == ("small", 2, 2)
    assert best[30] == ("large", 1, 3)  # a tie
    assert best[100] == ("large", 1, 3)
    assert best[100_000] == ("large", 1000, 3000)


def test_what_is_not_priced_has_no_part_in_it(bucket: Bucket) -> None:
    put_map(bucket, sqs(), Option("no price", "sqs", (Line("x", None),)), own(None, "unknown"), own(5))
    rows = bucket.ask("decision_map")
    assert {(row["sqs_option"], row["best_other"]) for row in rows} == {("sqs", "own")}
    assert len(rows) == RATES * len(HOURS_OF_WORK)


def test_without_a_price_of_work_there_is_no_map(bucket: Bucket) -> None:
    put_map(bucket, sqs(), own(5, rate=None))
    assert bucket.ask("decision_map") == []


def test_amazon_mq_has_its_own_hours_and_wins_where_self_hosting_takes_more(bucket: Bucket) -> None:
    """SQS $1 a message, a cluster $100, Amazon MQ $130, its hours in it: cheaper from 4 hours at $10 on."""
    managed = Option("amazon-mq", "amazon-mq", (Line("brokers", flat(130), per_cluster=F(1)),))
    put_map(bucket, sqs(), own(100), managed, asked=F(1000))
    rows = [row for row in bucket.ask("decision_map") if row["sqs_usd"] == 1000]
    assert {row["hours"]: (row["cheapest"], row["usd"]) for row in rows if row["hours"] <= 8} == {
        0: ("own", 100),
        1: ("own", 110),
        2: ("own", 120),
        4: ("amazon-mq", 130),
        8: ("amazon-mq", 130),
    }
    assert {(row["best_other"], row["other_usd"] - row["hours"] * 10) for row in rows} == {("own", 100)}
