"""Open loops over time: rate, backlog and latency of each full second of the measured stage."""

from __future__ import annotations

import json
from math import isnan
from typing import Any

from breakeven.report.charts.open_loops import course_of, open_loops
from breakeven.report.contract.report_model import Report
from tests.fixtures.report import sample
from tests.fixtures.report.courses import rate_row

PLAN = sample.planned((sample.RABBITMQ,))[1:2]
OPEN = {"mode": "parallel", "rate": 10.0, "arrivals": "constant", "measure_s": 3.5, "confirms": True}


def point(stage: str, metric: str, second: int, msg_per_s: float, **latency: float) -> dict[str, Any]:
    return rate_row(PLAN[0].case_id, metric, second, msg_per_s, stage, **latency)


#: 2 messages wait when the stage begins; in its second second nothing comes, and then what waited
RATES = [
    *(point("warmup", "produce", second, 10) for second in (0, 1)),
    *(point("warmup", "consume", second, 9) for second in (0, 1)),
    *(point("measure", "produce", second, 10, mean_ms=1.5, max_ms=2.5) for second in range(4)),
    *(point("measure", "consume", second, rate) for second, rate in enumerate((10, 0, 21, 5))),
    point("measure", "end_to_end", 0, 10, mean_ms=3.0, max_ms=9.0),
    point("measure", "end_to_end", 2, 21, mean_ms=700.0, max_ms=1400.0),
]


def report(rates: list[dict[str, Any]] | None = None, **parameters: Any) -> Report:
    rows = [row | {"parameters": json.dumps(OPEN | parameters)} for row in sample.answers(PLAN).cases]
    return sample.report(PLAN, cases=rows, rate_over_time=RATES if rates is None else rates)


def test_each_full_second_has_rate_backlog_and_latency() -> None:
    made = report()
    course = course_of(made.cases[0], made.rates)
    assert course
    assert course.sent == [10, 10, 10]
    assert course.received == [10, 0, 21]
    assert course.backlog == [2, 12, 1]
    assert (course.latency_of, course.mean_ms[0], course.max_ms[2]) == ("end_to_end", 3.0, 1400.0)
    assert isnan(course.mean_ms[1]), "nothing came"


def test_the_chart_says_in_words_what_it_shows() -> None:
    (chart,) = open_loops(report())
    assert chart.scenario == "parallel"
    assert "backlog at the end 1.00, longest latency 1,400 ms" in chart.wide
    assert "Backlog" in chart.narrow


def test_without_end_to_end_the_latency_is_that_of_the_sends() -> None:
    made = report([row for row in RATES if row["metric"] != "end_to_end"])
    course = course_of(made.cases[0], made.rates)
    assert course
    assert (course.latency_of, course.mean_ms) == ("produce", [1.5, 1.5, 1.5])


def test_closed_loops_and_runs_without_rates_have_none() -> None:
    assert list(open_loops(report(rate=None))) == []
    assert list(open_loops(report([]))) == []
