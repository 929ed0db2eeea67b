"""The paused broker of the benchmarks: its ratios are of the same run, and every run has to meet a goal."""

from __future__ import annotations

from bench.measured import Percentiles
from bench.pause import Paused, in_words


def paused(response_p99: float, response_p999: float, service_p99: float, pause_s: float = 1.0) -> Paused:
    """Milliseconds."""
    response = Percentiles(1e3, response_p99 * 1e3, response_p999 * 1e3)
    return Paused(pause_s, response, Percentiles(1e3, service_p99 * 1e3))


def test_ratios_are_of_the_pause_as_it_was_and_of_the_same_run() -> None:
    found = paused(400, 940, 10, pause_s=1.25)
    assert (found.of_pause, found.of_response) == (0.752, 0.025)


def test_a_goal_is_met_when_every_run_meets_it() -> None:
    good, slow = paused(500, 950, 10), paused(500, 940, 40)
    _, rows, verdicts, _ = in_words([good, good])
    assert "| 1,000 | 500.0 | 950.0 | 10.0 | 0.950 | 0.020 |" in rows
    assert verdicts.count("**met** (2 of 2 runs)") == 2
    _, _, verdicts, _ = in_words([good, slow])
    assert "goal at least 0.93: **met** (2 of 2 runs)" in verdicts
    assert "0.020 to 0.080; goal under 0.05: **not met** (1 of 2 runs)" in verdicts


def test_what_was_never_that_slow_meets_nothing() -> None:
    """With too few samples for a p99.9 there is none."""
    found = Paused(1.0, Percentiles(1e3, 4e5), Percentiles(1e3, 1e4))
    assert "goal at least 0.93: **not met** (0 of 1 runs)" in in_words([found])[2]
