"""``pair_crossings.sql``: every option against every other, by hand and by a brute force in fractions."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_crossings import Crossing, Pair
from tests.support.money.cost_curves import Line, Option
from tests.support.money.cost_questions import Dice, Question, flat, put
from tests.support.money.intervals import intervals
from tests.support.money.query_tables import Bucket

QUESTIONS = 700
SHOWN = 10
TOLERANCE = 1e-6
SIDES = ("sqs", "self-hosted", "amazon-mq", "bill")
Key = tuple[str, str, str]
Row = dict[str, Any]


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def pairs_of(q: Question) -> dict[tuple[str, str], Pair]:
    """SQS before clusters, these before Amazon MQ; of one kind by name."""
    ordered = sorted(q.options, key=lambda option: (SIDES.index(option.side), option.option_id))
    return {(a.option_id, b.option_id): Pair(a, b, q.hours) for a, b in combinations(ordered, 2)}


def clusters(name: str, usd: int | str, size: int | None, side: str = "self-hosted", per: int = 0) -> Option:
    """An option whose clusters cost so much each, and whose messages so many dollars a hundred."""
    lines = [Line("instances", flat(usd), per_cluster=F(1))]
    lines += [Line("traffic", flat(F(per, 100)), per_message=F(1))] if per else []
    return Option(name, side, tuple(lines), None if size is None else F(size))


def shape(rows: list[Row]) -> list[tuple[Any, ...]]:
    columns = ("kind", "messages_per_month", "usd_per_month", "cheaper_below", "cheaper_above")
    return [tuple(row[column] for column in columns) for row in rows]


#: name -> both options, and their crossings in the columns of ``shape``
CASES: dict[str, tuple[Option, Option, list[tuple[Any, ...]]]] = {
    "never, and the first is cheaper throughout": (
        clusters("a", 10, None),
        clusters("b", 20, None),
        [("never", None, None, "a", "a")],
    ),
    "meet where one costs more by the message": (
        clusters("trio", 20, None, per=10),
        clusters("managed", 60, None, "amazon-mq", per=2),
        [("meet", 500.0, 70.0, "trio", "managed")],
    ),
    "both at the same rate, and dearer by as much": (
        clusters("a", 30, 100),
        clusters("b", 40, 100),
        [("never", None, None, "a", "a")],
    ),
}


def test_by_hand(bucket: Bucket) -> None:
    put(bucket, [Question(name, options, purpose="pairs") for name, (*options, _) in CASES.items()])
    rows = bucket.ask("pair_crossings")
    found = {name: shape([row for row in rows if row["question_id"] == name]) for name in CASES}
    assert found == {name: expected for name, (*_, expected) in CASES.items()}


def test_clusters_of_both_are_added_in_turn(bucket: Bucket) -> None:
    """$30 a hundred messages beside $18 a sixty: dearer is whichever took another cluster last.

    Up to 60 messages 30 and 18, to 100 30 and 36, to 120 60 and 36, to 180 60 and 54, to 200 60 and 72, to
    240 90 and 72, to 300 90 both; and again.
    """
    put(bucket, [Question("q", (clusters("a", 30, 100), clusters("b", 18, 60)), purpose="pairs")])
    rows = bucket.ask("pair_crossings")
    assert shape(rows)[:6] == [
        ("step", 60.0, 30.0, "b", "a"),
        ("step", 100.0, 30.0, "a", "b"),
        ("step", 180.0, 60.0, "b", "a"),
        ("step", 200.0, 60.0, "a", "b"),
        ("tie", 240.0, 90.0, "b", "b"),
        ("step", 360.0, 120.0, "b", "a"),
    ]
    assert rows[4]["equal_until_msg_per_s"] * 3600 == pytest.approx(300)
    # the thousandth cluster of sixty is full at 60,000 messages, where the two hundredth round ends in a tie
    assert [row["crossings"] for row in rows] == [5 * 200] * SHOWN


def test_where_the_first_is_full_and_met_its_dollars_are_those_of_its_full_clusters(bucket: Bucket) -> None:
    rising = Option("b", "self-hosted", (Line("traffic", flat(F(1, 10)), per_message=F(1)),))
    put(bucket, [Question("q", (clusters("a", 10, 100), rising), purpose="pairs")])
    assert shape(bucket.ask("pair_crossings"))[:2] == [
        ("touch", 100.0, 10.0, "b", "b"),
        ("touch", 200.0, 20.0, "b", "b"),
    ]


def test_a_search_ends_at_the_thousandth_cluster_of_either(bucket: Bucket) -> None:
    put(bucket, [Question("q", (clusters("a", 1, 10), clusters("b", 2000, None)), purpose="pairs")])
    (row,) = bucket.ask("pair_crossings")
    assert (row["kind"], row["cheaper_above"]) == ("never", "a")
    assert row["searched_msg_per_s"] * 3600 == pytest.approx(10_000)


def test_a_price_that_is_not_known_is_no_crossing(bucket: Bucket) -> None:
    unknown = Option("b", "amazon-mq", (Line("brokers", flat(None), per_cluster=F(1)),))
    put(bucket, [Question("q", (clusters("a", 1, 10), unknown), purpose="pairs")])
    (row,) = bucket.ask("pair_crossings")
    assert (row["kind"], row["crossings"], row["msg_per_s"], row["cheaper_above"]) == (
        "unpriced",
        0,
        None,
        None,
    )


def test_other_questions_have_no_pairs_and_pairs_are_in_no_other_query(bucket: Bucket) -> None:
    requests = Option("sqs", "sqs", (Line("requests", flat(1), per_message=F(1)),))
    options = (requests, clusters("a", 10, None), clusters("b", 20, None))
    put(bucket, [Question("p", options, purpose="pairs"), Question("h", options)])
    assert {row["question_id"] for row in bucket.ask("pair_crossings")} == {"p"}
    assert {row["question_id"] for row in bucket.ask("crossover")} == {"h"}
    assert [(r["first_option"], r["second_option"]) for r in bucket.ask("pair_crossings")] == [
        ("a", "b"),
        ("sqs", "a"),
        ("sqs", "b"),
    ]


def random_question(number: int, **values: Any) -> Question:
    """Two prices of SQS and three others, most of which grow by clusters; at times made equal at an edge."""
    dice = Dice(f"pairs {number}")
    if dice.often(0.3):
        first, second = dice.comb() if dice.often(0.5) else dice.side_by_side()
        options = (first, second, dice.other("b"), dice.other("c"))
    else:
        options = (dice.sqs("sqs"), dice.other("a"), dice.other("b"), dice.other("c"))
    if dice.often(0.3):
        options = (*options, _twin(dice, options[-1]))
    return Question(f"q{number:04d}", options, dice.hours, purpose="pairs", **values)


def _twin(dice: Dice, option: Option) -> Option:
    """The same option with clusters of another size, so that both have edges in common."""
    size = option.messages_per_cluster
    more = dice.random.choice([1, 2, F(1, 2), F(3, 2)])
    return replace(option, option_id="twin", messages_per_cluster=None if size is None else size * more)


def close(got: float | None, exact: F | None) -> bool:
    """To a millionth; zero and null are exact."""
    if got is None or exact is None:
        return got is None and exact is None
    return abs(got - float(exact)) <= TOLERANCE * abs(float(exact))


def matches(row: Row, c: Crossing, many: int, hours: F) -> bool:
    def per_second(messages: F | None) -> F | None:
        return None if messages is None else messages / (hours * 3600)

    figures = {
        "msg_per_s": per_second(c.messages),
        "equal_until_msg_per_s": per_second(c.equal_until),
        "until_msg_per_s": per_second(c.until),
        "searched_msg_per_s": per_second(c.searched),
        "messages_per_month": c.messages,
        "usd_per_month": c.usd,
    }
    plain = (row["kind"], row["number"], row["cheaper_below"], row["cheaper_above"], row["crossings"])
    same = plain == (c.kind, c.number, c.below, c.above, many)
    return same and all(close(row[column], exact) for column, exact in figures.items())


@pytest.mark.thorough
def test_every_pair_equals_exact_fractions(tmp_path: Path) -> None:
    asked = [random_question(number) for number in range(QUESTIONS)]
    bucket = Bucket(tmp_path)
    put(bucket, asked)
    exact = {(q.question_id, *key): (q, pair.crossings()) for q in asked for key, pair in pairs_of(q).items()}
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in bucket.ask("pair_crossings"):
        found[row["question_id"], row["first_option"], row["second_option"]].append(row)
    assert found.keys() == exact.keys()
    seen: Counter[tuple[str, bool]] = Counter()
    wrong = {}
    for key, (q, crossings) in exact.items():
        many = sum(c.number is not None for c in crossings)
        shown = [c for c in crossings if (c.number or 1) <= SHOWN]
        whole = len(shown) == len(found[key]) and all(
            matches(row, c, many, q.hours) for row, c in zip(found[key], shown, strict=True)
        )
        if not whole:
            wrong[key] = (shown, found[key], q)
        both = all(o.messages_per_cluster for o in q.options if o.option_id in key[1:])
        seen.update((c.kind, both) for c in crossings)
    assert not wrong, f"{len(wrong)} pairs differ, the first: {next(iter(wrong.items()))}"
    for kind in ("meet", "step", "tie", "never"):
        assert seen[kind, True] >= 100, seen
    assert seen["touch", True] + seen["touch", False] >= 200, seen


def test_an_interval_is_where_a_question_and_its_corners_do_not_agree(tmp_path: Path) -> None:
    asked = [random_question(number) for number in range(5000, 5060)]
    corners = [
        replace(
            q,
            question_id=f"{q.question_id}-{number}",
            purpose="pairs-interval",
            base=q.question_id,
            options=tuple(_scaled(option, factor) for option in q.options),
        )
        for q in asked
        for number, factor in enumerate((F(3, 4), F(5, 4)))
    ]
    bucket = Bucket(tmp_path)
    put(bucket, [*asked, *corners])
    beside: dict[Key, list[list[Crossing]]] = defaultdict(list)
    for corner in corners:
        for key, pair in pairs_of(corner).items():
            beside[corner.base, *key].append(pair.crossings())
    hours = {q.question_id: q.hours for q in asked}
    exact = {
        (q.question_id, *key): intervals(pair.crossings(), beside[q.question_id, *key])
        for q in asked
        for key, pair in pairs_of(q).items()
    }
    rows = bucket.ask("pair_crossings")
    assert {row["question_id"] for row in rows} == {q.question_id for q in asked}, "corners have no rows"
    seen: Counter[int] = Counter()
    for row in rows:
        key = row["question_id"], row["first_option"], row["second_option"]
        span = exact[key][(row["number"] or 1) - 1]
        many = span.corners_with if span else 0
        assert (row["corners"], row["corners_with"]) == (2, many), row
        second = hours[key[0]] * 3600
        assert close(row["low_msg_per_s"], span and span.low / second), row
        assert close(row["high_msg_per_s"], span and span.high / second), row
        seen[many] += row["number"] is not None
    assert all(seen[many] >= 20 for many in (0, 1, 2)), seen


def _scaled(option: Option, factor: F) -> Option:
    """Its clusters carry more or less."""
    size = option.messages_per_cluster
    return option if size is None else replace(option, messages_per_cluster=size * factor)
