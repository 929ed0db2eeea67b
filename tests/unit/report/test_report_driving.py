"""What the report says of the path that drove each case, of its place, and of rates that few messages set."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from breakeven.report.contract.report_model import Report
from breakeven.report.render.cases_csv import cases_csv
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.tables.loader_tables import driving_summary, driving_table, tails_summary
from tests.fixtures.report import sample

PLAN = sample.planned()
FIRST = PLAN[0].case_id
OFF = "the environment says BREAKEVEN_CORE=off"
DRIVEN = ("produce", "consume", "settle", "consume_cycle")


def made(
    *, flags: Sequence[str] = (), core: int | None = 100, general: int | None = 0, **loader: Any
) -> Report:
    """The sample with its first case driven so."""
    given = sample.answers(PLAN)
    reported = {
        "core_operations": core,
        "general_operations": general,
        "paused_s": 1.5,
        "early_msg_per_s": 9e9,
    }
    return sample.report(
        PLAN,
        cases=[
            row | {"flags": json.dumps([*json.loads(row["flags"]), *flags])}
            if row["case_id"] == FIRST
            else row
            for row in given.cases
        ],
        throughput=[
            row | reported if row["case_id"] == FIRST and row["metric"] in DRIVEN else row
            for row in given.throughput
        ],
        loaders=[row | loader if row["case_id"] == FIRST else row for row in given.loaders],
    )


def test_a_case_that_the_core_drove_says_so() -> None:
    report = made(zone="use1-az1", zone_unknown=None, runtime="3.13.5", openssl="OpenSSL 3.4.1")
    said = driving_summary(report)
    assert said.startswith("The compiled core drove ")
    assert "in no case did it fall back" in said
    (row,) = (row for row in driving_table(report).rows if "use1-az1" in row.cells)
    assert {"3.13.5", "3.4.1", "1.5", "0"} <= set(row.cells)
    assert row.tone == ""


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("render", [lambda report: page(report, None), lambda report: markdown(report, None)])
def test_with_the_core_forced_off_the_report_says_so_and_why(render) -> None:
    report = made(flags=["general_path"], core=0, general=100, fallback=OFF)
    said = driving_summary(report)
    assert "THE GENERAL PATH did" in said
    assert f"({OFF})" in said
    text = render(report).replace("\\_", "_")
    assert "THE GENERAL PATH did" in text
    assert OFF in text
    assert "general_path" in text
    assert any(row.tone == "bad" for row in driving_table(report).rows)


def test_cases_csv_says_where_and_by_what_each_case_was_driven() -> None:
    report = made(
        flags=["general_path"], core=0, general=100, fallback=OFF, zone="use1-az1", runtime="3.13.5"
    )
    row = next(row for row in csv.DictReader(io.StringIO(cases_csv(report))) if row["case_id"] == FIRST)
    assert (row["zone"], row["runtime"], row["fallback"]) == ("use1-az1", "3.13.5", OFF)
    assert (row["produce_core_operations"], row["produce_general_operations"]) == ("0", "100")
    assert "general_path" in row["flags"]


def test_a_rate_that_a_few_late_messages_set_is_said_with_the_rate_beside_it() -> None:
    assert tails_summary(made()) == ""
    said = tails_summary(made(flags=["slow_tail"]))
    assert "9,000,000,000 a second consumed up to 99.9%" in said


@pytest.mark.usefixtures("undrawn")
def test_rows_of_an_older_run_which_have_none_of_this_still_report() -> None:
    unknown = dict.fromkeys(("zone", "zone_unknown", "runtime", "openssl", "fallback"))
    given = sample.answers(PLAN)
    report = sample.report(PLAN, loaders=[row | unknown for row in given.loaders])
    assert driving_summary(report) == ""
    assert "The loaders: what drove the cases" in page(report, None)
    assert markdown(report, None)
