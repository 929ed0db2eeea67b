"""``bills``, ``cost_curves`` and ``break_even_hours`` against the model in exact fractions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_curves import ZERO, Line, Option
from tests.support.money.cost_questions import Dice, Question, flat, put
from tests.support.money.query_tables import Bucket

RATES = [10 ** (k / 12 - 1) for k in range(73)]
SQS = Option("sqs", "sqs", (Line("requests", flat(1), per_message=F(1)),))


def close(got: float | None, exact: F | float | None) -> bool:
    if got is None or exact is None:
        return got is None and exact is None
    # where a bill is the small difference of two large counts, its last digits are those of the counts
    return got == pytest.approx(float(exact), rel=1e-6, abs=1e-9)


def own(*lines: Line, name: str = "own", size: F | None = None, rate: int | None = 60) -> Option:
    return Option(name, "self-hosted", lines, size, None if rate is None else F(rate))


def cluster(usd: int) -> Line:
    return Line("instances", flat(usd), per_cluster=F(1))


def asked_questions(seeds: range) -> list[Question]:
    """Random ones, asked anywhere: at nothing, at an edge, exactly on a step, where prices have ended."""
    found = []
    for n in seeds:
        dice = Dice(n)
        q = dice.question(f"q{n}")
        (pair, *_) = q.pairs().values()
        asked = [
            ZERO,
            dice.unit,
            dice.unit * F(7, 3),
            dice.unit * 40,
            *sorted(pair.other.edges(pair.limit))[:6],
        ]
        found.append(replace(q, asked=dice.random.choice(asked)))
    return found


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def test_bills_name_every_line_with_its_units_and_its_dollars(bucket: Bucket) -> None:
    questions = asked_questions(range(300))
    put(
        bucket,
        [*questions, *(replace(q, question_id=f"{q.question_id} map", purpose="map") for q in questions)],
    )
    rows = bucket.ask("bills")
    lines = {
        (q.question_id, o.option_id, line.name): (q, o, line)
        for q in questions
        for o in q.options
        for line in o.lines
    }
    assert [(r["question_id"], r["option_id"], r["line"]) for r in rows] == sorted(lines)
    unknown = steps = 0
    for row in rows:
        q, option, line = lines[row["question_id"], row["option_id"], row["line"]]
        assert q.asked is not None
        clusters = option.clusters(q.asked)
        usd = line.usd(q.asked, clusters)
        assert row["clusters"] == clusters
        assert close(row["units"], line.units(q.asked, clusters))
        assert close(row["usd"], usd), (row, line, q.asked)
        assert close(row["msg_per_s"], q.asked / q.hours / 3600)
        assert (row["usd_per_million_messages"] is None) == (usd is None)
        assert (row["book"], row["service"]) == (q.question_id, option.side)
        assert row["item"] == f"{option.option_id} {line.name}"
        assert row["formula"] == f"the {line.name} of {option.option_id}"
        assert row["unit"] == (None if line.price is None else f"{line.name} unit")
        unknown += usd is None
        steps += bool(clusters > 1 and q.asked % option.messages_per_cluster == 0)
    assert unknown >= 20
    assert steps >= 20


def test_what_a_million_messages_more_would_cost(bucket: Bucket) -> None:
    line = Line("requests", flat("0.0000004"), per_message=F(3), free=F(10), factor=F(1, 2))
    sqs = replace(SQS, lines=(line, Line("endpoint", flat(7), fixed=F(1))))
    put(
        bucket,
        [Question("free", (sqs,), asked=F(3)), Question("paid", (sqs,), asked=F(4)), Question("no", (sqs,))],
    )
    rows = {(row["question_id"], row["line"]): row for row in bucket.ask("bills")}
    assert {key: row["usd_per_million_messages"] for key, row in rows.items()} == {
        ("free", "endpoint"): 0,
        ("free", "requests"): 0,
        ("paid", "endpoint"): 0,
        ("paid", "requests"): pytest.approx(0.6),
    }
    assert rows["paid", "requests"]["usd"] == pytest.approx(2 * 4e-7 / 2, rel=1e-12)


def test_curves_are_what_each_option_costs(bucket: Bucket) -> None:
    questions = asked_questions(range(1000, 1060))
    put(bucket, questions)
    options = {(q.question_id, o.option_id): (q, o) for q in questions for o in q.options}
    seen: Counter[tuple[str, str]] = Counter()
    asked: Counter[tuple[str, str]] = Counter()
    rows = bucket.ask("cost_curves")
    for row in rows:
        key = (row["question_id"], row["option_id"])
        q, option = options[key]
        messages = F(row["messages_per_month"])
        usd = option.usd(messages)
        assert usd is not None
        assert close(row["usd"], usd), (row, option)
        assert row["clusters"] == option.clusters(messages)
        assert close(row["msg_per_s"], messages / q.hours / 3600)
        assert close(row["usd_per_1000_msg_per_s"], usd / (messages / q.hours / 3600) * 1000)
        assert row["book"] == q.question_id
        assert row["asked"] == (q.asked is not None and messages == float(q.asked))
        seen[key] += 1
        asked[key] += row["asked"]
    for key, (q, option) in options.items():
        # a rate is not exact, so that one on an edge may be on either side of it: none is, here
        at = [F(rate * 3600 * float(q.hours)) for rate in RATES]
        priced = sum(option.usd(messages) is not None for messages in at)
        own_point = bool(q.asked) and option.usd(q.asked) is not None
        assert asked[key] == own_point
        assert seen[key] == priced + own_point, key
    assert [(r["question_id"], r["option_id"], r["messages_per_month"]) for r in rows] == sorted(
        (r["question_id"], r["option_id"], r["messages_per_month"]) for r in rows
    )
    assert 0 < sum(count == 0 for count in (seen[key] for key in options)) < len(options)


def test_the_rate_asked_for_is_not_there_twice(bucket: Bucket) -> None:
    put(bucket, [Question("q", (SQS, own(cluster(1))), F(730), asked=F(100 * 3600 * 730))])
    rows = [row for row in bucket.ask("cost_curves") if row["option_id"] == "sqs"]
    assert len(rows) == len(RATES)
    assert [row["msg_per_s"] for row in rows] == pytest.approx(RATES)
    assert [row["msg_per_s"] for row in rows if row["asked"]] == [pytest.approx(100)]


def without_people(option: Option) -> Option:
    return replace(option, lines=tuple(line for line in option.lines if line.name != "people"))


def test_hours_under_which_self_hosting_or_amazon_mq_is_cheaper(bucket: Bucket) -> None:
    questions = asked_questions(range(2000, 2060))
    put(bucket, [*questions, replace(questions[0], question_id="not asked for", purpose="interval")])
    pairs = {
        (q.question_id, *ids): (q, pair.sqs, without_people(pair.other))
        for q in questions
        for ids, pair in q.pairs().items()
        if pair.other.side in {"self-hosted", "amazon-mq"}
    }
    assert {other.side for _, _, other in pairs.values()} == {"self-hosted", "amazon-mq"}
    rows = bucket.ask("break_even_hours")
    kinds: Counter[str] = Counter()
    for row in rows:
        q, sqs, other = pairs[row["question_id"], row["sqs_option"], row["other_option"]]
        messages = F(row["msg_per_s"]) * 3600 * q.hours
        if row["asked"]:
            messages = q.asked or ZERO
        a, b = sqs.usd(messages), other.usd(messages)
        assert a is not None
        assert b is not None
        tolerance = 1e-9 * float(a + b) + 1e-9
        assert row["saved_usd"] == pytest.approx(float(a - b), rel=1e-6, abs=tolerance)
        assert close(row["hour_usd"], other.hour_rate)
        if other.hour_rate is None:
            assert row["hours"] is None
        else:
            hours = max(ZERO, a - b) / other.hour_rate
            assert row["hours"] == pytest.approx(float(hours), rel=1e-6, abs=tolerance)
        kinds["none" if row["hours"] is None else "never" if row["hours"] == 0 else "some"] += 1
    assert min(kinds[kind] for kind in ("none", "never", "some")) >= 100, kinds
    unpriced = {key for key, (_, sqs, other) in pairs.items() if None in (sqs.usd(F(1)), other.usd(F(1)))}
    found = {(r["question_id"], r["sqs_option"], r["other_option"]) for r in rows}
    assert found == pairs.keys() - unpriced
    assert unpriced


def test_hours_are_of_questions_that_are_answered_by_themselves(bucket: Bucket) -> None:
    today = Question("q", (SQS, own(cluster(1))), F(730))
    purposes = ("size", "interval", "empty-receives", "sensitivity", "staffed")
    varied = [replace(today, question_id=f"q.{one}", base="q", purpose=one) for one in purposes]
    put(bucket, [today, *varied])
    rows = bucket.ask("break_even_hours")
    assert {(r["question_id"], r["other_option"]) for r in rows} == {("q", "own")}
    assert len(rows) == len(RATES)


def test_hours_of_people_are_solved_for_and_not_counted(bucket: Bucket) -> None:
    """SQS $100 with $40 of people of its own; the broker $80 and people whose price is not known."""
    sqs = Option("sqs", "sqs", (Line("requests", flat(60), fixed=F(1)), Line("people", flat(40), fixed=F(1))))
    other = own(cluster(80), Line("people", flat(None), fixed=F(3)), rate=10)
    put(
        bucket,
        [Question("q", (sqs, other), asked=F(3600)), Question("r", (sqs, replace(other, hour_rate=None)))],
    )
    rows = bucket.ask("break_even_hours")
    assert {(r["question_id"], r["saved_usd"], r["hours"]) for r in rows} == {("q", 20, 2), ("r", 20, None)}
    assert {row["msg_per_s"] for row in rows if row["asked"]} == {1}
