"""``comparison.sql`` against Welch's interval worked out anew."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.money.query_tables import Bucket, case
from tests.support.money.repeated_cases import RABBITMQ, SQS, TABLED, put, ratio_interval, rounded


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def produced(bucket: Bucket) -> dict[str, dict[str, Any]]:
    """Cell -> its comparison of produce rates, RabbitMQ's over those of SQS."""
    return {row["cell"]: row for row in bucket.ask("comparison") if row["metric"] == "produce"}


def pair(ours: list[float], theirs: list[float], cell: str = "c") -> dict[tuple[str, str], list[float]]:
    return {(cell, RABBITMQ): ours, (cell, SQS): theirs}


@pytest.mark.parametrize("seed", range(3))
def test_random_pairs(bucket: Bucket, seed: int) -> None:
    dice = random.Random(seed)
    drawn: dict[tuple[str, str], list[float]] = {}
    for cell in range(60):
        for target in (RABBITMQ, SQS):
            mu, sigma = dice.choice([6, 6.1, 8]), dice.choice([0.002, 0.05, 0.4])
            values = [dice.lognormvariate(mu, sigma) for _ in range(dice.randint(2, 15))]
            drawn[f"c{cell}", target] = rounded(values)
    put(bucket, drawn)
    found = produced(bucket)
    assert len(found) == 60
    for cell, row in found.items():
        ours, theirs = drawn[cell, RABBITMQ], drawn[cell, SQS]
        ratio, low, high = ratio_interval(ours, theirs)
        assert (row["target"], row["against"]) == (RABBITMQ, SQS)
        assert (row["repeats"], row["against_repeats"]) == (len(ours), len(theirs))
        assert row["ratio"] == pytest.approx(ratio, rel=1e-9)
        # the quantile's last digit weighs by the width of the interval, here a factor
        assert row["interval_low"] == pytest.approx(low, rel=1e-9 + (high / low) ** TABLED - 1)
        assert row["interval_high"] == pytest.approx(high, rel=1e-9 + (high / low) ** TABLED - 1)
        shown = "higher" if low > 1 else "lower" if high < 1 else "no difference shown"
        assert row["verdict"] == shown
    assert {row["verdict"] for row in found.values()} == {"higher", "lower", "no difference shown"}


def test_whole_degrees_of_freedom_are_not_rounded_below_themselves(bucket: Bucket) -> None:
    """Two sides of one spread have the sum of their degrees of freedom, whatever the last digits are."""
    for n in range(2, 9):
        side = rounded([1000 + 7 * k for k in range(n)])
        put(bucket, pair(side, [3 * rate for rate in side], cell=f"n{n}"))
        row = produced(bucket)[f"n{n}"]
        ratio, low, high = ratio_interval(side, side)
        assert ratio == 1
        assert row["interval_high"] / row["interval_low"] == pytest.approx(high / low, rel=TABLED)


@pytest.mark.parametrize(
    ("ours", "theirs", "ratio", "verdict"),
    [
        ([200.0] * 3, [100.1] * 2, 200 / 100.1, "higher"),
        ([100.1] * 2, [200.0] * 3, 100.1 / 200, "lower"),
        # means of seven and of three equal logarithms that differ in their last digit, either way
        ([207.3] * 7, [207.3] * 3, 1.0, "no difference shown"),
        ([207.8] * 7, [207.8] * 3, 1.0, "no difference shown"),
    ],
)
def test_repeats_that_do_not_vary_at_all(
    bucket: Bucket, ours: list[float], theirs: list[float], ratio: float, verdict: str
) -> None:
    put(bucket, pair(ours, theirs))
    row = produced(bucket)["c"]
    assert [row[name] for name in ("ratio", "interval_low", "interval_high")] == pytest.approx([ratio] * 3)
    assert row["verdict"] == verdict


def test_one_side_that_does_not_vary(bucket: Bucket) -> None:
    ours, theirs = [100.0] * 4, [90.0, 95.0, 99.0]
    put(bucket, pair(ours, theirs))
    row = produced(bucket)["c"]
    expected = ratio_interval(ours, theirs)
    assert [row["ratio"], row["interval_low"], row["interval_high"]] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("ours", "theirs"), [([100, 101, 99], [50]), ([50], [100, 101]), ([1], [2])])
def test_a_single_repeat_is_not_enough(bucket: Bucket, ours: list[float], theirs: list[float]) -> None:
    put(bucket, pair(ours, theirs))
    row = produced(bucket)["c"]
    assert row["verdict"] == "not enough repeats"
    assert row["ratio"] is not None
    assert (row["interval_low"], row["interval_high"]) == (None, None)


def test_a_target_without_a_repeat_is_reported(bucket: Bucket) -> None:
    put(bucket, {("both", RABBITMQ): [5, 6], ("both", SQS): [5, 6], ("one", RABBITMQ): [5, 6]})
    failed = {"scenario": "s", "cell": "both", "target": RABBITMQ, "status": "failed"}
    bucket.put("cases", [case("f", **failed)], name="failed")
    found = produced(bucket)
    assert (found["both"]["repeats"], found["both"]["against_repeats"]) == (2, 2)
    assert (found["one"]["repeats"], found["one"]["against_repeats"]) == (2, 0)
    assert (found["one"]["verdict"], found["one"]["ratio"]) == ("not enough repeats", None)


