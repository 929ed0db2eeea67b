"""``breakeven report --published``: the sources' tables to the digit, through the queries of every run."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import jsonschema
import pytest

import breakeven.published.rows
from breakeven.published.rows import SOURCES, load_published, load_shipped, shipped
from breakeven.report.building.published_as_rows import rows
from breakeven.report.building.published_as_rows import rows as rows_of
from breakeven.report.contract.json_schema import schema
from breakeven.report.contract.report_model import Report
from breakeven.report.tables.scenario_tables import comparison_tables
from breakeven.results.queries import queries
from cli.main import main
from local.stored.answers import ask, write_rows
from local.stored.published_report import write_report
from tests.fixtures.report.html import parse, text

SQS, RABBITMQ = "SQS standard", "RabbitMQ mirrored pair"
#: source A's tables as the article sets them: msg/s, then average, least, 90%, greatest
LOAD_UNLOAD = {
    ("Consume cycle", SQS): "198 25 17 28 721",
    ("Produce", SQS): "317 16 10 20 769",
    ("Consume cycle", RABBITMQ): "1293 3 0 3 3716",
    ("Produce", RABBITMQ): "1875 2 0 0 14785",
}
#: rates at 1, 5, 10 and 40 threads, and the mean latency at each
PARALLEL = {
    ("Produce", SQS): ("65 324 641 969", "16 – – 43"),
    ("Consume cycle", SQS): ("33 186 333 435", "29 – – 98"),
    ("Produce", RABBITMQ): ("3086 3157 3083 3200", "0 1 3 11"),
    ("Consume cycle", RABBITMQ): ("272 811 820 798", "3 6 12 51"),
}
QUEUES = {("Produce", RABBITMQ): "3157 3489", ("Consume cycle", RABBITMQ): "811 880"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for letter in SOURCES:
        write_report(letter, folder)
    return folder


def report(runs: Path, letter: str) -> Report:
    return Report.model_validate_json(file(runs, letter, "report.json"))


def file(runs: Path, letter: str, name: str) -> str:
    return (runs / f"published-{letter.lower()}" / "report" / name).read_text(encoding="utf-8")


def digits(cells: list[str] | tuple[str, ...]) -> str:
    """Cells without the separators of thousands."""
    return " ".join(cell.replace(",", "") for cell in cells)


def page_rows(runs: Path, letter: str, scenario: str) -> dict[tuple[str, str], list[str]]:
    """(section, label) -> cells of a scenario's table on the page; every row says that it is published."""
    root = parse(file(runs, letter, "index.html"))
    (figure,) = [f for f in root.iter("figure") if f.get("id") == f"table-scenario-{scenario}"]
    found, section = {}, ""
    for row in figure.find(".//tbody"):
        if row.get("class") == "section":
            section = text(row)
            continue
        badge, *cells = [text(cell) for cell in row.iter("td")]
        assert badge == "published"
        found[section, text(row.find("th"))] = cells
    return found


