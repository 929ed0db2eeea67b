"""A slower volume or network is among what changed between two runs, from a factor of two on."""

from __future__ import annotations

import pytest

from breakeven.report.contract.node_model import SurveyedLink, SurveyedNode, SurveyedTimes
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import drift_between
from breakeven.report.drift.survey_changes import survey_changes
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import run_of

TARGET = sample.RABBITMQ


def times(p50_ms: float) -> SurveyedTimes:
    return SurveyedTimes(count=10, p50_ms=p50_ms, p99_ms=10 * p50_ms)


def report(*syncs: float, round_trip: float = 0.2, rate: float = 600e6) -> Report:
    """Of nodes with these times of a write, and of a connection of the first."""
    link = SurveyedLink(peer="n1", round_trip=times(round_trip), bytes_per_s=rate)
    surveys = [
        SurveyedNode(target=TARGET, node=f"n{n}", sync=times(sync), links=[] if n else [link])
        for n, sync in enumerate(syncs)
    ]
    return sample.report().model_copy(update={"surveys": surveys})


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (report(0.4, 0.79, 9.0), []),
        (report(0.4, 0.8, 9.0), [f"synchronized write.{TARGET}: 0.400 ms → 0.800 ms"]),
        (report(0.2), [f"synchronized write.{TARGET}: 0.400 ms → 0.200 ms"]),
        (report(0.4, round_trip=0.4), [f"round trip between nodes.{TARGET}: 0.200 ms → 0.400 ms"]),
        (report(0.4, rate=299e6), [f"rate between nodes.{TARGET}: 600 MB/s → 299 MB/s"]),
        (sample.report(), []),
    ],
)
def test_twice_as_much_is_named_by_the_median_of_the_nodes_and_less_is_not(after, said):
    assert [one.describe() for one in survey_changes(report(0.4), after)] == said


def test_it_stands_with_what_else_changed_between_the_runs():
    before, after = (
        run_of(name, number).model_copy(update={"surveys": report(sync).surveys})
        for name, number, sync in (("a", 1, 0.4), ("b", 2, 4.0))
    )
    assert [one.after for one in drift_between(before, after).changes] == ["4.00 ms"]
