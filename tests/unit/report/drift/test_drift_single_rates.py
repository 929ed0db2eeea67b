"""What rates measured once are worth, by how two runs' rates of the same cells differ."""

from __future__ import annotations

import math
import random
from statistics import fmean

import pytest

from breakeven.report.drift.drift import drift_between
from breakeven.report.drift.single_rates import SingleRates, rate_sentences, single_rates
from tests.fixtures.report import sample

#: Student's t for 95% at one and two degrees of freedom less than cells, from a table
T = {2: 4.303, 3: 3.182}
SQS, PAIR = "sqs-standard", "rabbitmq-mirrored-pair"


def found_of(factors: list[float], rate: float | None = None) -> list[SingleRates]:
    """Of two runs of one cell each factor, which the second run's rate is of the first's."""
    before, after = (sample.report(sample.planned()[:1]) for _ in range(2))
    (case,) = before.cases
    assert case.produce
    cells = [f"threads={number}" for number in range(len(factors))]
    parameters = case.parameters | {"rate": rate}

    def run(run_id: str, rates: list[float]):
        cases = [
            case.model_copy(
                update={
                    "cell": cell,
                    "parameters": parameters,
                    "produce": case.produce.model_copy(update={"msg_per_s": each}),
                }
            )
            for cell, each in zip(cells, rates, strict=True)
        ]
        return before.model_copy(update={"run_id": run_id, "cases": cases})

    first, after = run("a", [1000.0] * len(factors)), run("b", [1000.0 * each for each in factors])
    drift = drift_between(first, after)
    assert len(rate_sentences(drift, after)) == len(single_rates(drift, after))
    return single_rates(drift, after)


@pytest.mark.parametrize("factors", [[1.1, 0.9, 1.05], [1.3, 1.0, 0.8, 1.1]])
def test_the_factor_is_that_of_one_rate_whose_differences_are_these(factors: list[float]) -> None:
    (found,) = found_of(factors)
    logs = [math.log(each) for each in factors]
    squares = sum((each - fmean(logs)) ** 2 for each in logs)
    deviation = math.sqrt(squares / (len(logs) - 1) / 2)
    assert found.factor == pytest.approx(math.exp(T[len(logs) - 1] * deviation), rel=1e-3)
    assert found.cells == len(factors)
    assert found.apart == ()


def test_that_one_run_is_faster_throughout_is_no_variation_of_its_cells() -> None:
    (still,), (faster,) = found_of([1.1, 0.9, 1.05]), found_of([2.2, 1.8, 2.1])
    assert faster.factor == pytest.approx(still.factor)


def test_a_cell_that_is_further_apart_than_the_others_is_named() -> None:
    (found,) = found_of([1.0, 1.01, 0.99, 1.01, 0.99, 1.0, 1.02, 0.98, 1.0, 1.5])
    assert [figure.cell for figure in found.apart] == ["threads=9"]


@pytest.mark.parametrize("factors", [[1.1, 0.9], [1.1]])
def test_of_too_few_cells_nothing_is_said(factors: list[float]) -> None:
    assert found_of(factors) == []


def test_rates_that_were_offered_say_nothing() -> None:
    assert found_of([1.1, 0.9, 1.05], rate=1000.0) == []


def test_of_rates_that_vary_by_chance_as_many_are_within_the_factor_as_it_says() -> None:
    dice, within, drawn = random.Random(7), 0, 0
    for _ in range(60):
        means = [1.0] * 13
        first, second = ([dice.gauss(0, 0.08) for _ in means] for _ in range(2))
        (found,) = found_of([math.exp(b - a) for a, b in zip(first, second, strict=True)])
        within += sum(abs(each) <= math.log(found.factor) for each in first)
        drawn += len(first)
    assert within / drawn == pytest.approx(0.95, abs=0.02)