def test_one_target_has_nothing_to_be_compared_with(bucket: Bucket) -> None:
    put(bucket, {("c", SQS): [5, 6]})
    assert bucket.ask("comparison") == []


def test_every_pair_of_targets_is_compared_once(bucket: Bucket) -> None:
    put(bucket, {("c", target): [5, 6] for target in ("b", "a", "c")})
    rows = bucket.ask("comparison")
    assert [(row["target"], row["against"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize("rate", [0.0, None])
def test_a_rate_of_nothing_has_no_ratio(bucket: Bucket, rate: float | None) -> None:
    put(bucket, pair([100, 101, 99], [50, 51]))
    third = {"scenario": "s", "cell": "c", "producers": 1, "target": SQS}
    bucket.put("cases", [case("x", **third)], name="x")
    if rate is not None:
        bucket.put("totals", [{"case_id": "x", "metric": "produce", "completed": 0, "stage_s": 1}], name="x")
    row = produced(bucket)["c"]
    assert (row["verdict"], row["against_repeats"]) == ("not comparable", 3)
    assert (row["ratio"], row["interval_low"]) == (None, None)


def test_what_is_compared_of_consuming(bucket: Bucket) -> None:
    """A consumer to which messages are pushed has no consume cycle."""
    cycles = {
        ("get", SQS): [5, 6],
        ("get", RABBITMQ): [7, 9],
        ("push", SQS): [5, 6],
        ("pushed", RABBITMQ): [7],
    }
    put(bucket, cycles, metric="consume_cycle", producers=0, consumers=3)
    pushed = [case("p", cell="push", target=RABBITMQ), case("q", cell="pushed", target=SQS)]
    bucket.put("cases", [row | {"scenario": "s", "consumers": 3} for row in pushed], name="pushed")
    rows = [(row["cell"], row["metric"], row["verdict"]) for row in bucket.ask("comparison")]
    assert rows == [
        ("get", "consume", "not comparable"),
        ("get", "consume_cycle", "no difference shown"),
        ("push", "consume", "not enough repeats"),
        ("pushed", "consume", "not enough repeats"),
    ]


def test_bounds_and_stand_ins_are_carried_on_their_own_side(bucket: Bucket) -> None:
    put(bucket, pair([100, 101], [50, 51]))
    busy = {"scenario": "s", "cell": "c", "producers": 1, "target": RABBITMQ, "provenance": "measured"}
    bucket.put("cases", [case("x", **busy, flags='["loader_saturated", "shared_host"]')], name="x")
    bucket.put("totals", [{"case_id": "x", "metric": "produce", "completed": 99, "stage_s": 1}], name="x")
    row = produced(bucket)["c"]
    assert (row["loader_saturated"], row["against_loader_saturated"]) == (True, False)
    assert (row["provenance"], row["against_provenance"]) == ("measured", "emulated")
    assert (row["environment"], row["repeats"], row["verdict"]) == ("local", 3, "higher")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("spreads", "repeats", "bounds"),
    [
        # rounding the degrees of freedom down makes the interval of a few repeats wider than it need be
        ((0.05, 0.05), 3, (0.97, 0.995)),
        ((0.05, 0.05), 5, (0.945, 0.975)),
        ((0.02, 0.2), 5, (0.935, 0.965)),
        ((0.05, 0.05), 12, (0.935, 0.965)),
    ],
)
def test_what_is_the_same_shows_no_difference_nineteen_times_in_twenty(
    bucket: Bucket, spreads: tuple[float, float], repeats: int, bounds: tuple[float, float]
) -> None:
    dice, cells = random.Random(repeats), 2000
    drawn = {
        (f"c{cell}", target): [dice.lognormvariate(7, spread) for _ in range(repeats)]
        for cell in range(cells)
        for target, spread in zip((RABBITMQ, SQS), spreads, strict=True)
    }
    put(bucket, drawn)
    verdicts = Counter(row["verdict"] for row in produced(bucket).values())
    assert verdicts.total() == cells
    assert bounds[0] < verdicts["no difference shown"] / cells < bounds[1]
    assert 0.4 < verdicts["higher"] / (verdicts["higher"] + verdicts["lower"]) < 0.6


def test_what_differs_is_shown_to(bucket: Bucket) -> None:
    dice = random.Random(9)
    drawn: dict[tuple[str, str], list[float]] = {}
    for cell in range(300):
        theirs = [dice.lognormvariate(7, 0.05) for _ in range(5)]
        ours = [1.3 * dice.lognormvariate(7, 0.05) for _ in range(5)]
        drawn |= pair(ours, theirs, cell=f"c{cell}")
    put(bucket, drawn)
    rows = list(produced(bucket).values())
    assert sum(row["verdict"] == "higher" for row in rows) > 295
    assert 0.93 < sum(row["interval_low"] < 1.3 < row["interval_high"] for row in rows) / 300 < 0.99
