"""Charts over threads or sizes: of scenarios that vary nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.charts.sweep import sweeps
from tests.fixtures.report import sample
from tests.support.cases import case_with, workload_with


def charts(*varied: dict[str, Any], targets: tuple[Any, ...] = (sample.RABBITMQ,)) -> list[str]:
    """The slugs of those of a scenario of three numbers of threads, each with these fields."""
    plan = tuple(
        case_with(
            workload_with(producers=threads, consumers=threads, **fields),
            case_id=f"parallel.{number}.{target}.r1.{threads}",
            scenario="parallel",
            cell=f"threads={threads}",
            target=target,
        )
        for threads in (1, 5, 10)
        for number, fields in enumerate(varied)
        for target in targets
    )
    return [chart.slug for chart in sweeps(sample.report(plan), None)]


def test_a_scenario_that_varies_threads_alone_has_one() -> None:
    assert charts({}) == ["rate-by-producers-1"]
    assert charts({"prefill": 500}) == ["rate-by-producers-1"]


@pytest.mark.parametrize(
    "other", [{"prefill": 500}, {"connect_to": "leader"}, {"queue_mode": "lazy"}, {"prefetch": 5}]
)
def test_a_scenario_that_varies_something_else_beside_them_has_none(other: dict[str, Any]) -> None:
    assert charts({}, other) == []
