"""When a probe's rate was held, at the bounds that rule 10 of docs/rules.md names."""

from __future__ import annotations

import pytest

from breakeven.loadgen.record.delay_trend import Slope
from breakeven.loadgen.search.judgement import _reason

RATE, OFFERED, OBJECTIVE_MS = 1000.0, 10_000, 100.0


@pytest.mark.parametrize(
    ("achieved", "estimate", "high", "p99_ms", "said"),
    [
        (9_900, 0.0, 5.0, 100.0, None),
        (9_899, 0.0, 5.0, 100.0, "9899 of 10000 messages that were due were taken"),
        (OFFERED, 0.0, 5.1, 1.0, "by 5.1 messages a second (upper 95% bound); a longer measure_s"),
        (OFFERED, 5.1, 6.0, 1.0, "by 6.0 messages a second (upper 95% bound)"),
        (OFFERED, -9.0, -1.0, 100.1, "p99 end to end is 100.1 ms, the objective 100 ms"),
        (OFFERED, 0.0, 0.0, None, "p99 end to end is not known"),
    ],
)
def test_a_rate_is_held_up_to_the_bounds_and_no_further(
    achieved: int, estimate: float, high: float, p99_ms: float | None, said: str | None
) -> None:
    found = _reason(RATE, OFFERED, achieved, Slope(estimate, high), p99_ms, OBJECTIVE_MS)
    assert (found is None) == (said is None)
    assert (said or "") in (found or "")


def test_the_estimate_within_its_bound_is_no_clear_growth_and_the_estimate_beyond_it_is() -> None:
    unclear, clear = (
        str(_reason(RATE, OFFERED, OFFERED, Slope(estimate, 9.0), 1.0, OBJECTIVE_MS))
        for estimate in (5.0, 5.01)
    )
    assert unclear.endswith("a longer measure_s tells more closely")
    assert clear.endswith("(upper 95% bound)")


def test_of_too_few_messages_nothing_is_held() -> None:
    assert "too few messages" in str(_reason(RATE, OFFERED, OFFERED, None, 1.0, OBJECTIVE_MS))
