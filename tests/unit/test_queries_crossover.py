"""``crossover.sql`` and ``cost_lines.sql`` against the article and against exact fractions."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cost_questions import Question, equal_range, put
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from query_tables import Bucket

from breakeven.pricing.book import load_book
from breakeven.pricing.questions import price_rows, questions

#: a failing row names its question; shrinking sixty of them at a time would take minutes
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def check(row: dict[str, Any], q: Question) -> str:
    """Compare a row of the query with the brute force; the kind that both found."""
    found = equal_range(q)
    seconds = q.hours * 3600
    if found is None:
        assert row["kind"] == "never", q
        assert (row["cheaper_below"], row["cheaper_above"]) == ("sqs", "sqs")
        for column in ("msg_per_s", "messages_per_month", "messages_per_hour", "usd_per_month"):
            assert row[column] is None
        return "never"
    least, greatest = found
    messages = least / Fraction(q.calls)
    kind = "meet" if least == greatest else "tie"
    assert row["kind"] == kind, q
    assert row["messages_per_month"] == pytest.approx(float(messages), rel=1e-9, abs=1e-12)
    assert row["messages_per_hour"] == pytest.approx(float(messages / q.hours), rel=1e-9, abs=1e-12)
    assert row["msg_per_s"] == pytest.approx(float(messages / seconds), rel=1e-9, abs=1e-12)
    assert row["usd_per_month"] == pytest.approx(float(q.line_usd), rel=1e-12)
    if greatest is None:
        assert row["equal_until_msg_per_s"] is None
    else:
        until = float(greatest / Fraction(q.calls) / seconds)
        assert row["equal_until_msg_per_s"] == pytest.approx(until, rel=1e-9, abs=1e-12)
    at_end = q.ends and greatest == q.breaks[-1]
    assert row["cheaper_below"] == ("sqs" if least > 0 else None)
    assert row["cheaper_above"] == (None if greatest is None or at_end else "rabbitmq")
    return kind


prices = st.sampled_from(["0", "0", "0.5", "1", "0.0004", "2.25"]) | st.decimals(
    "0.0001", "9.9999", places=4
).map(str)
widths = st.integers(1, 20) | st.integers(1, 100_000)


@st.composite
def any_question(draw: st.DrawFn) -> Question:
    bounded = draw(st.lists(st.tuples(widths, prices), max_size=4))
    last = (draw(st.none() | st.none() | widths), draw(prices))
    q = Question(
        tiers=(*bounded, last),
        free=draw(st.sampled_from([0, 0, 1, 1_000]) | st.integers(0, 100_000)),
        calls=draw(st.sampled_from([1, 3, 5, 9, "0.5", "2.5", "33"])),
        instance_usd=draw(prices),
        nodes=draw(st.sampled_from([0, 1, 2, 3])),
        hours=draw(st.sampled_from([1, 500, 730, 744])),
        volume_gb=draw(st.none() | st.integers(0, 500)),
        volume_usd=draw(prices),
    )
    if draw(st.booleans()):
        return q
    # Often the line is put exactly on the cost at a break: ties, touches, the end of the priced range.
    at = q.sqs_usd(draw(st.sampled_from(q.breaks)))
    exact = f"{float(at):.4f}"
    assert Fraction(exact) == at
    return Question(q.tiers, q.free, q.calls, exact, 1, 1)


@settings(max_examples=25, deadline=None, phases=PHASES)
@given(asked=st.lists(any_question(), min_size=1, max_size=60))
def test_crossover_equals_exact_fractions(
    tmp_path_factory: pytest.TempPathFactory, asked: list[Question]
) -> None:
    named = {f"q{n:02d}": q for n, q in enumerate(asked)}
    bucket = Bucket(tmp_path_factory.mktemp("rows"))
    put(bucket, named)
    rows = bucket.ask("crossover")
    assert [row["question_id"] for row in rows] == sorted(named)
    for row in rows:
        check(row, named[row["question_id"]])


@settings(max_examples=10, deadline=None, phases=PHASES)
@given(asked=st.lists(any_question(), min_size=1, max_size=10))
def test_cost_lines_equal_exact_fractions(
    tmp_path_factory: pytest.TempPathFactory, asked: list[Question]
) -> None:
    named = {f"q{n:02d}": q for n, q in enumerate(asked)}
    bucket = Bucket(tmp_path_factory.mktemp("rows"))
    put(bucket, named)
    seen: dict[str, list[float]] = {name: [] for name in named}
    for row in bucket.ask("cost_lines"):
        q = named[row["question_id"]]
        seen[row["question_id"]].append(row["msg_per_s"])
        messages = Fraction(row["msg_per_s"]) * 3600 * q.hours
        assert row["messages_per_month"] == pytest.approx(float(messages), rel=1e-12)
        expected = float(q.sqs_usd(messages * Fraction(q.calls)))
        # Near the free requests the bill is the small difference of two large counts.
        assert row["sqs_usd"] == pytest.approx(expected, rel=1e-9, abs=1e-9 * float(messages + 1))
        assert row["rabbitmq_usd"] == pytest.approx(float(q.line_usd), rel=1e-12, abs=1e-12)
    for name, rates in seen.items():
        q = named[name]
        last = q.breaks[-1] / Fraction(q.calls) / 3600 / q.hours
        expected = [10 ** (k / 12 - 1) for k in range(61) if not q.ends or 10 ** (k / 12 - 1) <= last]
        assert rates == pytest.approx(expected, rel=1e-9)


def one(bucket: Bucket, question: Question) -> dict[str, Any]:
    question.put(bucket)
    (row,) = bucket.ask("crossover")
    return row


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def test_every_kind_of_answer(bucket: Bucket) -> None:
    endless = ((None, "0.5"),)
    named = {
        "meet": Question(endless),
        "meet-at-a-break": Question(((100, "1"), (None, "0.5")), instance_usd="50", hours=1),
        "tie-in-a-free-tier": Question(((100, "1"), (50, "0"), (None, "1")), instance_usd="50", hours=1),
        "tie-without-end": Question(((100, "1"), (None, "0")), instance_usd="50", hours=1),
        "tie-below-the-free-requests": Question(endless, free=90, instance_usd="0"),
        "tie-at-the-end": Question(((100, "1"), (50, "0")), instance_usd="50", hours=1),
        "meet-at-zero": Question(endless, instance_usd="0"),
        "meet-at-the-end": Question(((100, "1"),), instance_usd="50", hours=1),
        "never-as-the-last-tier-is-free": Question(((100, "1"), (None, "0")), instance_usd="51", hours=1),
        "never-in-the-priced-range": Question(((100, "1"),), instance_usd="51", hours=1),
    }
    put(bucket, named)
    for row in bucket.ask("crossover"):
        assert check(row, named[row["question_id"]]) == row["question_id"].split("-")[0]


@pytest.mark.parametrize(
    "question",
    [
        Question(((None, "unknown"),)),
        Question(((100, "1"), (None, "unknown"))),
        Question(((100, "unknown"), (None, "1"))),
        Question(((None, "1"),), instance_usd=None),
        Question(((None, "1"),), volume_gb=20, volume_usd=None),
        Question((), instance_usd="1"),
        Question(((None, "1"),), calls=0),
        Question(((None, "1"),), hours=0),
    ],
)
def test_an_unknown_price_gives_no_figure(bucket: Bucket, question: Question) -> None:
    row = one(bucket, question)
    assert row["kind"] == "unpriced"
    kept = {"question_id", "book", "kind", "calls_per_message", "capacity"}
    assert {column for column in row if row[column] is not None} == kept


def test_a_volume_that_is_not_asked_needs_no_price(bucket: Bucket) -> None:
    assert one(bucket, Question(((None, "1"),), volume_gb=None, volume_usd=None))["kind"] == "meet"


def test_an_unknown_price_gives_no_line(bucket: Bucket) -> None:
    put(bucket, {"a": Question(((None, "unknown"),)), "b": Question(((None, "1"),), instance_usd=None)})
    assert bucket.ask("cost_lines") == []


def ask_books(bucket: Bucket, region: str, **asked: Any) -> dict[str, dict[str, Any]]:
    book = load_book(region)
    bucket.put("cost_inputs", questions(book, **asked))
    bucket.put("prices", price_rows(book))
    return {row["book"]: row for row in bucket.ask("crossover")}


def test_the_article_of_2012_to_the_digit(bucket: Bucket) -> None:
    row = ask_books(bucket, "us-east-1", message_bytes=1024, instance_type="m7g.large")["2012-12"]
    assert f"{row['messages_per_hour']:.2f}" == "53333.33"
    assert f"{row['msg_per_s']:.2f}" == "14.81"
    assert row["usd_per_month"] == pytest.approx(0.16 * 730)
    assert (row["kind"], row["calls_per_message"], row["capacity"]) == (
        "meet",
        3.0,
        "capacity on EC2 not measured",
    )


@pytest.mark.parametrize(
    ("region", "message_bytes", "instance_type", "usd", "messages"),
    [
        # 2 x (0.0816 x 730 + 20 x 0.08) = 122.336; / 4e-7 + 1e6 free requests = 306.84 M; / 3
        ("us-east-1", 1024, "m7g.large", 122.336, 102_280_000),
        ("us-east-1", 64 * 1024, "m7g.large", 122.336, 102_280_000),
        # 200 KiB: 4 + 4 + 1 requests
        ("us-east-1", 200 * 1024, "m7g.large", 122.336, 306_840_000 / 9),
        # 2 x (0.091 x 730 + 20 x 0.088) = 136.38; / 4e-7 + 1e6 = 341.95 M; / 3
        ("eu-west-1", 16, "m7g.large", 136.38, 341_950_000 / 3),
        # 2 x (0.0416 x 730 + 1.6) = 63.936; 160.84 M; / 3
        ("us-east-1", 1024, "t3.medium", 63.936, 160_840_000 / 3),
    ],
)
def test_today_worked_by_hand(
    bucket: Bucket, region: str, message_bytes: int, instance_type: str, usd: float, messages: float
) -> None:
    rows = ask_books(bucket, region, message_bytes=message_bytes, instance_type=instance_type)
    row = rows[load_book(region).label]
    assert row["usd_per_month"] == pytest.approx(usd, rel=1e-12)
    assert row["messages_per_month"] == pytest.approx(messages, rel=1e-12)
    assert row["msg_per_s"] == pytest.approx(messages / 730 / 3600, rel=1e-12)
