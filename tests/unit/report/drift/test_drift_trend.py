"""Trend of a suite: a change is named with its run and nothing else, as seldom wrong as it says."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.change_points import LEAST_RUNS, best_split, change_points
from breakeven.report.drift.comparable_runs import suite_run
from breakeven.report.drift.drift import FALSE_ALARMS, FIGURES
from breakeven.report.drift.trend import Trend, run_levels, trend
from breakeven.report.drift.trend_words import document, headline, sentences
from breakeven.report.render.trend_page import UNCHANGED, UNKNOWN, trend_page
from breakeven.report.tables.trend_tables import points_table, series_table
from breakeven.results import layout
from breakeven.steps.run.earlier_runs import keep_run
from breakeven.steps.services import Services
from cli.main import main
from cli.running import deployed
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import METRICS, monthly, plan_document, store
from tests.fixtures.report.html import parse, text
from tests.fixtures.report.self_tested import proved
from tests.support.aws.moto_results import installed

SLOWER = {sample.RABBITMQ: 1.25}
LATER = {"manifest": sample.manifest().model_copy(update={"rabbitmq": "RabbitMQ 4.3.6, Erlang 29.1"})}
#: how far apart the levels of two unchanged runs are, a deviation
BETWEEN_RUNS = 0.03


@pytest.mark.parametrize(("runs", "hosts"), [(6, 0.0), (12, 0.0), (12, 0.05)])
def test_of_a_thousand_unchanged_suites_no_more_than_stated_have_a_change_point(
    runs: int, hosts: float
) -> None:
    """Of two targets with six figures each.

    :param hosts: by how much a run's host makes all figures of a target faster or slower, a deviation
    """
    dice, alarms, suites = Random(20261125), 0, 1000
    for _ in range(suites):
        series = []
        for _ in range(2):
            common = [dice.gauss(0, hosts) for _ in range(runs)]
            series += [[each + dice.gauss(0, BETWEEN_RUNS) for each in common] for _ in range(6)]
        alarms += any(change_points(series, FALSE_ALARMS))
    assert 0 <= alarms / suites <= FALSE_ALARMS


def test_of_a_hundred_series_with_a_step_of_a_fifth_nearly_all_are_split_there_and_nowhere_else() -> None:
    dice, exact = Random(7), 0
    for _ in range(100):
        series = [[dice.gauss(0, BETWEEN_RUNS) for _ in range(12)] for _ in range(12)]
        series[0][7:] = [level + math.log(0.8) for level in series[0][7:]]
        found = [[cut.at for cut in cuts] for cuts in change_points(series, FALSE_ALARMS)]
        exact += found == [[7], *([],) * 11]
    assert exact >= 90


def test_a_step_up_and_back_is_two_change_points_and_one_odd_run_is_none() -> None:
    levels = [0.0, 0.01, -0.01, 0.0, 0.3, 0.31, 0.29, 0.3, 0.0, 0.01, -0.01, 0.0]
    assert [cut.at for cut in change_points([levels], FALSE_ALARMS)[0]] == [4, 8]
    odd = [0.0, 0.01, -0.01, 0.0, 0.01, 0.3, 0.0, 0.01, -0.01, 0.0, 0.01, -0.01]
    assert change_points([odd], FALSE_ALARMS) == [[]]


def test_a_series_that_is_too_short_is_not_judged() -> None:
    assert best_split([0.0, 0.0, 1.0]) is None
    found = best_split([0.0, 0.0, 1.0, 1.0])
    assert found
    assert found.cuts == (2,)


def test_the_test_of_a_split_by_hand() -> None:
    """Levels 0, 0.2, 1, 1.2: means apart by 1, variances 0.02, t of 2 degrees; there is one way to split."""
    found = best_split([0.0, 0.2, 1.0, 1.2])
    assert found
    t = 1 / math.sqrt(0.02)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-9)


def test_a_run_that_lacks_a_cell_is_compared_by_the_others() -> None:
    usual = {0: 5.0, 1: 5.2, 2: 5.0}
    levels = run_levels([usual, {run: value + 3 for run, value in usual.items() if run != 1}, usual])
    assert [levels[run] - levels[0] for run in range(3)] == pytest.approx([0.0, 0.2, 0.0])


def trend_of(*reports: Report) -> Trend:
    runs = [suite_run(plan_document(), report) for report in reports]
    found = trend("quick", runs, {report.run_id: report for report in reports}.get)
    assert found
    return found


@pytest.fixture(scope="module")
def year() -> list[Report]:
    """Of which the broker is slower from July on, with another release."""
    return [monthly(month) if month < 7 else monthly(month, SLOWER, **LATER) for month in range(1, 13)]


def test_a_broker_that_became_slower_is_named_with_the_month_and_the_release_and_nothing_else(
    year: Sequence[Report],
) -> None:
    found = trend_of(*reversed(year))
    assert {(point.measure.target, found.runs[point.run].run_id) for point in found.points} == {
        (sample.RABBITMQ, "m7")
    }
    assert {point.measure.metric for point in found.points} == {*METRICS}
    assert {point.measure.name for point in found.points} <= {*FIGURES}
    for point in found.points:
        rate = point.measure.name == "msg_per_s"
        assert point.ratio == pytest.approx(0.8 if rate else 1.25, abs=0.06)
        assert point.changed == ("rabbitmq",)
    assert headline(found).startswith("12 runs of quick: since m7 of 2026-07-01 the ")
    assert " of RabbitMQ mirrored pair " in headline(found)


def test_runs_of_another_configuration_are_left_out(year: Sequence[Report]) -> None:
    runs = [suite_run(plan_document(scale=0.5 if report is year[0] else 1.0), report) for report in year]
    found = trend("quick", runs, {report.run_id: report for report in year}.get)
    assert found
    assert (len(found.runs), found.left_out) == (11, 1)


def test_a_figure_that_most_runs_lack_has_no_level_there(year: Sequence[Report]) -> None:
    early = year[0].model_copy(update={"cases": [one for one in year[0].cases if one.target == sample.SQS]})
    found = trend_of(early, *year[1:])
    levels = {one.measure.target: one.levels for one in found.series}
    assert levels[sample.RABBITMQ][0] is None
    assert levels[sample.RABBITMQ][1] == 1.0
    assert levels[sample.SQS][0] == 1.0


@pytest.mark.usefixtures("undrawn")
def test_few_runs_say_what_it_takes() -> None:
    found = trend_of(monthly(1), monthly(2))
    assert headline(found) == f"2 runs of quick: a change point takes at least {LEAST_RUNS} comparable runs."
    assert document(found)["change_points"] == []
    page = trend_page(found)
    assert UNKNOWN in page
    assert UNCHANGED not in page


@pytest.mark.usefixtures("undrawn")
def test_the_page_has_change_points_charts_and_levels(year: Sequence[Report]) -> None:
    page = parse(trend_page(trend_of(*year)))
    assert text(page.find(".//h1")).startswith("12 runs of quick: since m7")
    figures = [one.get("id") for one in page.iter("figure")]
    assert figures == [
        "table-change-points",
        "chart-trend-msg-per-s",
        "chart-trend-p99-ms",
        "table-series",
    ]


def test_a_chart_is_drawn_of_runs_that_lack_a_figure(year: Sequence[Report]) -> None:
    early = year[0].model_copy(update={"cases": [one for one in year[0].cases if one.target == sample.SQS]})
    assert trend_page(trend_of(early, *year[1:5])).count("<svg") == 4


def test_runs_of_one_day_are_told_apart_on_the_axis() -> None:
    times = ("2026-11-20T10:00:00+00:00", "2026-11-20T14:30:00+00:00", "2026-11-21T10:00:00+00:00")
    page = trend_page(
        trend_of(*(monthly(1).model_copy(update={"run_id": at, "started_at": at}) for at in times))
    )
    assert "2026-11-20 10:00</text>" in page
    assert "2026-11-20 14:30</text>" in page
    assert "2026-11-21</text>" in page


@pytest.mark.usefixtures("undrawn")
def test_the_command_prints_it_writes_a_page_and_answers_in_json(
    tmp_path: Path, year: Sequence[Report], capsys: Any
) -> None:
    for report in year:
        store(tmp_path, report)
    out = tmp_path / "trend.html"
    assert main(["trend", "quick", "--runs", str(tmp_path), "--out", str(out)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.startswith("12 runs of quick: since m7 of 2026-07-01")
    assert "shows any with a probability of at most 5% at one look" in printed
    assert "m7, 2026-07-01" in printed
    assert out.read_text().startswith("<!doctype html>")
    assert main(["trend", "quick", "--runs", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["run"] for each in found["change_points"]} == {"m7"}
    assert len(found["runs"]) == 12
    assert {len(each["levels"]) for each in found["series"]} == {12}


@pytest.mark.usefixtures("undrawn")
def test_a_single_run_has_no_rows_of_what_there_is_nothing_to_hold_it_against(year: Sequence[Report]) -> None:
    assert series_table(trend_of(*year[:1])).rows == ()
    assert len(series_table(trend_of(*year[:2])).rows) > 1


def test_its_tables_are_in_plain_words_with_minus_signs(year: Sequence[Report]) -> None:
    found = trend_of(*year)
    assert series_table(found).columns[:2] == ("against the first run", "against the run before")
    cells = [
        cell
        for table in (series_table(found), points_table(found))
        for row in table.rows
        for cell in row.cells
    ]
    assert any(cell.startswith("\u2212") and cell.endswith("%") for cell in cells)
    assert not any(cell.startswith("-") for cell in cells)


@pytest.mark.parametrize(
    ("busy", "said"),
    [(0, ""), (3, "In 3 of 12 runs the host was busy"), (12, "In every run the host was busy")],
)
def test_runs_whose_host_was_busy_are_said(year: Sequence[Report], busy: int, said: str) -> None:
    reports = [
        report.model_copy(
            update={"cases": [report.cases[0].model_copy(update={"flags": ["busy_host"]}), *report.cases[1:]]}
        )
        if place < busy
        else report
        for place, report in enumerate(year)
    ]
    found = trend_of(*reports)
    assert document(found)["busy"] == busy
    noted = [sentence for sentence in sentences(found) if "busy_host" in sentence]
    assert [sentence[: len(said)] for sentence in noted] == ([said] if said else [])


def failing(report: Report) -> Report:
    return report.model_copy(update={"validity": proved(read={"p99_ms": 14.0}).validity})


def test_runs_whose_self_test_failed_are_marked_wherever_they_are_named(
    year: Sequence[Report], tmp_path: Path, capsys: Any
) -> None:
    """The run that begins a change, and one before."""
    reports = [failing(report) if report.run_id in {"m2", "m7"} else report for report in year]
    found = trend_of(*reports)
    assert headline(found).startswith("12 runs of quick: since m7 of 2026-07-01 (self-test failed) the ")
    assert "In doubt: the self-test of run m2 and run m7 failed, so that" in list(sentences(found))[1]
    assert {row.labels[0] for row in points_table(found).rows} == {"m7, 2026-07-01 (self-test failed)"}
    page = trend_page(found)
    assert "A run whose self-test failed is shaded" in page
    for report in reports:
        store(tmp_path, report)
    assert main(["trend", "quick", "--runs", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["doubted"] == ["m2", "m7"]


@pytest.mark.usefixtures("undrawn")
def test_no_run_is_marked_of_which_the_self_test_passed(year: Sequence[Report]) -> None:
    proof = proved().validity
    found = trend_of(*(report.model_copy(update={"validity": proof}) for report in year))
    assert found.doubted == ()
    assert "self-test" not in " ".join((headline(found), *sentences(found), trend_page(found)))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nightly"], "'nightly': no run of such a suite; there is no run yet; suites are "),
        (["qick"], "'qick': no run of such a suite; did you mean 'quick'? there is no run yet; suites are "),
        (
            ["quick"],
            "'quick': no run of this suite came to its end with a case that is ok and a report; npm run",
        ),
        (["quick", "--on", "aws", "--runs", "x"], "--runs: 'x': belongs to runs on this machine: leave it"),
        (["quick", "--runs", "nowhere"], "--runs: 'nowhere': no such folder; name the one that has the runs"),
        (["quick", "--region", "eu-west-1"], "--region: 'eu-west-1': belongs to runs on AWS"),
    ],
)
def test_bad_input_of_the_command_is_one_clear_error(
    tmp_path: Path, words: list[str], said: str, capsys: Any
) -> None:
    runs = [] if "--runs" in words else ["--runs", str(tmp_path)]
    assert main(["trend", *runs, *words]) == 2
    assert said in capsys.readouterr().err


def test_a_suite_that_was_not_run_is_told_of_those_that_were(tmp_path: Path, capsys: Any) -> None:
    for name in ("nightly", "weekly"):
        (tmp_path / f"r-{name}").mkdir()
        (tmp_path / f"r-{name}" / "state.json").write_text(json.dumps({"run": {"suite": name}}))
    assert main(["trend", "nightli", "--runs", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "did you mean 'nightly'? there are runs of nightly, weekly; suites are " in said


def test_a_report_that_is_damaged_is_named(tmp_path: Path, year: Sequence[Report], capsys: Any) -> None:
    for report in year[:2]:
        store(tmp_path, report)
    path = tmp_path / year[0].run_id / "report" / "report.json"
    path.write_text("{")
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert f"left out: {path}: line 1, column 2: 'end of file': is not JSON: the file ends before" in said.err
    assert "1 run of quick" in " ".join(said.out.split())
    (tmp_path / year[1].run_id / "report" / "report.json").write_text("{}")
    assert main(["trend", "quick", "--runs", str(tmp_path), "--json"]) == 2
    said = capsys.readouterr()
    first, *others = said.err.splitlines()
    assert "'quick': no report that could be compared with the newest can be read, as is said below" in first
    other = tmp_path / year[1].run_id / "report" / "report.json"
    assert [line.split(": ")[1:3] for line in others] == [
        [str(path), "line 1, column 2"],
        [str(other), "run_id"],
    ]
    assert "{}" not in said.err


@pytest.mark.usefixtures("undrawn")
def test_a_report_that_is_gone_is_named(tmp_path: Path, year: Sequence[Report], capsys: Any) -> None:
    for report in year[:2]:
        store(tmp_path, report)
    gone = [tmp_path / report.run_id for report in year[:2]]
    (gone[0] / "report" / "report.json").unlink()
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 0
    assert f"left out: {gone[0]}: report: has no report.json any more; " in capsys.readouterr().err
    (gone[1] / "report" / "report.json").unlink()
    assert main(["trend", "quick", "--runs", str(tmp_path)]) == 2
    first, *others = capsys.readouterr().err.splitlines()
    assert first.startswith("error: breakeven trend: suite: 'quick': no report that could be compared")
    assert [line.split(": ")[1] for line in others] == [str(folder) for folder in gone]


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """A deployed stack, as the command finds it."""
    with installed(monkeypatch) as services:
        found = SimpleNamespace(state=services.state, store=services.store)
        monkeypatch.setattr(deployed, "connect", lambda *_: None)
        monkeypatch.setattr(deployed, "find", lambda *_: found)
        yield services


def store_there(services: Services, reports: Sequence[Report]) -> None:
    for report in reports:
        body = report.model_dump_json().encode()
        services.store.put_bytes(layout.report_key(report.run_id, "report.json"), body)
        keep_run(services, plan_document(), report)


@pytest.mark.usefixtures("undrawn")
def test_with_on_aws_the_runs_are_those_of_the_deployed_stack(
    year: Sequence[Report], stack: Services, capsys: Any
) -> None:
    store_there(stack, year)
    assert main(["trend", "quick", "--on", "aws", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [run["run_id"] for run in said["runs"]] == [report.run_id for report in year]
    assert {each["run"] for each in said["change_points"]} == {"m7"}


def test_on_aws_a_report_that_is_damaged_or_refused_is_named(
    year: Sequence[Report], stack: Services, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    store_there(stack, year[:2])
    stack.store.put_bytes(layout.report_key(year[0].run_id, "report.json"), b"{")
    assert main(["trend", "quick", "--on", "aws", "--json"]) == 0
    assert (
        f"left out: AWS: run: '{year[0].run_id}': its report is gone, cannot be read, or"
        in capsys.readouterr().err
    )

    def refused(*_: object) -> bytes:
        raise ClientError({"Error": {"Code": "ExpiredToken", "Message": "it has expired"}}, "GetObject")

    monkeypatch.setattr(stack.store, "get_bytes", refused)
    assert main(["trend", "quick", "--on", "aws"]) == 2
    assert "access: 'ExpiredToken': GetObject was refused: it has expired; " in capsys.readouterr().err


@pytest.mark.usefixtures("stack")
@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("nightly", "'nightly': no run of such a suite; suites are "),
        ("quick", "and a report; npm run breakeven -- run quick --on aws makes one"),
    ],
)
def test_on_aws_nothing_is_said_of_runs_on_this_machine(suite: str, said: str, capsys: Any) -> None:
    assert main(["trend", suite, "--on", "aws"]) == 2
    assert said in capsys.readouterr().err