def markdown_rows(runs: Path, letter: str, caption: str) -> dict[tuple[str, str], list[str]]:
    body = file(runs, letter, "report.md").split(f"\n### {caption}\n\n")[1].split("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in body.splitlines()[2:]]
    assert {line[2] for line in lines} == {"published"}
    return {(line[0], line[1]): line[3:] for line in lines}


def table_rows(runs: Path, letter: str, scenario: str) -> dict[tuple[str, str], list[str]]:
    (table,) = [t for t in comparison_tables(report(runs, letter), None) if t.scenario == scenario]
    return {(row.section, row.labels[0]): list(row.cells) for row in table.rows}


SHOWN = [page_rows, table_rows]


@pytest.mark.parametrize(
    "shown", [pytest.param(page_rows, marks=pytest.mark.thorough), table_rows, markdown_rows]
)
def test_source_as_tables_are_there_to_the_digit(runs, shown):
    md = shown is markdown_rows
    load = shown(runs, "A", "Load-unload" if md else "load-unload")
    assert {key: digits(cells) for key, cells in load.items()} == LOAD_UNLOAD
    parallel = shown(runs, "A", "Parallel" if md else "parallel")
    found = {key: (digits(cells[::2]), digits(cells[1::2])) for key, cells in parallel.items()}
    assert found == PARALLEL
    queues = shown(runs, "A", "Queues" if md else "queues")
    assert {key: digits(cells) for key, cells in queues.items()} == QUEUES


def test_source_as_figures_in_the_json_are_numbers_and_as_printed(runs):
    cases = {case.case_id: case for case in report(runs, "A").cases}
    sqs = cases["load-unload.threads-5.sqs-standard.r1"]
    assert sqs.consume_cycle.model_dump() == {
        **dict.fromkeys(("mb_per_s", "p50_ms", "p95_ms", "p99_ms", "p999_ms", "operations", "unfinished")),
        **dict.fromkeys(
            ("early_msg_per_s", "paused_s", "empty_per_message", "core_operations", "general_operations")
        ),
        "per_call": None,
        **{"msg_per_s": 198.0, "mean_ms": 25.0, "min_ms": 17.0, "p90_ms": 28.0, "max_ms": 721.0},
    }
    assert sqs.printed["consume_cycle.p90_ms"] == "28"
    assert len(cases) == 12
    for case in cases.values():
        for name, printed in case.printed.items():
            metric, figure = name.split(".")
            assert getattr(getattr(case, metric), figure) == float(printed), (case.case_id, name)
        assert (case.provenance, case.environment, case.flags) == ("published", "elsewhere", [])
        assert (case.ledger, case.consume, case.settle, case.end_to_end) == (None,) * 4


def test_source_as_own_break_even_is_reported_with_the_quotient_of_its_prices(runs):
    reported = "Its own break-even, as printed: 60,000 messages an hour, 17 a second."
    page, markdown = text(parse(file(runs, "A", "index.html"))), file(runs, "A", "report.md")
    for said in (page, markdown):
        assert reported in said
        assert "53,333 messages an hour, 14.8 a second" in said
    assert report(runs, "A").source.breakeven.msg_per_s == 17
    assert report(runs, "C").source.breakeven is None


def test_source_as_prices_end_where_its_measurements_do(runs):
    markdown = file(runs, "A", "report.md")
    for caption in ("What a month costs, by rate", "Break-even hours"):
        table = markdown.split(f"### {caption}")[1].split("###")[0]
        assert "| 100 msg/s |" in table
        assert "\n| 1,000 msg/s |" not in table
        assert "sent and received at most 880 messages a second at the same time" in table
    assert "less than 8.95 hours" in markdown
    assert "at least 14.8 messages a second at peak" in markdown


def test_source_as_page_says_nothing_of_what_it_does_not_show(runs):
    page = file(runs, "A", "index.html")
    absent = ("Amazon MQ", "shaded band", "emulated.", "batched and long-polled", "1 B per message")
    assert [words for words in absent if words in page] == []
    assert "messages of any size up to 64 KiB" in page
    assert "0-2 ms" not in page


def test_cases_stand_in_the_order_of_the_source(runs):
    for letter, name in SOURCES.items():
        order = [(row.scenario, row.cell, row.target) for row in load_shipped(name).rows]
        assert [(c.scenario, c.cell, c.target) for c in report(runs, letter).cases] == order


def test_source_cs_rates_stand_by_machine(runs):
    (cores,) = [t for t in comparison_tables(report(runs, "C"), None) if t.scenario == "cores"]
    assert cores.columns == ("cores", "hyper-threads", "memory, GB", "network, Gbit/s", "msg/s")
    assert [(row.labels[0], digits(row.cells)) for row in cores.rows] == [
        ("r3.xlarge", "2 4 30.5 1.0 5500"),
        ("r3.2xlarge", "4 8 64 1.1 6200"),
        ("r3.4xlarge", "8 16 128 2.2 6800"),
    ]
    full = page_rows(runs, "C", "full-queues")
    assert digits(full["", "r3.2xlarge"][-2:]) == "1750 17000"
    assert digits(full["", "r3.4xlarge"][-2:]) == "5000 20000"
    rates = {
        (case.scenario, case.cell): case.printed["produce.msg_per_s"]
        for case in report(runs, "C").cases
        if case.scenario in {"disk", "node", "spread"}
    }
    assert digits(list(rates.values())) == "6600 6900 9000 9500 6200 3000 8000 5000 7500 6000"


def test_source_ds_dollars_stand_by_nodes_and_volume(runs):
    tables = {table.scenario: table for table in comparison_tables(report(runs, "D"), None)}
    ideal = tables["ideal-conditions"]
    assert ideal.columns == ("nodes", "vCPU", "volume", "$ a month per 1000 msg/s")
    assert [" ".join((*row.labels, *row.cells)) for row in ideal.rows] == [
        "c5.2xlarge 7 8 gp2 54",
        "c5.2xlarge 9 8 gp2 69",
        "c5.2xlarge 5 8 st1 93",
        "c5.4xlarge 5 16 gp2 98",
        "c5.4xlarge 7 16 gp2 107",
    ]
    adverse = [(*row.labels, *row.cells) for row in tables["adverse-conditions"].rows]
    assert adverse == [
        ("c5.4xlarge", "7", "16", "104", "no visible mark"),
        ("c5.2xlarge", "9", "8", "81", "no visible mark"),
    ]
    held = [(row.cells[-3], row.cells[-2]) for row in tables["slow-consumers"].rows]
    assert held == [("20,000", "yes"), ("20,000", "yes"), ("30,000", "yes"), ("30,000", "no")]
    assert not any(case.produce for case in report(runs, "D").cases), "it prints no rate of a cluster"


def test_source_bs_shares_stand_in_its_own_words(runs):
    tables = {table.scenario: table for table in comparison_tables(report(runs, "B"), None)}
    found = {
        name: [dict(zip(table.columns, row.cells, strict=True)) for row in table.rows]
        for name, table in tables.items()
    }
    assert {name: rows[0]["rate"] for name, rows in found.items()} == {
        "mandatory": "about 40% of the rate without it",
        "immediate": "almost exactly that of mandatory",
        "acks-and-confirms": "over 60% of the rate without either",
    }
    assert not any(case.produce for case in report(runs, "B").cases), "it prints no rate"
    assert "left RabbitMQ in 3.0" in file(runs, "B", "report.md")


def test_source_es_rates_stand_by_system(runs):
    (ladder,) = [table for table in comparison_tables(report(runs, "E"), None) if table.scenario == "ladder"]
    rows = [dict(zip(ladder.columns, row.cells, strict=True)) for row in ladder.rows]
    windows, linux = (
        [row for row in rows if name in row["operating system"]] for name in ("Windows", "Linux")
    )
    assert (len(windows), len(linux)) == (9, 13)
    assert [row["msg/s"] for row in windows if row["offered msg/s"] == "12,000"] == ["11,938"]
    assert [row["completed"] for row in windows if row["publishers"] in "34"] == ["no", "no"]
    assert [row["msg/s"] for row in linux if row["bytes a message"] == "1,024"] == ["5,000"] * 3
    (mixed,) = [table for table in comparison_tables(report(runs, "E"), None) if table.scenario == "mixed"]
    rows = [dict(zip(mixed.columns, row.cells, strict=True)) for row in mixed.rows]
    assert [row["msg/s"] for row in rows] == ["50,000", "57,000", "5", "30,000", "5"]
    assert [row["completed"] for row in rows] == ["no", "yes", "–", "–", "–"]


@pytest.mark.parametrize("letter", SOURCES)
def test_every_row_of_the_queries_is_published(tmp_path, letter):
    tables = write_rows(tmp_path, "p", rows_of(load_shipped(SOURCES[letter])))
    found = ask(tables, "p", list(queries()))
    for name in ("cases", *(("throughput", "latency_percentiles") if letter not in "BD" else ())):
        assert found[name]
        assert {(row["provenance"], row["environment"]) for row in found[name]} == {
            ("published", "elsewhere")
        }
    for name in ("rate_over_time", "ledger", "repeats", "comparison"):
        assert not found[name], f"{name}: no source prints that, and none may enter what was measured"


def test_decimals_come_through_as_they_were_printed(tmp_path):
    path = tmp_path / "source.yaml"
    path.write_text(
        shipped("source-a")
        .read_text(encoding="utf-8")
        .replace(
            '{msg_per_s: "317", mean_ms: "16", min_ms: "10", p90_ms: "20", max_ms: "769"}',
            '{msg_per_s: "1234.10", mean_ms: "0.3", min_ms: "0.07", p90_ms: "1.10", max_ms: "1.700"}',
        )
    )
    answers = ask(write_rows(tmp_path, "p", rows_of(load_published(path))), "p", list(queries()))
    key = ("load-unload.threads-5.sqs-standard.r1", "produce")
    (rate,) = [r["msg_per_s"] for r in answers["throughput"] if (r["case_id"], r["metric"]) == key]
    (latency,) = [r for r in answers["latency_percentiles"] if (r["case_id"], r["metric"]) == key]
    assert rate == 1234.1
    assert [latency[name] for name in ("mean_ms", "min_ms", "p90_ms", "max_ms")] == [0.3, 0.07, 1.1, 1.7]
    (case,) = [row for row in answers["cases"] if row["case_id"] == key[0]]
    assert json.loads(case["printed"])["produce.p90_ms"] == "1.10"


def test_nothing_is_made_up_of_how_many_latencies_stand_behind_a_figure():
    published = rows(load_shipped("source-a"))
    assert {row["statistic"] for row in published["latencies"]} == {"mean", "p90"}
    assert {row["operations"] for table in ("latencies", "totals") for row in published[table]} == {None}


@pytest.mark.parametrize("letter", SOURCES)
def test_sections_that_do_not_apply_are_left_out(runs, letter):
    root = parse(file(runs, letter, "index.html"))
    sections = [section.get("id") for section in root.iter("section")]
    priced = bool(load_shipped(SOURCES[letter]).breakeven)
    detail, cost = (["detail"], ["cost"]) if priced else ([], [])
    assert sections == [*detail, "compared", *cost, "tests", "assumptions", "provenance"]
    links = {link.get("href")[1:] for link in root.iter("a")}
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert links <= set(ids)
    assert len(ids) == len(set(ids))
    markdown = file(runs, letter, "report.md")
    source = load_shipped(SOURCES[letter])
    for said in (text(root), re.sub(r"\\(.)", r"\1", markdown)):
        assert all(value in said for value in source.setup.values())
    for gone in ("Ledger", "Repeats", "Every metric", "Which target is faster"):
        assert f"# {gone}" not in markdown
    for page in (text(root), markdown):
        assert "none was measured for this report" in page
        assert "EMULATED |" not in page


@pytest.mark.parametrize("letter", SOURCES)
def test_the_files_keep_their_contracts(runs, tmp_path, monkeypatch, letter):
    document = json.loads(file(runs, letter, "report.json"))
    jsonschema.validate(document, json.loads(schema("report")))
    assert document["source"]["title"] == load_shipped(SOURCES[letter]).title
    assert document["rates"] == document["repeats"] == []
    per_hour = [f"{row['messages_per_hour']:,.0f}" for row in document["crossovers"]]
    assert per_hour == (["53,333"] if letter == "A" else [])
    read = list(csv.DictReader(io.StringIO(file(runs, letter, "cases.csv"))))
    assert {row["provenance"] for row in read} == {"published"}
    monkeypatch.setattr(
        "local.stored.published_report.ask", ask
    )  # of the queries, not of what is kept of them
    _, again = write_report(letter, tmp_path)
    for path in again.iterdir():
        assert path.read_text(encoding="utf-8") == file(runs, letter, path.name), "the same bytes again"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("letter", ["A", "a", "C", "D"])
def test_the_command_prints_the_tables_and_where_the_report_is(tmp_path, capsys, letter):
    assert main(["report", "--published", letter, "--runs", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    page = tmp_path / f"published-{letter.lower()}" / "report" / "index.html"
    assert f"report: {page}" in out
    assert page.is_file()
    assert "(published)" in out
    if letter in "Aa":
        assert re.search(r"Produce +RabbitMQ mirrored pair +1,875 +2 +0 +0 +14,785\n", out)


def test_a_published_report_is_rendered_again_like_any_other(runs, capsys):
    before = file(runs, "A", "index.html")
    assert main(["report", "published-a", "--runs", str(runs)]) == 0
    assert file(runs, "A", "index.html") == before
    assert "14,785" in capsys.readouterr().out


def test_the_command_says_what_it_wrote_as_json(tmp_path, capsys):
    assert main(["report", "--published", "D", "--runs", str(tmp_path), "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert {Path(path).name for path in reported["written"]} == {
        *("cases.csv", "index.html", "report.json", "report.md")
    }
    assert "$54" in reported["verdict"]


@pytest.mark.parametrize("letter", ["F", "AC", "source-a"])
def test_an_unknown_source_is_bad_input(tmp_path, capsys, letter):
    assert main(["report", "--published", letter, "--runs", str(tmp_path)]) == 2
    assert "sources with published rows are A, B, C, D, E" in capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "nothing was written"


def test_a_run_and_a_source_at_once_are_bad_input(tmp_path, capsys):
    assert main(["report", "latest", "--published", "A", "--runs", str(tmp_path)]) == 2
    assert "not both" in capsys.readouterr().err


def test_a_damaged_source_and_a_folder_in_the_way_are_bad_input(tmp_path, capsys, monkeypatch):
    (tmp_path / "occupied").write_text("a file")
    assert main(["report", "--published", "A", "--runs", str(tmp_path / "occupied")]) == 2
    assert "cannot be written" in capsys.readouterr().err
    damaged = tmp_path / "source-a.yaml"
    damaged.write_text(shipped("source-a").read_text(encoding="utf-8").replace('"1875"', "1875"))
    monkeypatch.setattr(breakeven.published.rows, "shipped", lambda name: damaged)
    assert main(["report", "--published", "A", "--runs", str(tmp_path / "runs")]) == 2
    assert (
        "source-a.yaml: rows.1.produce.msg_per_s: '1875': give the figure in quotes"
        in capsys.readouterr().err
    )
