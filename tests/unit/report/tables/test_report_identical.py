"""Cases of one run that did the same work: found by their parameters, and their spread told."""

from __future__ import annotations

import math

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
    assert produce.cells == ("1,000, 1,050", "4.9%", "–", "–")
    assert (produce.section, cycle.section) == ("Produce", "Consume cycle")


@pytest.mark.parametrize(("rate", "flagged"), [(1105, False), (1106, True)])
def test_without_other_identical_cases_a_spread_of_more_than_a_tenth_is_flagged(rate, flagged):
    produce, _ = table(with_rates(1000, rate)).rows
    assert produce.cells[1].endswith(", over 10%") == flagged


def pair(size: int, rates: tuple[float, float], **loaders) -> list[CaseReport]:
    """Two cases that are identical with one another, and with no others."""
    return [
        case.model_copy(
            update={
                "case_id": f"{size}-{number}",
                "parameters": case.parameters | {"message_bytes": size},
                "loaders": case.loaders.model_copy(update=loaders),
            }
        )
        for number, case in enumerate(with_rates(*rates))
    ]


# the others are 3% and 5% apart: variances of their logarithms, pooled over two degrees of freedom, and
# Student's t of two, 4.3027
DEVIATION = math.sqrt((math.log(1.03) ** 2 + math.log(1.05) ** 2) / 4)
CHANCE = math.exp(4.3027 * DEVIATION * math.sqrt(2))


@pytest.mark.parametrize(("apart", "flagged"), [(CHANCE - 0.001, False), (CHANCE + 0.001, True)])
def test_a_spread_is_flagged_that_the_others_variation_does_not_explain(apart, flagged):
    others = [*pair(1, (1000, 1030)), *pair(2, (5000, 5250))]
    produce, cycle = table([*pair(3, (100, 100 * apart)), *others]).rows[:2]
    assert produce.cells[1].endswith(", beyond chance") == flagged
    assert cycle.cells[1] == produce.cells[1]
    assert produce.cells[2] == "17%"


def test_chance_is_that_of_the_same_target():
    rabbitmq = [
        case.model_copy(update={"target": sample.RABBITMQ})
        for case in [*pair(1, (1000, 2000)), *pair(2, (1000, 2000))]
    ]
    produce = table([*pair(3, (100, 104)), *rabbitmq]).rows[0]
    assert produce.cells[1:3] == ("3.9%", "–")


def test_of_each_target_the_interval_of_a_rate_that_was_measured_once_is_said():
    notes = table([*pair(1, (1000, 1030)), *pair(2, (5000, 5250))]).notes
    assert notes[1:] == (
        "SQS standard: if other cells vary as its identical cases do, a rate that was measured once is "
        f"within a factor of {math.exp(4.3027 * DEVIATION):.2f} of what it would be on average (95%).",
    )
    assert not table(pair(1, (1000, 1030))).notes[1:]


def test_of_more_rates_than_two_chance_explains_more():
    others = [*pair(1, (1000, 1030)), *pair(2, (5000, 5250))]
    three = [*pair(3, (100, 110)), pair(3, (105, 1))[0].model_copy(update={"cell": "third"})]
    # of three pairs each at 0.05 / 3 beyond: Student's t of two is 7.649
    produce = table([*three, *others]).rows[0]
    by_chance = math.exp(7.649 * DEVIATION * math.sqrt(2))
    assert produce.cells[2] == f"{200 * (by_chance - 1) / (by_chance + 1):.0f}%"


def test_rates_that_hardly_vary_make_no_spread_of_a_hundredth_stand_out():
    others = [*pair(1, (1000, 1001)), *pair(2, (500, 500.5))]
    produce = table([*pair(3, (100, 100.6)), *others]).rows[0]
    assert produce.cells[1] == "0.60%"


def test_what_follows_an_offered_rate_says_nothing_of_chance():
    offered = [
        case.model_copy(update={"parameters": case.parameters | {"rate": 100.0}})
        for case in [*pair(1, (1000, 1001)), *pair(2, (500, 500.5))]
    ]
    rows = table([*pair(3, (100, 104)), *offered]).rows
    assert {row.cells[2] for row in rows} == {"–"}


def test_what_the_same_work_took_stands_beside_the_rates():
    fast, slow = pair(1, (1000, 700), work_before_ms=[0.7], work_after_ms=[0.72])
    slow = slow.model_copy(
        update={"loaders": slow.loaders.model_copy(update={"work_before_ms": [0.98], "work_after_ms": [1.0]})}
    )
    assert table([fast, slow]).rows[0].cells[3] == "0.710, 0.990"


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
