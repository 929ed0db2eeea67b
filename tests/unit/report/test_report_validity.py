"""Whether the self-test passes: programmed, done and read, in the report and wherever it is shown."""

from __future__ import annotations

import io
import json

import pytest
from pydantic import ValidationError
from rich.console import Console

from breakeven.published.rows import load_shipped
from breakeven.report.building.instrument_readings import TOLERANCE_MS
from breakeven.report.building.report_builder import build_report
from breakeven.report.contract import flag_names
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.contract.validity_model import Validity
from breakeven.report.leading import leading
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.render.report_files import render_all
from breakeven.report.tables.instrument_findings import FAILED, NOT_RUN, PASSED, opening, sentences
from cli.running.summary import print_answer, print_summary
from tests.fixtures.report import sample
from tests.fixtures.report.self_tested import PLAN, PROVING, TOOK, proved, record


def readings(report, case=0):
    return {reading.what: reading for reading in report.validity.instrument[case].readings}


def test_programmed_done_and_read_stand_beside_one_another():
    report = proved()
    assert report.validity.flags == []
    found = readings(report)
    assert list(found)[:4] == ["lost", "duplicates", "out_of_order", "produce.p50_ms"]
    p99 = found["consume.p99_ms"]
    assert (p99.programmed, p99.done, p99.read) == (12.0, 12.0, 12.01)
    assert "produce.p999_ms" not in found, "too few samples were read"
    assert all(reading.agrees and reading.kept for reading in found.values())
    assert sentences(report)[0] == (
        "AMQP: programmed 7 lost, counted 7; 5 duplicates, 5; 3 out of order, 3; "
        "produce p99 12.00 ms, read 12.01."
    )
    assert opening(report) == PASSED


@pytest.mark.usefixtures("undrawn")
def test_nothing_else_of_the_report_knows_of_it():
    """Not the verdict, the cases, the tables, the charts, nor the money."""
    with_it, without = proved(), sample.report(PLAN)
    assert with_it.model_copy(update={"validity": None}) == without.model_copy(update={"validity": None})
    for name in ("cases.csv",):
        assert render_all(with_it)[name] == render_all(without)[name]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"ledger": {"lost": 6}}, "lost"),
        ({"ledger": {"lost": None}}, "lost"),
        ({"ledger": {"duplicates": 6}}, "duplicates"),
        ({"ledger": {"out_of_order": 0}}, "out_of_order"),
        ({"read": {"p99_ms": 12.0 + TOLERANCE_MS + 0.01}}, "produce.p99_ms"),
        ({"read": {"p50_ms": 0.4}}, "produce.p50_ms"),
    ],
)
def test_a_loader_that_misreads_is_marked_wherever_it_is_shown(changes, what):
    report = proved(**changes)
    assert report.validity.flags == ["instrument_misread"]
    assert not readings(report)[what].agrees
    assert all(reading.agrees for reading in readings(report, 1).values())
    assert FAILED in report.verdict.split("\n\n")[-1]
    assert "DOES NOT AGREE" in report.verdict
    html = page(report, None)
    relied = (
        "Do not rely on the measured figures of this run, and repeat it on an idle machine; list prices do "
        "not depend on them."
    )
    assert relied in report.verdict
    evidence = '<a href="#validity">The evidence</a>'
    assert f'<p class="doubt"><b>THE SELF-TEST FAILED.</b> {relied} {evidence}</p>' in html
    assert html.count(relied) == 1, "the verdict says it in files that have no banner"
    assert html.index('class="doubt"') < html.index("<h1>"), "before any figure"
    assert "DOES NOT AGREE" in html.partition('<section id="validity">')[2]
    assert FAILED in markdown(report, None)


def test_an_instrument_that_was_late_is_reported_apart_from_a_loader_that_misreads():
    slow = {"count": 3000, "took_ms": {**TOOK, "p99": 14.0}, "late_ms": TOOK}
    report = proved(done=record(publish=slow), read={"p99_ms": 14.1})
    p99 = readings(report)["produce.p99_ms"]
    assert (p99.agrees, p99.kept) == (True, False)
    assert "instrument_late" in report.validity.flags
    assert "the host was too busy for the instrument" in sentences(report)[0]
    consumed = readings(report)["consume.p99_ms"]
    assert (consumed.agrees, consumed.kept) == (False, True), "read 14.1 of an instrument that took 12.0"


def test_without_a_record_it_is_held_against_the_program():
    report = proved(done={})
    assert report.validity.flags == []
    assert readings(report)["produce.p99_ms"].done is None
    assert proved(done={}, read={"p99_ms": 14.0}).validity.flags == ["instrument_misread"]


