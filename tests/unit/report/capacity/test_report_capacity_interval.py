"""The interval of a capacity: what the repeats held, and the rate that failed in the best of them."""

from __future__ import annotations

from random import Random
from statistics import median

import pytest

from breakeven.report.contract.report_model import CaseReport
from breakeven.report.money.capacity_interval import CapacityInterval, interval_of
from tests.fixtures.report import sample
from tests.support.loaders.probes import reported as probe


def searched(held: float, failed: float | None, *flags: str) -> CaseReport:
    probes = [probe(held, held=True), *([probe(failed, held=False)] if failed else [])]
    return sample.report().cases[0].model_copy(update={"probes": probes, "flags": list(flags)})


def test_of_repeats_it_is_their_range_and_never_a_share_of_their_mean() -> None:
    found = interval_of([searched(1851, 1920), searched(406, 420)])
    assert found == CapacityInterval(406, 1920, 2)
    assert found.describe() == (
        "406 to 1,920 msg/s (the range of 2 repeats, which has the median with 50% probability)"
    )


def test_measured_once_it_is_the_resolution_of_the_search() -> None:
    found = interval_of([searched(1000, 1043)])
    assert (found.low, found.high) == (1000, 1043)
    assert found.describe() == "1,000 to 1,040 msg/s (measured once: the search's own resolution, 4.3%)"


@pytest.mark.parametrize("bound", [searched(1000, None), searched(1000, 1043, "loader_saturated")])
def test_it_has_no_upper_end_where_a_loader_or_the_search_was_the_limit(bound: CaseReport) -> None:
    assert interval_of([bound]).describe() == "from 1,000 msg/s up, as no upper end was found (measured once)"
    assert interval_of([bound, searched(1300, 1350)]) == CapacityInterval(1000, None, 2)


@pytest.mark.parametrize(("repeats", "stated"), [(2, 0.5), (3, 0.75), (5, 0.9375)])
def test_it_has_the_median_as_often_as_it_says(repeats: int, stated: float) -> None:
    """Of a skewed quantity whose median is known: 2,000 less a disturbance that is exponential."""
    dice, trials = Random(7), 4000
    held = [[2000 - dice.expovariate(1) * 300 for _ in range(repeats)] for _ in range(trials)]
    middle = median(rate for each in held for rate in each)
    within = sum(min(each) <= middle <= max(each) for each in held) / trials
    assert within == pytest.approx(stated, abs=0.02)
    said = CapacityInterval(1, 2, repeats).describe()
    assert f"{stated:.0%} probability" in said


@pytest.mark.parametrize(
    ("low", "words"), [(406.0, "the interval that was measured"), (None, "a quarter less to a quarter more")]
)
def test_what_a_crossing_spans_is_said_of_the_capacity_that_was_priced(low: float | None, words: str) -> None:
    question = sample.report().cost_questions[0]
    asked = {"capacity_msg_per_s": 1128.5, "capacity_low_msg_per_s": low, "capacity_high_msg_per_s": 1920.0}
    update = {"inputs": question.inputs | asked, "uncertain": ["capacity"]}
    assert question.model_copy(update=update).uncertain_words() == f"cluster capacity ({words})"
