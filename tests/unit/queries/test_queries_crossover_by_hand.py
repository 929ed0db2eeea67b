"""``crossover.sql``: figures worked by hand, the ends of the search, prices that are not known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_curves import ONE, ZERO, Line, Option, Price
from tests.support.money.cost_questions import Question, flat, put
from tests.support.money.query_tables import Bucket

FIGURES = {
    "number",
    "msg_per_s",
    "equal_until_msg_per_s",
    "until_msg_per_s",
    "searched_msg_per_s",
    "messages_per_month",
    "messages_per_hour",
    "usd_per_month",
    "low_msg_per_s",
    "high_msg_per_s",
    "cheaper_below",
    "cheaper_above",
}
PER_MESSAGE = Line("requests", flat(1), per_message=F(1))


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def sqs(*lines: Line) -> Option:
    return Option("sqs", "sqs", lines or (PER_MESSAGE,))


def own(usd: int | str | F | None, size: int | None = None, *lines: Line, **values: Any) -> Option:
    """An option whose cluster costs so much."""
    line = Line("instances", flat(usd), **{"per_cluster": F(1), **values})
    return Option("own", "self-hosted", (line, *lines), None if size is None else F(size))


def tiers(*parts: tuple[int | None, int | str | None]) -> Price:
    return Price(
        tuple((None if end is None else F(end), None if usd is None else F(usd)) for end, usd in parts)
    )


def ask(bucket: Bucket, *options: Option, hours: F = ONE, **values: Any) -> list[dict[str, Any]]:
    put(bucket, [Question("q", options, hours, **values)])
    return bucket.ask("crossover")


def shape(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    columns = ("kind", "messages_per_month", "usd_per_month", "cheaper_below", "cheaper_above")
    return [tuple(row[column] for column in columns) for row in rows]


def test_the_article_of_2012_to_the_digit(bucket: Bucket) -> None:
    """3 requests of $0.000001 a message; 2 instances of $0.08 an hour."""
    requests = Line("requests", flat("0.000001"), per_message=F(3))
    instances = Line("instances", flat("0.08"), per_cluster=F(2 * 730))
    pair = Option("pair", "self-hosted", (instances,))
    (row,) = ask(bucket, sqs(requests), pair, hours=F(730), purpose="history")
    assert f"{row['messages_per_hour']:.2f}" == "53333.33"
    assert f"{row['msg_per_s']:.2f}" == "14.81"
    assert row["usd_per_month"] == pytest.approx(0.16 * 730)
    assert (row["kind"], row["number"], row["purpose"]) == ("meet", 1, "history")
    assert (row["cheaper_below"], row["cheaper_above"]) == ("sqs", "pair")
    assert row["searched_msg_per_s"] == pytest.approx(1e7)


def test_today_worked_by_hand(bucket: Bucket) -> None:
    """2 x (0.0816 x 730 + 20 x 0.08) = 122.336; / 4e-7 + 1e6 free requests = 306.84 M; / 3 = 102.28 M."""
    book = tiers((10**11, "0.0000004"), (2 * 10**11, "0.0000003"), (None, "0.00000024"))
    requests = Line("requests", book, per_message=F(3), free=F(10**6))
    volumes = Line("volumes", flat("0.08"), per_cluster=F(2 * 20))
    pair = own("0.0816", None, volumes, per_cluster=F(2 * 730))
    (row,) = ask(bucket, sqs(requests), pair, hours=F(730))
    assert row["usd_per_month"] == pytest.approx(122.336, rel=1e-12)
    assert row["messages_per_month"] == pytest.approx(102_280_000, rel=1e-12)
    assert row["msg_per_s"] == pytest.approx(102_280_000 / 730 / 3600, rel=1e-12)


TIERED = Line("requests", tiers((100, 1), (150, 0), (None, 1)), per_message=F(1))
LEVEL = Line("requests", tiers((100, 1), (None, 0)), per_message=F(1))
ENDED = Line("requests", tiers((100, 1)), per_message=F(1))
#: name -> SQS, the other, and the rows that are expected, in the columns of ``shape``
CASES: dict[str, tuple[Option, Option, list[tuple[Any, ...]]]] = {
    "meet": (sqs(), own(50), [("meet", 50.0, 50.0, "sqs", "own")]),
    "meet at the edge of a tier": (
        sqs(Line("requests", tiers((100, 1), (None, 2)), per_message=F(1))),
        own(100),
        [("meet", 100.0, 100.0, "sqs", "own")],
    ),
    "meet where the prices end": (sqs(ENDED), own(100), [("meet", 100.0, 100.0, "sqs", None)]),
    "never before the prices end": (sqs(ENDED), own(101), [("never", None, None, "sqs", "sqs")]),
    "equal at no traffic is no crossing": (sqs(), own(0), [("never", None, None, "own", "own")]),
    "tie while a tier is free": (sqs(TIERED), own(100), [("tie", 100.0, 100.0, "sqs", "own")]),
    "tie to the end": (sqs(LEVEL), own(100), [("tie", 100.0, 100.0, "sqs", None)]),
    "tie from the start": (
        sqs(replace(PER_MESSAGE, free=F(90))),
        own(0),
        [("tie", 0.0, 0.0, None, "own")],
    ),
    # a quarter of a cluster above the steps where it is dearest; a third cluster costs more than all traffic
    "step after step": (
        sqs(PER_MESSAGE, Line("endpoint", flat(25), fixed=F(1))),
        own(100, 100, Line("people", tiers((2, 0), (None, 10**12)), per_cluster=F(1))),
        [
            ("meet", 75.0, 100.0, "sqs", "own"),
            ("step", 100.0, 125.0, "own", "sqs"),
            ("meet", 175.0, 200.0, "sqs", "own"),
            ("step", 200.0, 225.0, "own", "sqs"),
        ],
    ),
    "touch at each full cluster": (
        sqs(Line("requests", tiers((200, 1), (None, 0)), per_message=F(1))),
        own(100, 100),
        [("touch", 100.0, 100.0, "sqs", "sqs"), ("touch", 200.0, 200.0, "sqs", "sqs")],
    ),
    "equal only above a step, where more traffic is dearer on SQS": (
        sqs(PER_MESSAGE, Line("endpoint", flat(100), fixed=F(1))),
        own(100, 100),
        [("never", None, None, "own", "own")],
    ),
    "equal at a full cluster, and passed by the next": (
        sqs(
            Line("requests", tiers((100, "0.5"), (None, 0)), per_message=F(1)),
            Line("x", flat(150), fixed=F(1)),
        ),
        own(100, 100, Line("traffic", tiers((100, 1), (None, 0)), per_message=F(1))),
        [("step", 100.0, 200.0, "own", "sqs")],
    ),
    "a tie that begins above a step": (
        sqs(Line("endpoint", flat(20), fixed=F(1))),
        own(10, 100),
        [("tie", 100.0, 20.0, "own", "sqs")],
    ),
    "a tie that a step ends": (
        sqs(Line("endpoint", flat(10), fixed=F(1))),
        own(10, 100),
        [("tie", 0.0, 10.0, None, "sqs")],
    ),
}


def test_by_hand(bucket: Bucket) -> None:
    put(bucket, [Question(name, options) for name, (*options, _) in CASES.items()])
    rows = bucket.ask("crossover")
    found = {name: shape([row for row in rows if row["question_id"] == name]) for name in CASES}
    assert found == {name: expected for name, (*_, expected) in CASES.items()}


def test_where_a_tie_ends_and_until_when_its_verdict_holds(bucket: Bucket) -> None:
    """Equal from 100 to 150; above 170 there are two clusters, for $200, while SQS costs $120."""
    tie, step, *_ = ask(bucket, sqs(TIERED), own(100, 170))
    assert [row["kind"] for row in (tie, step)] == ["tie", "step"]
    ends = [tie[column] * 3600 for column in ("msg_per_s", "equal_until_msg_per_s", "until_msg_per_s")]
    assert ends == pytest.approx([100, 150, 170])
    assert (tie["cheaper_above"], step["cheaper_below"], step["cheaper_above"]) == ("own", "own", "sqs")
    assert step["equal_until_msg_per_s"] * 3600 == pytest.approx(170)


@pytest.mark.parametrize(
    ("size", "price", "end"),
    [
        (None, flat(0), 10**7 * 3600),
        (36 * 10**6, flat(0), 10**7 * 3600),
        (10**6, flat(0), 10**9),  # the thousandth cluster is full
        (10**6, tiers((4_000, 0)), 4_000),
        (None, tiers((10**12, 0)), 10**7 * 3600),
    ],
)
def test_the_search_ends_where_the_first_of_its_limits_is(
    bucket: Bucket, size: int | None, price: Price, end: int
) -> None:
    (row,) = ask(bucket, sqs(replace(PER_MESSAGE, price=price)), own(1, size))
    assert (row["kind"], row["cheaper_above"]) == ("never", "sqs")
    assert row["searched_msg_per_s"] == pytest.approx(end / 3600)


def test_a_price_by_the_cluster_that_ends_ends_the_search_at_a_full_cluster(bucket: Bucket) -> None:
    other = own(1, 500, Line("alarms", tiers((7, 1)), per_cluster=F(2)))
    (row,) = ask(bucket, sqs(), other)
    assert (row["kind"], row["messages_per_month"]) == ("meet", 3)
    assert row["searched_msg_per_s"] * 3600 == pytest.approx(3 * 500)


def test_a_line_that_grows_with_both_has_an_edge_in_each_cluster(bucket: Bucket) -> None:
    """50 units a cluster and one a message, of which 160 are free: with two clusters, 60 messages are."""
    both = Line("traffic", tiers((160, 0), (None, 1)), per_message=F(1), per_cluster=F(50))
    tenth = Line("requests", flat("0.1"), per_message=F(1))
    (row,) = shape(ask(bucket, sqs(tenth), Option("own", "self-hosted", (both,), F(40))))
    assert row == ("meet", pytest.approx(60 / 0.9), pytest.approx(6 / 0.9), "own", "sqs")


def test_the_arithmetic_of_doubles_ends_no_tie(bucket: Bucket) -> None:
    """Nothing is paid for the free units, though 90 / 2.1 x 2.1 may be more than 90."""
    calls = {f"{n:03}": F(n, 10) for n in range(1, 200)}
    lines = {name: replace(PER_MESSAGE, per_message=each, free=F(90)) for name, each in calls.items()}
    put(bucket, [Question(name, (sqs(line), own(0))) for name, line in lines.items()])
    rows = bucket.ask("crossover")
    assert [(r["kind"], r["number"], r["cheaper_above"]) for r in rows] == [("tie", 1, "own")] * len(calls)
    ends = [row["equal_until_msg_per_s"] * 3600 for row in rows]
    assert ends == pytest.approx([float(90 / each) for each in calls.values()])


UNKNOWN: dict[str, tuple[Option, Option]] = {
    "the only tier": (sqs(replace(PER_MESSAGE, price=flat(None))), own(1)),
    "the last tier": (sqs(replace(PER_MESSAGE, price=tiers((100, 1), (None, None)))), own(1)),
    "the first tier": (sqs(replace(PER_MESSAGE, price=tiers((100, None), (None, 1)))), own(1)),
    "the other's": (sqs(), own(None)),
    "not in the book": (sqs(replace(PER_MESSAGE, price=None)), own(1)),
    "not in the book, with free units": (sqs(replace(PER_MESSAGE, price=None, free=F(100))), own(1)),
    "a line without units": (sqs(PER_MESSAGE, Line("nothing", None)), own(1)),
    "ended before the first message": (sqs(), own(1, None, Line("x", tiers((1, 1)), fixed=F(2)))),
    "used up elsewhere": (sqs(replace(PER_MESSAGE, price=tiers((10, 1)), used=F(20))), own(1)),
    "a cluster that carries nothing": (sqs(), own(1, 0)),
    "no lines at all": (sqs(), Option("own", "self-hosted", ())),
}


def test_a_price_that_is_not_known_gives_one_row_without_a_figure(bucket: Bucket) -> None:
    asked = [Question(name, options) for name, options in UNKNOWN.items()]
    put(bucket, [*asked, Question("a month without hours", (sqs(), own(1)), ZERO)])
    rows = bucket.ask("crossover")
    assert [row["question_id"] for row in rows] == sorted([*UNKNOWN, "a month without hours"])
    for row in rows:
        assert [row[c] for c in ("kind", "sqs_option", "other_option")] == ["unpriced", "sqs", "own"]
        assert {column for column in FIGURES if row[column] is not None} == set(), row


def test_a_tier_that_the_account_has_used_up_needs_no_price(bucket: Bucket) -> None:
    book = tiers((100, None), (None, 1))
    assert shape(ask(bucket, sqs(replace(PER_MESSAGE, price=book, used=F(100))), own(50))) == [
        ("meet", 50.0, 50.0, "sqs", "own")
    ]


def test_every_other_option_is_compared_with_every_price_of_sqs(bucket: Bucket) -> None:
    options = (
        sqs(),
        Option("batched", "sqs", (replace(PER_MESSAGE, price=flat("0.1")),)),
        own(10),
        Option("managed", "amazon-mq", (Line("brokers", flat(20), per_cluster=F(1)),)),
        Option("today", "bill", (Line("bill", flat(30), fixed=F(1)),)),
    )
    put(bucket, [Question("b", options, purpose="bill"), Question("m", options, purpose="map")])
    rows = bucket.ask("crossover")
    assert [
        (r["question_id"], r["sqs_option"], r["other_option"], r["messages_per_month"]) for r in rows
    ] == [
        ("b", "batched", "managed", 200),
        ("b", "batched", "own", 100),
        ("b", "batched", "today", 300),
        ("b", "sqs", "managed", 20),
        ("b", "sqs", "own", 10),
        ("b", "sqs", "today", 30),
    ]
    assert bucket.ask("crossover", run_id="another") == []
