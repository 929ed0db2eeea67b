"""The time left moves while a case runs."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from breakeven.results.items import case_item
from cli.running.progress import snapshot
from tests.fixtures.report import sample

CASES = sample.planned()[:3]
EACH_S = CASES[0].expected_s
BEGAN = datetime.fromisoformat("2026-11-20T00:00:00+00:00")


@pytest.mark.parametrize(
    ("after_s", "left_s"), [(0, 2 * EACH_S), (3, 2 * EACH_S - 3), (99, EACH_S), (-5, 2 * EACH_S)]
)
def test_a_case_under_way_counts_down_and_never_below_those_to_come(after_s: float, left_s: float) -> None:
    """A clock that is behind the function's, or a case that takes longer, adds and takes nothing."""
    items = {
        case_item(CASES[0].case_id): {"status": "ok"},
        case_item(CASES[1].case_id): {"status": "running", "attempt": 1, "started_at": BEGAN.isoformat()},
    }
    assert snapshot(items, CASES, BEGAN + timedelta(seconds=after_s)).seconds_left == left_s
