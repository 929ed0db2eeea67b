"""The last comparable run of a suite: found in any order and held against, or why there is none."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

import pytest

from breakeven import words
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.comparable_runs import NONE_OK, NOT_READ, SuiteRun, latest_of_each, suite_run
from breakeven.report.drift.drift_builder import FIRST, TRIED, drift_since_last
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.render.report_files import render_all
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import monthly, plan_document
from tests.fixtures.report.html import parse, text

SLOWER = {sample.RABBITMQ: 1.25}
RELEASE = {"manifest": sample.manifest().model_copy(update={"rabbitmq": "RabbitMQ 4.3.6, Erlang 29.1"})}


def known(report: Report, **changed: Any) -> SuiteRun:
    return suite_run(plan_document(**changed), report)


def drift_of(report: Report, *earlier: Report, **changed: Any) -> DriftReport:
    """Of the report since the last of these; ``changed``: of their plans."""
    reports = {each.run_id: each for each in earlier}
    runs = [known(each, **changed) for each in earlier]
    return drift_since_last(known(report), report, runs, reports.get)


def test_the_last_run_is_held_against_whatever_order_they_are_known_in() -> None:
    first, second, third = (monthly(month) for month in (1, 2, 3))
    for order in ((first, second), (second, first)):
        found = drift_of(third, *order)
        assert (found.since, found.date) == ("m2", "2026-02-01")
    assert drift_of(third, second) == drift_of(third, first, second)


def test_a_broker_slowed_by_a_fifth_is_named_with_the_release_and_nothing_else() -> None:
    found = drift_of(monthly(2, SLOWER, **RELEASE), monthly(1))
    assert {one.target for one in found.shifts} == {sample.RABBITMQ}
    assert {(one.metric, one.figure) for one in found.shifts} >= {("produce", "msg_per_s")}
    assert {one.target for one in found.moves} <= {sample.RABBITMQ}
    assert [one.field for one in found.changes] == ["rabbitmq"]
    assert found.summary.startswith("Since run m1 of 2026-01-01 the ")
    assert "RabbitMQ mirrored pair, over 12 cells," in found.summary
    assert found.summary.endswith("moved. What changed around it: rabbitmq.")


def test_where_nothing_moved_that_is_the_summary() -> None:
    found = drift_of(monthly(4), monthly(3))
    assert found.summary == (
        "Since run m3 of 2026-03-01 no figure moved beyond chance. "
        "Software, machine, suite and prices are as before."
    )


def test_a_later_run_and_the_run_itself_are_no_earlier_ones() -> None:
    assert drift_of(monthly(1), monthly(1), monthly(2)).summary == FIRST


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        ({"scale": 0.1}, "the scale is 0.1, here 1"),
        ({"region": "eu-west-1"}, "the region is eu-west-1, here us-east-1"),
        ({"variant": "as-published"}, "the variant is as-published, here equal-guarantees"),
        (
            {"cases": [case.model_dump(mode="json") for case in sample.planned((sample.SQS,))]},
            "the targets are SQS standard, here RabbitMQ mirrored pair and SQS standard",
        ),
        (
            {"cases": [case.model_dump(mode="json") for case in sample.planned()[:2]]},
            "the sizes are 1 KiB, here 16 B, 1 KiB and 64 KiB",
        ),
    ],
)
def test_why_the_nearest_is_not_comparable_is_said(changed: dict[str, Any], difference: str) -> None:
    found = drift_of(monthly(2), monthly(1), **changed)
    assert found.since is None
    assert found.nearest
    assert (found.nearest.run_id, found.nearest.differences) == ("m1", [difference])
    assert found.summary.endswith(f"The nearest is m1 of 2026-01-01: {difference}.")


def test_the_nearest_has_the_fewest_differences_and_is_the_latest_of_those() -> None:
    own, reports = monthly(5), [monthly(month) for month in (1, 2, 3)]
    runs = [
        known(reports[0], scale=0.5),
        known(reports[1], scale=0.1),
        known(reports[2], scale=0.1, region="eu-west-1"),
    ]
    found = drift_since_last(known(own), own, runs, lambda _: None)
    assert found.nearest
    assert found.nearest.run_id == "m2"


def test_a_run_of_which_no_case_is_ok_is_passed_over() -> None:
    failed = monthly(2)
    cases = [case.model_copy(update={"status": "failed"}) for case in failed.cases]
    failed = failed.model_copy(update={"cases": cases})
    assert drift_of(monthly(3), monthly(1), failed).since == "m1"
    lone = drift_of(monthly(3), failed)
    assert lone.nearest
    assert lone.nearest.differences == [NONE_OK]


def test_a_report_that_is_gone_is_passed_over_and_said_where_it_is_the_only_one() -> None:
    own, runs = monthly(3), [known(monthly(1)), known(monthly(2))]
    left = {"m1": monthly(1)}
    assert drift_since_last(known(own), own, runs, left.get).since == "m1"
    gone = drift_since_last(known(own), own, runs, lambda _: None)
    assert gone.nearest
    assert gone.nearest.differences == [NOT_READ]


def test_of_many_runs_the_latest_of_each_configuration_are_enough() -> None:
    own, reports = monthly(9), {f"m{month}": monthly(month) for month in range(1, 9)}
    runs = [known(report, scale=1.0 if number % 2 else 0.5) for number, report in enumerate(reports.values())]
    few = latest_of_each(runs, TRIED)
    assert len(few) == 2 * TRIED
    assert drift_since_last(known(own), own, few, reports.get) == drift_since_last(
        known(own), own, runs, reports.get
    )


def section_of(report: Report) -> Element:
    (found,) = [one for one in parse(page(report, None)).iter("section") if one.get("id") == "drift"]
    return found


@pytest.mark.usefixtures("undrawn")
def test_page_and_markdown_have_the_section_with_the_manifests_changes_first() -> None:
    report = monthly(2, SLOWER, **RELEASE)
    report = report.model_copy(update={"drift": drift_of(report, monthly(1))})
    for said in (text(section_of(report)), markdown(report, None)):
        assert "Drift since run m1 of 2026-01-01" in said
        wanted = ("RabbitMQ 4.3.6", "Moved beyond chance: ", "Figures that moved over all cells of a target")
        places = [said.index(words) for words in wanted]
        assert places == sorted(places)


@pytest.mark.usefixtures("undrawn")
def test_where_nothing_moved_the_section_has_the_figures_of_both_runs_folded() -> None:
    report = monthly(4)
    found = drift_of(report, monthly(3))
    report = report.model_copy(update={"drift": found})
    (fold,) = section_of(report).iter("details")
    (table,) = fold.iter("table")
    assert len(list(table.iter("tr"))) == 1 + len(found.unmoved)
    assert len(found.unmoved) == found.figures > 50
    first = found.unmoved[0]
    assert text(list(table.iter("tr"))[1]).count(words.change(first.ratio)) == 1
    assert first.before_interval
    assert first.before_interval[0] < first.before < first.before_interval[1]
    assert "none of them is a finding" in text(fold)
    assert "### Figures of both runs, none of which moved" in markdown(report, None)
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.usefixtures("undrawn")
def test_where_something_moved_the_section_has_what_moved_alone() -> None:
    report = monthly(2, SLOWER)
    found = drift_of(report, monthly(1))
    assert found.unmoved == []
    section = section_of(report.model_copy(update={"drift": found}))
    assert list(section.iter("details")) == []
    assert "none of which moved" not in text(section)


@pytest.mark.usefixtures("undrawn")
def test_without_a_comparable_run_the_section_says_so_and_all_else_is_as_it_was() -> None:
    report = sample.report()
    plain = render_all(report)
    with_it = render_all(report.model_copy(update={"drift": drift_of(report)}))
    assert "Drift" not in plain["report.md"].decode()
    assert plain["cases.csv"] == with_it["cases.csv"]
    found = with_it["report.md"].decode()
    for added in (f"## Drift\n\n{FIRST}\n\n", f" {FIRST}"):
        assert found.count(added) == 1
        found = found.replace(added, "")
    assert found == plain["report.md"].decode()
    assert b'"drift": null' in plain["report.json"]
    assert FIRST in text(section_of(report.model_copy(update={"drift": drift_of(report)})))
