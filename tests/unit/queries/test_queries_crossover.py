"""``crossover.sql`` and ``sensitivity.sql`` against a brute force in exact fractions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_crossings import Crossing, Pair
from tests.support.money.cost_questions import Dice, Question, put
from tests.support.money.intervals import Interval, intervals
from tests.support.money.query_tables import Bucket

QUESTIONS = 2100
TOLERANCE = 1e-6
Key = tuple[str, str, str]
Row = dict[str, Any]


def close(got: float | None, exact: F | None) -> bool:
    """To a millionth; zero and null are exact."""
    if got is None or exact is None:
        return got is None and exact is None
    return abs(got - float(exact)) <= TOLERANCE * abs(float(exact))


def per_second(messages: F | None, hours: F) -> F | None:
    return None if messages is None else messages / (hours * 3600)


def matches(row: Row, c: Crossing, hours: F) -> bool:
    figures = {
        "msg_per_s": per_second(c.messages, hours),
        "equal_until_msg_per_s": per_second(c.equal_until, hours),
        "until_msg_per_s": per_second(c.until, hours),
        "searched_msg_per_s": per_second(c.searched, hours),
        "messages_per_month": c.messages,
        "messages_per_hour": None if c.messages is None else c.messages / hours,
        "usd_per_month": c.usd,
    }
    plain = (row["kind"], row["number"], row["cheaper_below"], row["cheaper_above"])
    same = plain == (c.kind, c.number, c.below, c.above)
    return same and all(close(row[column], exact) for column, exact in figures.items())


def by_pair(rows: Iterable[Row]) -> dict[Key, list[Row]]:
    found: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["question_id"], row["sqs_option"], row["other_option"]].append(row)
    return dict(found)


@dataclass
class Answers:
    """Random questions, the exact answers, and those of the query."""

    questions: dict[str, Question]
    pairs: dict[Key, Pair]
    exact: dict[Key, list[Crossing]]
    rows: list[Row]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    asked = {f"q{n:04d}": Dice(n).question(f"q{n:04d}") for n in range(QUESTIONS)}
    pairs = {(name, *options): pair for name, q in asked.items() for options, pair in q.pairs().items()}
    bucket = Bucket(tmp_path_factory.mktemp("rows"))
    put(bucket, asked.values())
    exact = {key: pair.crossings() for key, pair in pairs.items()}
    return Answers(asked, pairs, exact, bucket.ask("crossover"))


def test_every_crossing_equals_exact_fractions(answers: Answers) -> None:
    found = by_pair(answers.rows)
    assert found.keys() == answers.exact.keys()
    wrong = {
        key: (expected, found[key], answers.questions[key[0]])
        for key, expected in answers.exact.items()
        if len(expected) != len(found[key])
        or not all(
            matches(row, c, answers.questions[key[0]].hours)
            for row, c in zip(found[key], expected, strict=True)
        )
    }
    assert not wrong, f"{len(wrong)} pairs differ, the first: {next(iter(wrong.items()))}"


def test_rows_are_in_order_and_name_their_book(answers: Answers) -> None:
    keys = [(r["question_id"], r["sqs_option"], r["other_option"], r["number"] or 0) for r in answers.rows]
    assert keys == sorted(keys)
    assert all(row["book"] == row["question_id"] and row["purpose"] == "headline" for row in answers.rows)
    assert {(row["corners"], row["corners_with"]) for row in answers.rows} == {(0, 0)}
    assert all(row["low_msg_per_s"] is None and row["high_msg_per_s"] is None for row in answers.rows)


def test_the_questions_have_everything_in_them(answers: Answers) -> None:
    crossings = [(answers.pairs[key], c) for key, found in answers.exact.items() for c in found]
    kinds = Counter(c.kind for _, c in crossings)
    for kind, least in {
        "meet": 2000,
        "step": 1200,
        "touch": 800,
        "tie": 200,
        "never": 800,
        "unpriced": 80,
    }.items():
        assert kinds[kind] >= least, kinds
    above = Counter(
        (c.kind, c.above and ("sqs" if c.above.startswith("sqs") else "other")) for _, c in crossings
    )
    for kind in ("meet", "touch", "tie", "never"):
        assert above[kind, "sqs"] >= 25, above
        assert above[kind, "other"] >= 25, above
    assert above["step", "sqs"] >= 1000
    assert above["step", "other"] == 0, "a step is a cost that rises"
    assert above["tie", None] >= 25, "to the end of the search"
    assert above["meet", None] >= 1, "at the end of the search"
    counts = Counter(len(found) for found in answers.exact.values())
    assert sum(n for many, n in counts.items() if many >= 12) >= 60
    assert max(counts) >= 60
    ended = [pair for pair in answers.pairs.values() if pair.known and pair.limit < pair.hours * 3600 * 10**7]
    assert len(ended) >= 150


def test_exact_ties_at_a_step_are_among_them(answers: Answers) -> None:
    """Equal when the cluster is full: passed by the next, or touched. Equal at once above it: neither."""
    seen: Counter[str] = Counter()
    for key, found in answers.exact.items():
        pair = answers.pairs[key]
        size = pair.other.messages_per_cluster
        for c in found:
            if c.messages and size is not None and (c.messages / size).denominator == 1:
                equal = pair.difference(c.messages, c.messages) == 0
                seen[f"{c.kind}, {'equal' if equal else 'apart'}"] += 1
    assert seen["step, equal"] >= 20, seen
    assert seen["step, apart"] >= 1000, seen
    assert seen["touch, equal"] >= 200, seen
    assert min(seen["tie, apart"], seen["tie, equal"]) >= 8, seen


def varied(q: Question, name: str, calls: F, capacity: F, **values: Any) -> Question:
    """The question with other requests a message on SQS's side, and another capacity on the other."""
    options = []
    for option in q.options:
        lines = option.lines
        if option.side == "sqs":
            lines = tuple(replace(line, per_message=line.per_message * calls) for line in lines)
        size = option.messages_per_cluster
        size = None if size is None else size * capacity
        options.append(replace(option, lines=lines, messages_per_cluster=size))
    return replace(q, question_id=name, options=tuple(options), base=q.question_id, **values)


