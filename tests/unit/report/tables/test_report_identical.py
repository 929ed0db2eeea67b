"""Cases of one run that did the same work: found by their parameters, and their spread told."""

from __future__ import annotations

import pytest

from breakeven.report.contract.report_model import CaseReport, Metric
from breakeven.report.sections.subject import Subject
from breakeven.report.sections.trust.repeats import section
from breakeven.report.tables.identical_cases import table
from tests.fixtures.report import sample

ONE, OTHER = ("parallel", "threads=5"), ("size", "size=1KiB")


def with_rates(*rates: float, **changed) -> list[CaseReport]:
    """The two identical cases of the sample's SQS, with these rates and other fields."""
    cases = [
        case
        for case in sample.report().cases
        if case.target == sample.SQS and (case.scenario, case.cell) in {ONE, OTHER}
    ]
    assert len(cases) == 2
    return [
        _with_rate(case, rate).model_copy(update=changed) for case, rate in zip(cases, rates, strict=True)
    ]


def _with_rate(case: CaseReport, rate: float) -> CaseReport:
    def at(metric: Metric | None) -> Metric | None:
        return metric and metric.model_copy(update={"msg_per_s": rate})

    return case.model_copy(update={"produce": at(case.produce), "consume_cycle": at(case.consume_cycle)})


def test_cases_of_the_same_work_stand_side_by_side():
    produce, cycle = table(with_rates(1000, 1050)).rows
    assert produce.labels == ("parallel, 5 threads = size, 1 KiB", "SQS standard")
    assert produce.cells == ("1,000, 1,050", "4.9%")
    assert (produce.section, cycle.section) == ("Produce", "Consume cycle")


@pytest.mark.parametrize(("rate", "flagged"), [(1105, False), (1106, True)])
def test_a_spread_of_more_than_a_tenth_is_flagged(rate, flagged):
    produce, _ = table(with_rates(1000, rate)).rows
    assert produce.cells[1].endswith(", over 10%") == flagged


@pytest.mark.parametrize(
    "changed",
    [
        {"status": "failed"},
        {"provenance": "published"},
        {"produce": None, "consume_cycle": None, "consume": None},
    ],
)
def test_what_was_not_measured_is_compared_with_nothing(changed):
    whole = with_rates(1000, 2000)
    assert not table([whole[0], whole[1].model_copy(update=changed)]).rows


def test_cases_that_differ_in_anything_are_not_identical():
    first, second = with_rates(1000, 2000)
    longer = second.model_copy(update={"parameters": second.parameters | {"measure_s": 99}})
    assert not table([first, longer]).rows
    assert not table([first, second.model_copy(update={"target": sample.RABBITMQ})]).rows
    # repeats of one cell have a table of their own
    again = first.model_copy(update={"case_id": "again", "repeat": 2})
    assert not table([first, again]).rows


def test_the_section_of_repeats_has_them():
    found = section(Subject(sample.report(), None, with_charts=False))
    assert found
    assert "identical-cases" in {getattr(part, "slug", None) for part in found.parts}
