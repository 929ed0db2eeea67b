"""``cheapest_size.sql`` by hand: clusters that hold a rate, their dollars, and a target's cheapest size."""

from __future__ import annotations

from pathlib import Path

import pytest
from gmpy2 import mpq as F

from tests.support.money.cost_curves import Line, Option, Price
from tests.support.money.cost_questions import Question, flat, put
from tests.support.money.query_tables import Bucket

HOURS = F(730)
HELD = (100, 1000, 3000, 10_000, 30_000, 100_000)


def size(name: str, usd: int, msg_per_s: int | None) -> Option:
    """A size whose cluster costs so many dollars a month and holds so many messages a second."""
    line = Line("instances", flat(usd), per_cluster=F(1))
    capacity = None if msg_per_s is None else F(msg_per_s) * 3600 * HOURS
    return Option(name, "self-hosted", (line,), messages_per_cluster=capacity)


@pytest.fixture
def rows(tmp_path: Path):
    bucket = Bucket(tmp_path)

    def ask(*sizes: Option, purpose: str = "board"):
        put(bucket, [Question("board", tuple(sizes), HOURS, purpose=purpose)])
        return {(row["option_id"], round(row["msg_per_s"])): row for row in bucket.ask("cheapest_size")}

    return ask


def test_a_rate_takes_as_many_clusters_as_hold_it_and_the_cheapest_size_is_named(rows):
    found = rows(size("m7g.large", 120, 2000), size("m7g.xlarge", 230, 5000))
    assert {rate for _, rate in found} == set(HELD)
    by_hand = {
        # rate: clusters and dollars of the large, and of the xlarge
        1000: (1, 120, 1, 230),
        3000: (2, 240, 1, 230),
        10_000: (5, 600, 2, 460),
        30_000: (15, 1800, 6, 1380),
    }
    for rate, (clusters, usd, other_clusters, other_usd) in by_hand.items():
        large, xlarge = found["m7g.large", rate], found["m7g.xlarge", rate]
        assert (large["clusters"], xlarge["clusters"]) == (clusters, other_clusters)
        assert (large["usd"], xlarge["usd"]) == (pytest.approx(usd), pytest.approx(other_usd))
        assert large["usd_per_1000_msg_per_s"] == pytest.approx(usd / rate * 1000)
        assert (large["cheapest"], xlarge["cheapest"]) == (usd < other_usd, other_usd < usd)


def test_the_2020_articles_measure_is_reproduced(rows):
    """7 nodes for 30,000 msg/s at $54 for each 1,000: a cluster of $1,620 that holds just that."""
    found = rows(size("7 x c5.2xlarge", 1620, 30_000))["7 x c5.2xlarge", 30_000]
    assert (found["clusters"], found["usd_per_1000_msg_per_s"]) == (1, pytest.approx(54))


def test_of_equal_dollars_the_size_with_fewer_clusters_is_the_cheapest(rows):
    found = rows(size("a", 100, 1500), size("b", 200, 3000))
    assert (found["a", 3000]["usd"], found["b", 3000]["usd"]) == (pytest.approx(200), pytest.approx(200))
    assert (found["a", 3000]["cheapest"], found["b", 3000]["cheapest"]) == (False, True)


def test_a_size_without_a_capacity_and_other_questions_are_not_on_the_board(rows):
    assert {name for name, _ in rows(size("a", 100, 1500), size("unknown", 1, None))} == {"a"}
    assert rows(size("a", 100, 1500), purpose="headline") == {}


def test_a_price_that_ends_leaves_the_rates_above_it_out(rows):
    ends = Line("metrics", Price(((F(3), F(1)),)), per_cluster=F(1))
    found = rows(Option("a", "self-hosted", (ends,), messages_per_cluster=F(1000) * 3600 * HOURS))
    assert {rate for _, rate in found} == {100, 1000, 3000}
