"""``base_ratios.sql`` against Welch's interval worked out anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.money.query_tables import Bucket
from tests.support.money.repeated_cases import RABBITMQ, SQS, TABLED, put, ratio_interval

PLAIN, CONFIRMED = [1000.0, 1100.0, 1050.0], [600.0, 640.0, 655.0]


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


def measured(bucket: Bucket, scenario: str, rates: dict[str, list[float]], **columns: Any) -> None:
    """Cells of one scenario of a suite whose base is ``plain``: target -> msg/s of its repeats."""
    columns = {"scenario": scenario, "consumers": 1, "base": "plain", **columns}
    metric = "consume" if columns["consumers"] else "produce"
    cells = {("c", target): repeats for target, repeats in rates.items()}
    put(bucket, cells, metric=metric, name=f"{scenario}-{metric}", **columns)


def ratios(bucket: Bucket) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["scenario"], row["target"]): row for row in bucket.ask("base_ratios")}


def test_a_scenario_is_compared_with_the_base_on_the_same_target(bucket: Bucket) -> None:
    measured(bucket, "plain", {RABBITMQ: PLAIN, SQS: [10.0, 11.0]})
    measured(bucket, "confirms", {RABBITMQ: CONFIRMED, SQS: [10.0, 11.0]})
    found = ratios(bucket)
    assert set(found) == {("confirms", RABBITMQ), ("confirms", SQS)}
    row = found["confirms", RABBITMQ]
    ratio, low, high = ratio_interval(CONFIRMED, PLAIN)
    assert row["ratio"] == pytest.approx(ratio, rel=1e-9)
    assert row["interval_low"] == pytest.approx(low, rel=(high / low) ** TABLED - 1)
    assert row["interval_high"] == pytest.approx(high, rel=(high / low) ** TABLED - 1)
    assert row["ratio"] == pytest.approx(row["msg_per_s"] / row["base_msg_per_s"])
    assert (row["verdict"], row["metric"], row["repeats"], row["base_repeats"]) == ("lower", "consume", 3, 3)
    beside = found["confirms", SQS]
    assert (beside["verdict"], beside["provenance"]) == ("no difference shown", "emulated")


def test_what_has_no_consumers_is_compared_by_what_it_sends(bucket: Bucket) -> None:
    measured(bucket, "plain", {RABBITMQ: PLAIN})
    put(bucket, {("c", RABBITMQ): [2000.0, 2010.0, 1990.0]}, name="x", scenario="plain", base="plain")
    assert ratios(bucket) == {}
    measured(bucket, "publish-only", {RABBITMQ: [3000.0, 3300.0]}, consumers=0)
    row = ratios(bucket)["publish-only", RABBITMQ]
    assert (row["metric"], row["verdict"]) == ("produce", "not comparable")


def test_once_is_not_enough_and_a_base_that_failed_leaves_no_ratio(bucket: Bucket) -> None:
    measured(bucket, "confirms", {RABBITMQ: [600.0]})
    measured(bucket, "plain", {RABBITMQ: [1000.0]})
    row = ratios(bucket)["confirms", RABBITMQ]
    assert (row["ratio"], row["interval_low"]) == (pytest.approx(0.6), None)
    assert row["verdict"] == "not enough repeats"
    measured(bucket, "plain", {RABBITMQ: [1000.0]}, status="failed")
    row = ratios(bucket)["confirms", RABBITMQ]
    assert (row["ratio"], row["base_repeats"], row["verdict"]) == (None, 0, "not enough repeats")


def test_a_suite_without_a_base_compares_nothing(bucket: Bucket) -> None:
    measured(bucket, "plain", {RABBITMQ: PLAIN}, base=None)
    measured(bucket, "confirms", {RABBITMQ: CONFIRMED}, base=None)
    assert bucket.ask("base_ratios") == []


def test_what_a_source_published_is_left_out(bucket: Bucket) -> None:
    measured(bucket, "plain", {RABBITMQ: PLAIN})
    measured(bucket, "confirms", {RABBITMQ: CONFIRMED}, provenance="published")
    assert ratios(bucket) == {}
