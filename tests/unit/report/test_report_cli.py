"""``breakeven report`` and the summary in the terminal."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from breakeven import words
from breakeven.errors import InputError
from breakeven.report.contract.drift_model import DriftReport
from breakeven.report.drift.drift_builder import FIRST
from breakeven.report.leading import leading
from breakeven.report.tables.fault_findings import finding
from breakeven.words import figure
from cli.main import main
from cli.report_source import find, read
from cli.running.summary import DASH, IN_DETAIL, MOST_FAULTS, OF_CONSUME, OF_WHAT, print_summary
from tests.fixtures.report import money, sample
from tests.fixtures.report.fault_rows import fault
from tests.fixtures.report.self_tested import proved

PLAN = sample.planned()
SMALL = PLAN[2:6]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "r1" / "report"
    folder.mkdir(parents=True)
    (folder / "report.json").write_text(sample.report(SMALL).model_dump_json())
    (tmp_path / "runs" / "latest").symlink_to("r1")
    return tmp_path / "runs"


@pytest.mark.parametrize(
    "target", ["r1", "latest", "{runs}/r1", "{runs}/r1/report", "{runs}/r1/report/report.json"]
)
def test_a_run_is_found_by_id_latest_or_path(runs, target):
    assert (
        find(target.format(runs=runs), runs).resolve() == (runs / "r1" / "report" / "report.json").resolve()
    )


def test_a_run_that_is_not_there_is_one_clear_error(runs, capsys):
    assert main(["report", "r9", "--runs", str(runs)]) == 2
    assert "'r9': no report.json there; there are r1" in capsys.readouterr().err


def test_a_folder_where_a_file_should_be_and_the_other_way_round_are_named(runs, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["report", "r1", "--runs", str(tmp_path / "file")]) == 2
    assert f"--runs: '{tmp_path / 'file'}': is no folder; name the one" in capsys.readouterr().err
    report = runs / "r1" / "report" / "report.json"
    report.unlink()
    report.mkdir()
    assert main(["report", "r1", "--runs", str(runs)]) == 2
    assert f"'r1': {report} is a folder; give a report.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "field"),
    [("{", "line 1, column 2"), ("{}", "run_id"), ('{"schema_version": "9"}', "schema_version")],
)
def test_a_damaged_report_is_named_with_its_field(runs, body, field):
    path = runs / "r1" / "report" / "report.json"
    path.write_text(body)
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.field == field


def test_a_crossing_of_no_question_is_named(runs):
    path = runs / "r1" / "report" / "report.json"
    changed = json.loads(path.read_text())
    changed["crossovers"][1]["question_id"] = "gone"
    path.write_text(json.dumps(changed))
    with pytest.raises(InputError) as caught:
        read(path)
    assert (caught.value.field, caught.value.value) == ("crossovers.1.question_id", "gone")
    path.write_text(json.dumps(changed | {"cost_questions": []}))
    with pytest.raises(InputError, match=r"crossovers\.0\.question_id"):
        read(path)


@pytest.mark.usefixtures("undrawn")
def test_it_writes_the_files_again_and_leaves_their_source_alone(runs, capsys):
    source = runs / "r1" / "report" / "report.json"
    before = source.read_bytes()
    assert main(["report", "--runs", str(runs), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert {Path(path).name for path in reported["written"]} == {"index.html", "report.md", "cases.csv"}
    assert all(Path(path).stat().st_size > 1000 for path in reported["written"])
    assert reported["verdict"] == sample.report(SMALL).verdict
    assert source.read_bytes() == before


def printed(report, **console) -> str:
    out = io.StringIO()
    print_summary(report, Console(file=out, **console))
    return out.getvalue()


def test_the_summary_is_plain_where_there_is_no_terminal():
    report = sample.report(PLAN)
    out = printed(report, width=40)
    lines = out.splitlines()
    assert "\x1b" not in out
    (row,) = [one for one in lines if one.startswith("parallel, 40 threads") and "RabbitMQ pair" in one]
    produce = next(
        case for case in report.cases if case.case_id == "parallel.4.rabbitmq-mirrored-pair.r1"
    ).produce
    assert row.split()[5:8] == [figure(produce.msg_per_s), figure(produce.p50_ms), figure(produce.p95_ms)]
    assert lines[-2 - len(leading(report)) : -2] == leading(report)
    assert lines[-2] == IN_DETAIL
    assert all("(emulated)" in one for one in lines if "  SQS " in one)


@pytest.mark.parametrize(("width", "of_what"), [(200, OF_WHAT), (80, OF_CONSUME)])
def test_what_the_titles_and_a_dash_mean_stands_below_the_table(width, of_what):
    report = sample.report(SMALL)
    whole, lacking = (
        report.cases[0],
        report.cases[0].model_copy(update={"consume_cycle": None, "consume": None}),
    )
    said = {
        number: " ".join(
            plain(
                printed(report.model_copy(update={"cases": cases}), width=width, force_terminal=True)
            ).split()
        )
        for number, cases in enumerate(([whole], [whole, lacking], []))
    }
    assert words.NOTHING not in said[0].partition(whole.status)[0]
    assert [of_what in text for text in said.values()] == [True, True, False]
    assert [DASH in text for text in said.values()] == [False, True, False]


def test_the_answer_to_the_quick_suites_question_is_read_at_a_glance():
    drift = DriftReport(summary=FIRST, since=None, date=None)
    report = sample.report(PLAN, **money.answers(deployment="trio")).model_copy(
        update={"drift": drift, "validity": proved().validity}
    )
    lines = plain(printed(report, width=100, force_terminal=True)).splitlines()
    begins = next(number for number, line in enumerate(lines) if line.startswith("With 1 KiB messages"))
    answer = lines[begins : lines.index(IN_DETAIL)]
    assert len(answer) <= 12, answer  # the headline's dollars are two of them
    assert answer[-1] == f"The self-test passed. {FIRST}"


def plain(out: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", out)


def test_the_summary_in_a_terminal_has_every_case():
    out = printed(sample.report(SMALL), width=120, force_terminal=True)
    assert "\x1b[" in out
    words = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert len(re.findall(r"^parallel, \d threads?  +RabbitMQ pair ", words, re.MULTILINE)) == 2


@pytest.mark.parametrize(("width", "latencies"), [(80, False), (200, True)])
def test_a_terminal_of_any_usual_width_cuts_no_name_short(width, latencies):
    rows = [row | {"flags": '["end_to_end_partial"]'} for row in sample.answers(SMALL).cases]
    words = re.sub(
        r"\x1b\[[0-9;]*m", "", printed(sample.report(SMALL, cases=rows), width=width, force_terminal=True)
    )
    assert "…" not in words
    assert words.count("end_to_end_partial") == len(SMALL) + 1, "in the table, and why below it, once"
    for name in ("SQS (emulated)", "RabbitMQ pair"):
        assert len(re.findall(rf"^parallel, \d threads?  +{re.escape(name)}  ", words, re.MULTILINE)) == 2
    assert ("p95 ms" in words.partition("SQS (")[0]) == latencies
    assert ("Latencies are left out" in words) != latencies


def test_a_fault_that_was_not_carried_out_is_said():
    report = sample.report(SMALL)
    case = next(case for case in report.cases if case.target == "rabbitmq-mirrored-pair")
    omitted = fault(
        case_id=case.case_id, was_done=False, done_s=None, back_s=None, error="it came 2.0 s late"
    )
    out = printed(report.model_copy(update={"faults": [fault(case_id=case.case_id), omitted]}), width=40)
    (line,) = (one for one in out.splitlines() if one.startswith("fault not carried out: "))
    assert line.endswith(finding(omitted))
    assert "and was not: it came 2.0 s late." in line
    assert words.case_name(case) in line
    many = [omitted] * (MOST_FAULTS + 2)
    assert "and 2 faults more not carried out: the report has them." in printed(
        report.model_copy(update={"faults": many}), width=400
    )


def test_failures_and_lower_bounds_are_said():
    rows = [row | {"flags": '["loader_saturated", "shared_host"]'} for row in sample.answers(SMALL).cases]
    out = printed(sample.report(SMALL, cases=sample.failed(rows, "it broke", SMALL[0].case_id)), width=40)
    assert "failed: parallel, 1 thread on SQS standard (emulated): it broke" in out
    assert "ok loader_saturated" in out
    assert "≥" in out
    assert "shared_host" not in out


@pytest.mark.parametrize("terminal", [True, False])
def test_text_from_outside_neither_marks_up_nor_controls_the_terminal(terminal):
    hostile = "[bold]x[/bold] \x1b[2J\x07 end"
    rows = sample.failed(sample.answers(SMALL).cases, hostile, SMALL[0].case_id)
    out = printed(sample.report(SMALL, cases=rows), width=200, force_terminal=terminal)
    assert "[bold]x[/bold]" in out
    assert "\x1b[2J" not in out
    assert "\x07" not in out
