"""Repeats and comparisons in the report: as the queries answer, in JSON, on the page and in Markdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from breakeven.report.contract.report_model import Comparison, Report
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.trust.repeats import (
    ONCE,
    comparison_table,
    finding,
    measured_once,
    repeats_table,
)
from breakeven.words import figure
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse, text
from tests.support.money.query_tables import Bucket
from tests.support.money.repeated_cases import RABBITMQ, SQS, interval, put, ratio_interval, rounded

STEADY, OTHER = rounded([1000, 1010, 990]), rounded([503, 509, 494])
WILD = rounded([400, 500, 610])
RATES = {
    ("threads=5", RABBITMQ): STEADY,
    ("threads=5", SQS): OTHER,
    ("threads=1", RABBITMQ): WILD,
    ("threads=1", SQS): OTHER,
}


def of(bucket: Bucket, **changed) -> Report:
    rows = {"repeats": bucket.ask("repeats"), "comparison": bucket.ask("comparison")}
    return sample.report(sample.planned()[:4], **rows | changed)


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    filled = Bucket(tmp_path)
    put(filled, RATES)
    return filled


def test_a_row_has_its_mean_interval_and_spread(bucket):
    rows = {row.labels: row for row in repeats_table(of(bucket)).rows if row.section == "Produce"}
    steady, wild = (
        rows["s, 5 threads", "RabbitMQ mirrored pair"],
        rows["s, 1 thread", "RabbitMQ mirrored pair"],
    )
    low, high = interval(STEADY)
    assert steady.cells[:4] == ("3", "1,000", f"{figure(low)} to {figure(high)}", "2.0%")
    assert steady.cells[4:7] == ("2.00", "2.00 to 2.00", "0%")
    assert wild.cells[3] == "42%, over 10%", "flagged"
    assert {row.badge for row in rows.values() if row.labels[1] == "SQS standard"} == {"EMULATED"}


def test_the_faster_target_is_named_with_its_interval(bucket):
    rows = {row.labels[0]: row for row in comparison_table(of(bucket)).rows if row.section == "Produce"}
    ratio, low, high = ratio_interval(STEADY, OTHER)
    said = f"RabbitMQ mirrored pair is {figure(ratio)} times as fast as SQS standard (emulated)"
    assert rows["s, 5 threads"].cells == (said, f"{figure(low)} to {figure(high)}", "3 and 3")
    reported, within = rows["s, 1 thread"].cells[:2]
    assert reported == "RabbitMQ mirrored pair and SQS standard (emulated): no difference shown"
    _, low, high = ratio_interval(WILD, OTHER)
    assert within == f"{figure(low)} to {figure(high)}"
    assert {row.badge for row in rows.values()} == {"EMULATED"}


def row(**changed) -> Comparison:
    return Comparison(
        **{
            **{"scenario": "s", "cell": "c", "metric": "produce", "target": RABBITMQ, "against": SQS},
            **{"environment": "aws", "provenance": "measured", "against_provenance": "measured"},
            **{"repeats": 3, "against_repeats": 3, "ratio": 0.25, "interval_low": 0.2, "interval_high": 0.4},
            **{"verdict": "lower", "loader_saturated": False, "against_loader_saturated": False},
            **changed,
        }
    )


@pytest.mark.parametrize(
    ("changed", "said", "within"),
    [
        ({}, "SQS standard is 4.00 times as fast as RabbitMQ mirrored pair", "2.50 to 5.00"),
        (
            {"loader_saturated": True},
            "SQS standard is ≤ 4.00 times as fast as RabbitMQ mirrored pair",
            "2.50 to 5.00",
        ),
        (
            {"against_loader_saturated": True},
            "SQS standard is ≥ 4.00 times as fast as RabbitMQ mirrored pair",
            "2.50 to 5.00",
        ),
        (
            {"interval_low": 0.000018, "interval_high": 180_000, "verdict": "no difference shown"},
            "RabbitMQ mirrored pair and SQS standard: no difference shown",
            "too few repeats for an interval",
        ),
        (
            {"ratio": 1 / 1.004, "interval_low": 0.995, "interval_high": 0.998},
            "SQS standard and RabbitMQ mirrored pair: less than 0.5% apart",
            "1.00 to 1.01",
        ),
        (
            {"ratio": 1 / 1.004, "interval_low": 0.995, "interval_high": 0.998, "loader_saturated": True},
            "SQS standard is ≤ 1.00 times as fast as RabbitMQ mirrored pair",
            "1.00 to 1.01",
        ),
        (
            {"ratio": 1 / 1.006, "interval_low": 0.99, "interval_high": 0.998},
            "SQS standard is 1.01 times as fast as RabbitMQ mirrored pair",
            "1.00 to 1.01",
        ),
        (
            {"ratio": 1.0, "interval_low": 0.9, "interval_high": 1.1, "verdict": "no difference shown"},
            "RabbitMQ mirrored pair and SQS standard: no difference shown",
            "0.900 to 1.10",
        ),
        (
            {"interval_low": 0.01, "interval_high": 0.9},
            "SQS standard is 4.00 times as fast as RabbitMQ mirrored pair",
            "1.11 to 100",
        ),
        (
            {"interval_low": 0.001, "interval_high": 0.9},
            "SQS standard is 4.00 times as fast as RabbitMQ mirrored pair",
            "1.11 to 1,000",
        ),
        (
            {"ratio": None, "interval_low": None, "interval_high": None, "verdict": "not comparable"},
            "RabbitMQ mirrored pair and SQS standard: not comparable",
            "–",
        ),
    ],
)
def test_findings_in_words(changed, said, within):
    assert finding(row(**changed)) == (said, within)


@pytest.mark.usefixtures("undrawn")
def test_the_page_and_the_markdown_say_the_same_and_name_the_methods(bucket):
    report = of(bucket)
    (section,) = [e for e in parse(page(report, None)).iter("section") if e.get("id") == "repeats"]
    for shown in (text(section), markdown(report, None)):
        assert "Student's t" in shown
        assert "Welch's method on the logarithms" in shown
        assert re.search(r"RabbitMQ mirrored pair is 1\.99 times as fast as SQS standard \(emulated\)", shown)
        assert "42%, over 10%" in shown
        assert ONCE not in shown
    assert Report.model_validate_json(report.model_dump_json()) == report


@pytest.mark.usefixtures("undrawn")
def test_a_run_of_single_repeats_says_so_in_one_line(tmp_path):
    once = Bucket(tmp_path)
    put(once, {cell: rates[:1] for cell, rates in RATES.items()})
    report = of(once)
    assert (report.repeats, report.comparisons) == ([], [])
    assert measured_once(report) == ONCE
    (section,) = [e for e in parse(page(report, None)).iter("section") if e.get("id") == "repeats"]
    assert text(section) == f"Repeats {ONCE}"
    assert markdown(report, None).count("so that its own figures do not say how they vary") == 1


def test_a_published_row_never_enters_a_measured_comparison(bucket):
    before = bucket.ask("comparison"), bucket.ask("repeats")
    for number, provenance in enumerate(("published", "measured")):
        put(
            Bucket(bucket.root),
            {("threads=5", RABBITMQ): [99_000.0]},
            name="published",
            provenance=provenance,
        )
        changed = (bucket.ask("comparison"), bucket.ask("repeats")) != before
        assert changed is bool(number), "the same row counts where it is measured"


def test_rows_stand_in_the_order_of_the_cases(bucket):
    plan = sample.planned()[2:6]
    rates = {
        (case.cell, target): rates
        for case in reversed(plan)
        for target, rates in ((RABBITMQ, STEADY), (SQS, OTHER))
    }
    put(bucket, rates, scenario="parallel")
    report = sample.report(plan, repeats=bucket.ask("repeats"), comparison=bucket.ask("comparison"))
    cells = list(dict.fromkeys(row.cell for row in report.comparisons))
    assert cells == list(dict.fromkeys(case.cell for case in plan))
