"""What the live page is given of a run: the terminal's view is given the same."""

from __future__ import annotations

import gzip
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.results.items import case_item, lane_item, loader_item
from cli.main import main
from cli.running.live.live_view import LivePageView
from cli.running.live.settled_figures import percentile_ms, settled_figures
from cli.running.progress import snapshot
from tests.fixtures.report import sample

CASES = sample.planned()[:3]
FIRST, SECOND, THIRD = (case.case_id for case in CASES)
MS = 1_000_000


class Recorded:
    """Stands for the terminal, and for the server."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.shown: list[Any] = []
        self.ended: tuple[Any, Path | None] | None = None

    def say(self, text: str) -> None:
        self.said.append(text)

    def show(self, now: Any) -> None:
        self.shown.append(now)

    def end(self, status: Any, report: Path | None) -> None:
        self.ended = status, report

    def close(self) -> None:
        self.said.append("closed")


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "run-1"


def write(folder: Path, table: str, case_id: str, *rows: dict[str, Any]) -> None:
    path = folder / layout.row_key(table, folder.name, case_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))


def settled(folder: Path, case_id: str) -> None:
    """500 messages a second, half of them within 1 ms, and 2 s at most."""
    write(folder, "cases", case_id, {"provenance": "emulated"})
    total = {"operations": 1000, "completed": 1000, "stage_s": 2.0, "min_ns": MS, "max_ns": 2000 * MS}
    write(
        folder,
        "totals",
        case_id,
        {"metric": "produce", **total},
        {"metric": "settle", **total, "operations": 0},
    )
    bins = [(MS, 500), (3 * MS, 480), (2001 * MS, 20)]
    rows = [{"metric": "produce", "value_ns": value, "operations": operations} for value, operations in bins]
    write(folder, "latencies", case_id, *reversed(rows))


def test_a_run_is_shown_in_both_places(folder):
    terminal, server = Recorded(), Recorded()
    view = LivePageView(terminal, server, CASES, folder)
    assert [case["status"] for case in server.shown[-1]["cases"]] == ["to come"] * 3
    view.say("SQS: a server")
    settled(folder, FIRST)
    loader = {"stage": "measure", "produce_per_s": 480.0, "consume_per_s": 470.0}
    now = snapshot(
        {
            case_item(FIRST): {"status": "ok"},
            case_item(SECOND): {"status": "running", "attempt": 1, "started_at": "2026-11-20T00:00:00+00:00"},
            lane_item(CASES[2].target): {"status": "ready", "provenance": "emulated"},
            loader_item(SECOND, 1, 0): loader,
            loader_item(SECOND, 1, 1): loader,
        },
        CASES,
    )
    view.show(now)
    assert (terminal.said, terminal.shown) == (["SQS: a server"], [now])
    status = json.loads(json.dumps(server.shown[-1]))
    assert status["lines"] == ["SQS: a server"]
    assert [case["status"] for case in status["cases"]] == ["ok", "running", "to come"]
    first = status["cases"][0]
    assert first["rates"] == {"sent_per_s": 500.0}
    assert first["latencies"] == {"produce": {"p50_ms": 1.0, "p99_ms": 2000.0}}
    assert first["target"].endswith("(emulated)")
    assert (status["stage"], status["outcome"], status["report"]) == ("measure", "running", None)
    assert status["cases"][2]["target"].endswith("(emulated)"), "its lane says so before any case does"
    (moment,) = status["moments"]
    assert (moment["case"], moment["sent_per_s"], moment["received_per_s"]) == (SECOND, 960.0, 940.0)


def test_a_case_that_failed_says_why_and_has_no_figures(folder):
    server = Recorded()
    view = LivePageView(Recorded(), server, CASES, folder)
    view.show(snapshot({case_item(FIRST): {"status": "failed", "reason": "<b>gone</b>"}}, CASES))
    first = server.shown[-1]["cases"][0]
    assert (first["status"], first["reason"], first["rates"], first["latencies"]) == (
        "failed",
        "<b>gone</b>",
        {},
        {},
    )


@pytest.mark.parametrize(
    ("outcome", "written", "found"),
    [("ok", True, True), ("failed", False, False), ("interrupted", True, False)],
)
def test_the_end_has_the_report_where_there_is_one_of_the_end(folder, outcome, written, found):
    server = Recorded()
    if written:
        (folder / "report").mkdir(parents=True)
        (folder / "report" / "index.html").write_text("the report")
    LivePageView(Recorded(), server, CASES, folder).end(outcome)
    status, report = server.ended
    assert status["outcome"] == outcome
    assert report == (folder / "report" if found else None)


def test_of_a_backlog_the_time_in_the_queue_is_left_out(folder):
    settled(folder, FIRST)
    total = {"operations": 1000, "completed": 1000, "stage_s": 2.0, "min_ns": MS, "max_ns": MS}
    write(folder, "totals", FIRST, {"metric": "produce", **total}, {"metric": "end_to_end", **total})
    assert settled_figures(folder, FIRST)["latencies"].keys() == {"produce", "end_to_end"}
    write(folder, "cases", FIRST, {"provenance": "emulated", "mode": "load-unload"})
    assert settled_figures(folder, FIRST)["latencies"].keys() == {"produce"}


def test_a_percentile_with_too_few_samples_beyond_it_is_none():
    total = {"min_ns": 0, "max_ns": 10 * MS}
    bins = [{"value_ns": MS, "operations": 990}, {"value_ns": 5 * MS, "operations": 9}]
    assert percentile_ms(bins, total, 990) is None
    assert percentile_ms([*bins, {"value_ns": 9 * MS, "operations": 1}], total, 990) == 1.0
    assert percentile_ms([], total, 500) is None


def test_a_case_without_rows_has_no_figures(tmp_path):
    assert settled_figures(tmp_path, "c1") == {"emulated": False, "rates": {}, "latencies": {}}


@pytest.mark.parametrize("port", ["0", "65536", "-1", "quick", "٣", "80.5"])
def test_what_is_no_port_is_refused_before_anything_starts(port, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", f"--live={port}", "quick"])
    assert ended.value.code == 2
    assert "must be a port from 1 to 65535, or nothing for any that is free" in capsys.readouterr().err


def test_a_port_that_is_taken_is_refused_and_nothing_is_left(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["run", "quick", "--share", "--live", str(port), "--runs", str(tmp_path / "runs")]) == 2
    assert f"--live: '{port}': is taken by another program" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_runs_on_aws_have_no_page_here(capsys):
    assert main(["run", "--on", "aws", "--live"]) == 2
    assert "breakeven run: --live: belongs to runs on this machine" in capsys.readouterr().err
    assert main(["run", "--on", "aws", "--live", "8080"]) == 2
    assert "--live: 8080: belongs to runs on this machine" in capsys.readouterr().err