def test_intervals_are_where_a_question_and_its_corners_do_not_agree(tmp_path: Path) -> None:
    asked = [Dice(n).question(f"q{n}") for n in range(5000, 5080)]
    ends = [(F(3, 4), F(3, 4)), (F(3, 4), F(5, 4)), (F(5, 4), F(3, 4)), (F(5, 4), F(5, 4))]
    corners = {
        q.question_id: [
            varied(q, f"{q.question_id} {n}", *end, purpose="interval") for n, end in enumerate(ends)
        ]
        for q in asked
    }
    bucket = Bucket(tmp_path)
    put(bucket, [*asked, *(corner for found in corners.values() for corner in found)])
    hours = {q.question_id: q.hours for q in asked}
    exact: dict[Key, list[Interval | None]] = {}
    for q in asked:
        ends_of = [corner.pairs() for corner in corners[q.question_id]]
        for options, pair in q.pairs().items():
            beside = [each[options].crossings() for each in ends_of]
            exact[(q.question_id, *options)] = intervals(pair.crossings(), beside)
    seen: Counter[int] = Counter()
    rows = bucket.ask("crossover")
    assert {row["question_id"] for row in rows} == set(hours), "corners have no rows of their own"
    for key, found in by_pair(rows).items():
        for row, span in zip(found, exact[key], strict=True):
            many = span.corners_with if span else 0
            assert (row["corners"], row["corners_with"]) == (4, many), row
            assert close(row["low_msg_per_s"], per_second(span and span.low, hours[key[0]])), row
            assert close(row["high_msg_per_s"], per_second(span and span.high, hours[key[0]])), row
            if span:
                assert row["low_msg_per_s"] <= row["msg_per_s"] <= row["high_msg_per_s"]
                seen[many] += 1
    assert all(seen[number] >= 20 for number in (0, 2, 4)), seen


def test_sensitivity_is_the_first_crossing_when_one_input_varies(tmp_path: Path) -> None:
    asked = [Dice(n).question(f"q{n}") for n in range(6000, 6050)]
    changes = []
    for q in asked:
        for factor in (F(3, 4), F(5, 4)):
            more = {"purpose": "sensitivity", "factor": float(factor)}
            changes += [
                varied(q, f"{q.question_id} calls {factor}", factor, F(1), varied="calls", **more),
                varied(q, f"{q.question_id} capacity {factor}", F(1), factor, varied="capacity", **more),
            ]
    bucket = Bucket(tmp_path)
    put(bucket, [*asked, *changes])
    base = {(q.question_id, *o): pair.crossings()[0] for q in asked for o, pair in q.pairs().items()}
    expected = {
        (q.base, *options, q.varied, q.factor): (pair.crossings()[0], q)
        for q in changes
        for options, pair in q.pairs().items()
    }
    rows = bucket.ask("sensitivity")
    keys = [
        tuple(r[c] for c in ("question_id", "sqs_option", "other_option", "varied", "factor")) for r in rows
    ]
    assert keys == sorted(expected)
    for key, row in zip(keys, rows, strict=True):
        c, q = expected[key]
        assert (row["kind"], row["cheaper_above"], row["book"]) == (c.kind, c.above, q.question_id), row
        assert close(row["msg_per_s"], per_second(c.messages, q.hours)), row
        assert close(row["base_msg_per_s"], per_second(base[key[:3]].messages, q.hours)), row
    assert {"never", "meet", "step", "unpriced"} <= {row["kind"] for row in rows}