@pytest.mark.parametrize("row", [{"status": "failed", "reason": "gate"}, {"instrument": None}])
def test_an_instrument_that_failed_proves_nothing(row):
    report = proved(**row)
    assert report.validity.flags == ["instrument_failed"]
    assert FAILED in report.verdict
    assert sentences(report)[0].startswith("AMQP: the instrument's case failed")


def test_a_case_that_left_no_row_failed_too():
    report = build_report(sample.record((*PROVING, *PLAN)), sample.manifest(), sample.answers(PLAN))
    assert report.validity.flags == ["instrument_failed"]
    assert [case.status for case in report.validity.instrument] == ["failed", "failed"]


@pytest.mark.usefixtures("undrawn")
def test_a_suite_without_it_says_so_and_no_more():
    report = sample.report(PLAN)
    assert report.validity.flags == ["instrument_off"]
    assert FAILED not in report.verdict
    assert (opening(report), sentences(report)) == ("", [NOT_RUN])
    assert leading(report)[-1] == NOT_RUN
    assert NOT_RUN in page(report, None)


@pytest.mark.usefixtures("undrawn")
def test_one_that_failed_stands_above_the_title_of_markdown_and_first_in_the_terminal_once():
    report = proved(status="failed", reason="gate")
    written = markdown(report, None).replace("\\", "")
    assert written.startswith(f"**{FAILED} Do not rely on ")
    assert written.index("\n\n# With ") < written.index("\n\n## ")
    assert written.count("Do not rely on") == 1
    console = Console(file=io.StringIO(), width=200)
    print_answer(report, console)
    printed = console.file.getvalue()
    assert printed.startswith(f"{FAILED} Do not rely on ")
    assert printed.count(FAILED) == 1
    assert leading(report)[0] in printed


def test_what_a_source_published_has_no_self_test():
    source = sample.report(PLAN).model_copy(update={"validity": None})
    assert (opening(source), sentences(source)) == ("", [])
    assert leading(source) == source.verdict.split("\n\n")


@pytest.mark.usefixtures("undrawn")
def test_page_markdown_and_terminal_say_it():
    report = proved()
    html = page(report, load_shipped("source-a"))
    section = html[html.index('<section id="validity">') : html.index('<section id="repeats">')]
    assert section.index("programmed 7 lost, counted 7") < section.index("<table>")
    assert "produce p99, ms" in section
    assert "doubt" not in section
    text = markdown(report, None)
    assert all(one in text.replace("\\", "") for one in (opening(report), *sentences(report)))
    assert f"\n\n{PASSED}\n\n" in text
    assert text.count("| produce p99, ms | measured | 12.00 | 12.00 | 12.01 | 0.50 | agrees |") == 2
    console = Console(file=io.StringIO(), width=200)
    print_summary(report, console)
    printed = console.file.getvalue()
    assert PASSED in printed
    assert "programmed" not in printed
    assert "instrument" not in printed


def test_a_report_of_before_has_the_flags_of_today():
    """What is called ``instrument_misread`` was called otherwise in reports that are kept."""
    before = {"flags": ["ruler_disagrees", "instrument_late"], "instrument": []}
    assert Validity.model_validate(before).flags == ["instrument_misread", "instrument_late"]
    with pytest.raises(ValidationError):
        Validity.model_validate({"flags": ["ruler"], "instrument": []})


def test_a_case_of_before_has_the_flags_of_today(monkeypatch):
    monkeypatch.setitem(flag_names.FORMER_FLAGS, "noisy_host", "busy_host")
    case = proved().cases[0].model_dump(mode="json")
    before = {"flags": ["noisy_host", "cold_lane"], "flag_evidence": {"noisy_host": "other work"}}
    found = CaseReport.model_validate(case | before)
    assert found.flags == ["busy_host", "cold_lane"]
    assert found.flag_evidence == {"busy_host": "other work"}
    rows = [
        row | {"flags": '["noisy_host"]', "flag_evidence": '{"noisy_host": "other work"}'}
        for row in sample.answers(PLAN).cases
    ]
    resumed = sample.report(PLAN, cases=rows).cases[0]
    assert (resumed.flags[:1], resumed.why("busy_host")) == (["busy_host"], "other work")


def test_json_carries_it():
    document = json.loads(proved().model_dump_json())
    assert document["validity"]["flags"] == []
    assert document["validity"]["instrument"][1]["readings"][0]["what"] == "lost"
