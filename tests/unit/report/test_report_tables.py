"""The tables, in Markdown and CSV: the figures are those of the JSON, and say where they come from."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest

from breakeven.published.rows import load_shipped
from breakeven.report.charts.canvas import logarithmic
from breakeven.report.charts.over_time import over_time
from breakeven.report.contract.report_model import Metric
from breakeven.report.render.cases_csv import cases_csv
from breakeven.report.render.markdown import markdown, text
from breakeven.report.sections.over_time.latency import LOWER_BOUNDS, metrics_table
from breakeven.report.sections.over_time.message_ledger import ledger_table
from breakeven.report.tables.figures import STATISTICS, is_at_least
from breakeven.report.tables.scenario_tables import comparison_tables
from breakeven.words import amount, cell_name, dollars, figure
from tests.fixtures.report import sample
from tests.support.workflow.command import ROOT

PLAN = sample.planned()
SOURCE_A = load_shipped("source-a")
SQS_40 = "parallel.4.sqs-standard.r1"


@pytest.fixture(scope="module")
def report():
    return sample.report()


def table_of(report, scenario):
    return next(table for table in comparison_tables(report, SOURCE_A) if table.scenario == scenario)


def rows_of(table, section, label):
    return {row.badge: row.cells for row in table.rows if (row.section, row.labels) == (section, (label,))}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0, "0"),
        (14.8148, "14.8"),
        (999.6, "1,000"),
        (1234.5, "1,230"),
        (0.0012345, "0.00123"),
        (99.96, "100"),
        (9.999, "10.0"),
    ],
)
def test_three_significant_figures(value, shown):
    assert figure(value) == shown


def test_amounts_dollars_and_cells_in_words():
    assert amount(102_280_000) == "102 million"
    assert amount(999_900_000) == "1.00 billion"
    assert amount(53_333.3) == "53,300"
    assert (dollars(122.336), dollars(12_345.6)) == ("$122.34", "$12,346")
    assert cell_name("threads=1 queues=5") == "1 thread, 5 queues"
    assert cell_name("size=64KiB") == "64 KiB"
    assert cell_name("anything=else at all") == "anything=else, at, all"


def test_published_figures_stand_beneath_the_measured_as_they_were_printed(report):
    table = table_of(report, "parallel")
    assert [title for title, _ in table.groups] == ["1 thread", "5 threads", "10 threads", "40 threads"]
    rows = rows_of(table, "Produce", "RabbitMQ mirrored pair")
    assert rows["published 2012"] == (
        "3,086",
        "0",
        "–",
        "3,157",
        "1",
        "–",
        "3,083",
        "3",
        "–",
        "3,200",
        "11",
        "–",
    )
    assert rows["measured"][9] == "1,120"
    sqs = rows_of(table, "Consume cycle", "SQS standard")
    assert set(sqs) == {"EMULATED", "published 2012"}
    assert sqs["published 2012"][::3] == ("33", "186", "333", "435")


def test_load_unload_has_every_statistic(report):
    table = table_of(report, "load-unload")
    rows = rows_of(table, "Produce", "RabbitMQ mirrored pair")
    assert table.columns == ("msg/s", "mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max")
    assert rows["published 2012"] == ("1,875", "2", "0", "–", "0", "–", "–", "–", "14,785")
    produce = next(
        case for case in report.cases if case.case_id == "load-unload.0.rabbitmq-mirrored-pair.r1"
    ).produce
    assert rows["measured"][0] == figure(produce.msg_per_s)
    assert rows["measured"][8] == figure(produce.max_ms)


def test_published_figures_stand_beside_their_own_cell_only(report):
    table = table_of(report, "queues")
    rows = rows_of(table, "Produce", "RabbitMQ mirrored pair")
    assert rows["published 2012"] == ("3,489", "–", "–", "–", "–", "–")
    assert "published 2012" not in rows_of(table, "Produce", "SQS standard")
    assert any("without figures" in note for note in table_of(report, "size").notes)


def test_a_row_of_emulated_figures_always_says_so(report):
    tables = [*comparison_tables(report, SOURCE_A), ledger_table(report), metrics_table(report)]
    for table in tables:
        for row in table.rows:
            if row.labels[0] == "SQS standard":
                assert row.badge in {"EMULATED", "published 2012"}, (table.slug, row)


def test_a_failed_case_shows_its_reason_and_nulls_its_figures():
    gone = [case for case in PLAN if case.case_id != SQS_40]
    given = sample.answers(tuple(gone))
    rows = sample.failed(sample.answers(PLAN).cases, "Loaders: it broke", SQS_40)
    report = sample.report(
        PLAN,
        cases=rows,
        throughput=given.throughput,
        latency_percentiles=given.latency_percentiles,
        ledger=given.ledger,
    )
    table = table_of(report, "parallel")
    assert rows_of(table, "Produce", "SQS standard")["EMULATED"][9:] == ("failed", "–", "–")
    assert "SQS standard (emulated), 40 threads, failed: Loaders: it broke" in table.notes
    (ledger,) = [row for row in ledger_table(report).rows if row.tone == "failed"]
    assert set(ledger.cells[:-1]) == {"–"}


def test_a_lower_bound_is_marked():
    rows = [row | {"flags": '["loader_saturated"]'} for row in sample.answers(PLAN).cases]
    table = table_of(sample.report(PLAN, cases=rows), "parallel")
    assert rows_of(table, "Produce", "RabbitMQ mirrored pair")["measured"][9] == "≥ 1,120"
    assert any(note.startswith("≥ marks a lower bound") for note in table.notes)


def test_many_cells_are_set_in_several_tables():
    plan = tuple(
        case.model_copy(
            update={"cell": f"threads={n}", "case_id": f"wide.{n}.{case.target}.r1", "scenario": "wide"}
        )
        for n in range(1, 8)
        for case in PLAN[2:4]
    )
    tables = comparison_tables(sample.report(plan), None)
    assert [len(table.groups) for table in tables] == [5, 2]
    assert len({table.slug for table in tables}) == 2


def test_repeats_are_rows_of_their_own_and_published_figures_stand_once():
    again = tuple(case.model_copy(update={"repeat": 2, "case_id": f"{case.case_id[:-1]}2"}) for case in PLAN)
    table = table_of(sample.report((*PLAN, *again)), "parallel")
    labels = [row.labels[0] for row in table.rows if row.section == "Produce"]
    assert "RabbitMQ mirrored pair, repeat 2" in labels
    assert [row.badge for row in table.rows].count("published 2012") == 4


def test_the_ledger_shows_loss_before_anything_else():
    ledgers = [sample.ledger_row(case, lost=7, missing=7) for case in PLAN]
    table = ledger_table(sample.report(PLAN, ledger=ledgers))
    assert table.columns[:2] == ("lost", "missing")
    assert {(row.cells[0], row.tone) for row in table.rows} == {("7", "bad")}


def test_the_ledger_says_how_many_mirrors_were_in_sync():
    rows = [
        row | {"mirrors_after": "null"} if "40" in row["cell"] else row for row in sample.answers(PLAN).cases
    ]
    table = ledger_table(sample.report(PLAN, cases=rows))
    shown = {(row.section, row.labels[0]): row.cells[-2] for row in table.rows}
    assert shown["parallel, 5 threads", "RabbitMQ mirrored pair"] == "1, 1"
    assert shown["parallel, 40 threads", "RabbitMQ mirrored pair"] == "1, not read"
    assert shown["parallel, 5 threads", "SQS standard"] == "–"


def test_an_unknown_loss_is_not_shown_as_none():
    table = ledger_table(sample.report(PLAN, ledger=[sample.ledger_row(case, lost=None) for case in PLAN]))
    assert {row.cells[0] for row in table.rows} == {"not known"}


def test_csv_has_the_figures_of_the_json_unrounded(report):
    rows = list(csv.DictReader(io.StringIO(cases_csv(report))))
    document = json.loads(report.model_dump_json())
    assert len(rows) == len(document["cases"])
    for row, case in zip(rows, document["cases"], strict=True):
        assert row["case_id"] == case["case_id"]
        assert row["flags"].split() == case["flags"]
        for metric in ("produce", "consume", "settle", "consume_cycle", "end_to_end"):
            for name, value in (case[metric] or {}).items():
                assert row[f"{metric}_{name}"] == ("" if value is None else str(value))
            if case[metric] is None:
                assert row[f"{metric}_msg_per_s"] == ""
        for name, value in case["ledger"].items():
            assert row[f"ledger_{name}"] == ("" if value is None else str(value).lower())


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r\n@", " ="])
def test_csv_holds_no_formula(start):
    rows = [row | {"reason": f"{start}H(1)", "status": "failed"} for row in sample.answers(PLAN).cases]
    read = list(csv.DictReader(io.StringIO(cases_csv(sample.report(PLAN, cases=rows)))))
    assert {row["reason"] for row in read} == {f"'{start.strip()}H(1)"}


def test_markdown_has_the_verdict_first_and_the_figures_of_the_json(report):
    page = markdown(report, SOURCE_A)
    assert page.startswith(
        "# With 1 KiB messages in us-east-1, SQS batched is the cheapest below about 1,160 "
    )
    assert report.verdict in page
    produce = next(
        case for case in report.cases if case.case_id == "parallel.4.rabbitmq-mirrored-pair.r1"
    ).produce
    (row,) = re.findall(
        r"\| parallel, 40 threads \| RabbitMQ mirrored pair \| Produce \| measured \| (.*) \|", page
    )
    cells = row.split(" | ")
    assert cells[0] == figure(produce.msg_per_s)
    assert cells[4] == figure(produce.p50_ms)
    assert cells[-1] == f"{produce.operations:,}"
    assert "SQS standard | EMULATED |" in page


def test_markdown_takes_no_markup_from_suites():
    hostile = "a | b <script>alert(1)</script> [x](http://evil) `c` *d*\n# e"
    rows = [row | {"reason": hostile, "status": "failed"} for row in sample.answers(PLAN).cases]
    page = markdown(sample.report(PLAN, cases=rows), SOURCE_A)
    assert "<script>" not in page
    assert "[x](" not in page
    assert "\n# e" not in page
    assert text("a|b") == "a\\|b"
    widths = {}
    for line in page.splitlines():
        if line.startswith("| "):
            widths.setdefault(len(re.findall(r"(?<!\\)\|", line)), []).append(line)
    assert all(len(lines) >= 3 for lines in widths.values()), "every table is a header, a rule and its rows"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([1.2, 1.9], (1, 2)),
        ([0.9, 31], (0.5, 1, 2, 5, 10, 20, 50)),
        ([0.0003, 4000], (0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000)),
        ([5.0], (5,)),
    ],
)
def test_ticks_of_a_logarithmic_scale_are_round_and_enclose_the_values(values, ticks):
    assert logarithmic(values) == pytest.approx(ticks)


def test_rates_over_time_are_of_full_seconds_only():
    plan = [case for case in PLAN if case.case_id == "load-unload.0.rabbitmq-mirrored-pair.r1"]
    rows = [row for case in plan for row in sample.rate_rows(case)]
    tail = [rows[-1] | {"second": rows[-1]["second"] + more, "msg_per_s": 0.0} for more in (1, 2)]
    (chart,) = over_time(sample.report(tuple(plan), rate_over_time=[*rows, *tail]))
    produce = sample.report(tuple(plan)).cases[0].produce
    full = int(10_000 / produce.msg_per_s)
    last = next(row for row in rows if row["metric"] == "produce" and row["second"] == full - 1)
    assert f"load from {figure(rows[0]['msg_per_s'])} to {figure(last['msg_per_s'])} messages" in chart.wide
    assert "to 0 messages" not in chart.wide


def test_an_unload_that_is_faster_than_its_load_stays_inside_the_chart():
    plan = [case for case in PLAN if case.case_id == "load-unload.0.rabbitmq-mirrored-pair.r1"]
    rows = [row for case in plan for row in sample.rate_rows(case)]
    faster = [row | {"msg_per_s": row["msg_per_s"] * (5 if row["stage"] == "unload" else 1)} for row in rows]
    (chart,) = over_time(sample.report(tuple(plan), rate_over_time=faster))
    ticks = [float(tick.replace(",", "")) for tick in re.findall(r">([\d,]+)</text>", chart.wide)]
    fastest = max(row["msg_per_s"] for row in faster if row["stage"] == "unload")
    assert fastest > 2 * max(row["msg_per_s"] for row in faster if row["stage"] == "load")
    assert max(ticks) >= 0.8 * fastest


def test_a_stage_of_under_a_second_has_no_rate_over_time():
    plan = [case for case in PLAN if case.case_id == "load-unload.0.rabbitmq-mirrored-pair.r1"]
    short = plan[0].model_copy(update={"workload": plan[0].workload.model_copy(update={"messages": 100})})
    assert not list(over_time(sample.report((short,))))


def test_charts_are_the_same_whatever_the_reader_has_set_for_matplotlib(tmp_path):
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nlines.linewidth: 9\n")
    program = (
        "from breakeven.report.charts.drawing import load\n"
        "load()\n"
        "from matplotlib import rcParams as own\n"
        "print(own['text.usetex'], own['lines.linewidth'])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "functions")}
    argv = [sys.executable, "-c", program]
    done = subprocess.run(argv, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1.5"]


@pytest.mark.parametrize(
    ("operations", "unfinished", "at_least"),
    [
        (1000, None, set()),
        (1000, 0, set()),
        (1000, 1, {"mean_ms", "max_ms"}),
        (1000, 2, {"mean_ms", "max_ms", "p999_ms"}),
        (1000, 10, {"mean_ms", "max_ms", "p999_ms"}),
        (1000, 11, {"mean_ms", "max_ms", "p999_ms", "p99_ms"}),
        (1000, 501, {"mean_ms", "max_ms", "p999_ms", "p99_ms", "p95_ms", "p90_ms", "p50_ms"}),
        (1000, 1000, set(STATISTICS)),
    ],
)
def test_a_latency_whose_rank_lies_among_those_without_an_end_is_a_lower_bound(
    operations, unfinished, at_least
):
    metric = Metric(**dict.fromkeys(STATISTICS, 1.0), msg_per_s=1, mb_per_s=1, operations=operations)
    metric = metric.model_copy(update={"unfinished": unfinished})
    assert {name for name in STATISTICS if is_at_least(metric, name)} == at_least


def test_a_lower_bound_is_marked_and_said_below_the_table():
    report = sample.report()
    assert not metrics_table(report).notes
    case = next(case for case in report.cases if case.produce)
    bounded = case.produce.model_copy(update={"unfinished": case.produce.operations, "p50_ms": 12.5})
    report = report.model_copy(update={"cases": [case.model_copy(update={"produce": bounded})]})
    table = metrics_table(report)
    assert "≥ 12.5" in next(row for row in table.rows if row.labels[1] == "Produce").cells
    assert table.notes == (LOWER_BOUNDS,)
