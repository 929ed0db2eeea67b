"""The main job as a user runs it: real brokers, the synthesized workflow, the report."""

from __future__ import annotations

import csv
import json
import threading
import time
import urllib.error
import urllib.request

import jsonschema
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from breakeven.terms import METRICS
from tests.support.workflow.command import ROOT, TINY, Command, ended_well, has_doubts

#: of the second of two cases, which is under way when the run is told to stop; and what is far from it, in
#: which a busy machine stops everything
LONG_S, STOPS_S = 400, 100.0
#: by this seed the short one is the first
TWO_CASES = f"""
suite: two-cases
title: Two cases, of which one is settled
targets: [sqs-standard]
instrument: false
warm_up: false
seed: 1
defaults: {{threads: 1, warmup_s: 1, drain_s: 300, message_size: 1KiB}}
scenarios:
  short: {{measure_s: 2}}
  long: {{measure_s: {LONG_S}, rate: 20}}
"""
#: of how many operations there is a median; two seconds of a machine with much else to do may have fewer
ENOUGH = 20


class Follower(threading.Thread):
    """A reader of the live page at that address: keeps each status, and takes the report at the end."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.address, self.statuses, self.report = address, [], b""

    def run(self) -> None:
        while not self.report:
            status = json.loads(self._get("status.json"))
            self.statuses.append(status)
            if status["outcome"] != "running":
                self.report = self._get(status["report"].removeprefix("/"))
            time.sleep(1)

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.address + path, timeout=10) as answer:
            return answer.read()


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    command = Command(TINY, tmp_path_factory.mktemp("run"), "--live")
    first = command.process.stdout.readline()
    follower = Follower(first.removeprefix("live: ").strip())
    follower.start()
    code, out, err = command.end()
    assert ended_well(code, command.report()), f"{out}\n{err}"
    follower.join(30)
    return command, first + out, follower


@pytest.fixture(scope="module")
def ran(followed):
    return followed[:2]


@pytest.fixture(scope="module")
def report(ran):
    return ran[0].report()


def test_the_report_keeps_its_contract(report):
    jsonschema.validate(report, json.loads((ROOT / "docs" / "report.schema.json").read_text()))


def test_every_cell_ran_on_both_targets(report):
    cells = {(case["target"], case["scenario"], case["cell"]) for case in report["cases"]}
    assert len(cells) == len(report["cases"]) == 8
    assert {case["status"] for case in report["cases"]} == {"ok"}


def test_rates_and_latencies_are_there_where_the_thing_exists(report):
    for case in report["cases"]:
        for metric in ("produce", "consume", "consume_cycle"):
            operations = case[metric]["operations"]
            assert (case[metric]["msg_per_s"] > 0) == (operations > 0), case["case_id"]
            enough = operations >= ENOUGH
            assert (case[metric]["p50_ms"] is not None) == enough, case["case_id"]
            assert enough or case["scenario"] != "load-unload", "its number of messages is given"
        settled = case["settle"] is not None
        assert settled == case["target"].startswith("sqs"), "an AMQP ack has no reply to time"
        assert (case["end_to_end"] is None) == (case["scenario"] == "load-unload")


def test_every_message_is_accounted_for(report):
    for case in report["cases"]:
        ledger = case["ledger"]
        assert ledger["closed"], case["case_id"]
        assert ledger["missing"] == ledger["lost"] == ledger["left"] == 0
        assert ledger["sent"] == ledger["confirmed"] == ledger["received"] > 0
        if case["scenario"] == "load-unload":
            assert ledger["sent"] == 300


def test_the_self_test_counts_what_the_instrument_did(report):
    """Counts only: how close the latencies are depends on what else this machine does."""
    instrument = report["validity"]["instrument"]
    assert [case["protocol"] for case in instrument] == ["amqp", "sqs"]
    for case in instrument:
        found = {reading["what"]: reading for reading in case["readings"]}
        for what, count in (("lost", 7), ("duplicates", 5), ("out_of_order", 3)):
            assert {found[what][name] for name in ("programmed", "done", "read")} == {count}
        for what in ("produce.p99_ms", "consume.p99_ms"):
            assert found[what]["programmed"] == 12.0 <= found[what]["done"]
            assert found[what]["read"] is not None
    assert not any(case["target"] == "instrument" for case in report["cases"])
    assert not any(rate["case_id"].startswith("instrument") for rate in report["rates"])


def test_the_mirrors_were_in_sync_before_and_after(report):
    for case in report["cases"]:
        if case["target"] == "rabbitmq-mirrored-pair":
            for when in ("before", "after"):
                assert set(case["mirrors"][when].values()) == {1}
                assert len(case["mirrors"][when]) == case["parameters"]["queues"]
        else:
            assert case["mirrors"] is None


def test_emulated_is_never_called_measured(report):
    for case in report["cases"]:
        emulated = case["target"] == "sqs-standard"
        assert (case["provenance"] == "emulated") == emulated
        assert ("emulated" in case["flags"]) == emulated
        assert "shared_host" in case["flags"]
    assert "ElasticMQ" in report["manifest"]["sqs"]
    assert "emulated" in report["manifest"]["sqs"]
    assert report["manifest"]["rabbitmq"].startswith("RabbitMQ 3.")


def test_the_crossover_of_2012_is_the_articles(report):
    (crossover,) = [one for one in report["crossovers"] if one["price_book"] == "2012-12"]
    assert crossover["messages_per_hour"] == pytest.approx(53_333.33, abs=0.01)
    assert crossover["msg_per_s"] == pytest.approx(14.81, abs=0.005)


def test_the_files_are_there_and_agree(ran, report):
    folder = ran[0].runs / "latest"
    assert folder.resolve().name == report["run_id"]
    rows = list(csv.DictReader((folder / "report" / "cases.csv").open()))
    assert [row["case_id"] for row in rows] == [case["case_id"] for case in report["cases"]]
    written = (folder / "report" / "report.md").read_text()
    assert all(paragraph in written for paragraph in report["verdict"].split("\n\n"))
    assert (folder / "report" / "index.html").stat().st_size > 10_000
    assert list((folder / "rows" / "cases").rglob("*.json.gz"))
    assert not list(folder.rglob("*secret*"))


def test_the_latencies_of_each_case_are_there_for_the_tools_of_hdrhistogram(ran, report):
    for case in report["cases"]:
        path = ran[0].runs / "latest" / "histograms" / f"{case['case_id']}.hlog"
        reader = HistogramLogReader(str(path), HdrHistogram(1, 2**42 - 1, 3))
        seen = set()
        while (interval := reader.get_next_interval_histogram()) is not None:
            metric = case[interval.get_tag()]
            seen.add(interval.get_tag())
            assert interval.get_total_count() == metric["operations"]
            assert interval.get_max_value() / 1e6 == pytest.approx(metric["max_ms"], rel=1e-3)
            assert abs(interval.get_start_time_stamp() / 1000 - time.time()) < 3600
        reader.input_file.close()
        assert seen == {name for name in METRICS if case[name] and case[name]["operations"]}


def test_the_terminal_says_where_the_run_is_and_what_it_found(ran, report):
    out = ran[1]
    assert "[8/8]" in out
    assert "[self-test]" in out, "its cases are counted apart"
    assert "The instrument" not in out, "its cases are in no table"
    doubted = {"instrument_misread", "instrument_failed"} & set(report["validity"]["flags"])
    assert ("THE SELF-TEST FAILED." if doubted else "The self-test passed.") in out
    noted = (ran[0].runs / "latest" / "report" / "report.md").read_text()
    assert "programmed 7 lost, counted 7; 5 duplicates, 5; 3 out of order, 3" in noted
    assert report["cases"][0]["case_id"] in out
    assert "index.html" in out
    assert "\x1b[" not in out, "no control codes where the output is not a terminal"


def test_nothing_is_left_running(ran):
    assert ran[0].left_running() == set()


def test_the_live_page_followed_the_run_to_its_report(followed, report):
    command, _, follower = followed
    assert follower.report == (command.runs / "latest" / "report" / "index.html").read_bytes()
    last = follower.statuses[-1]
    assert last["outcome"] == "ok"
    rates = [moment for moment in last["moments"] if moment["sent_per_s"]]
    assert {moment["case"] for moment in rates} & {case["case_id"] for case in report["cases"]}
    with pytest.raises(urllib.error.URLError):
        follower._get("status.json")


def test_the_live_pages_figures_are_the_reports(followed, report):
    shown = {case["id"]: case for case in followed[2].statuses[-1]["cases"]}
    assert len(shown) == 10, "the instrument's two among them"
    for case in report["cases"]:
        found = shown[case["case_id"]]
        assert found["status"] == case["status"]
        assert found["target"].endswith("(emulated)") == (case["provenance"] == "emulated")
        for metric, latencies in found["latencies"].items():
            for name, shown_ms in latencies.items():
                wanted = case[metric][name]
                same = shown_ms is wanted if wanted is None else shown_ms == pytest.approx(wanted, rel=1e-9)
                assert same, (case["case_id"], metric, name)
        for metric, name in (("produce", "sent_per_s"), ("consume", "received_per_s")):
            if case["scenario"] != "load-unload":
                assert found["rates"][name] == pytest.approx(case[metric]["msg_per_s"], rel=1e-9)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory):
    """A run that is told to stop once it has measured something."""
    command = Command(TWO_CASES, tmp_path_factory.mktemp("interrupted"))
    lines: list[str] = []

    def case_ended() -> bool:
        lines.append(command.process.stdout.readline())
        return " ok " in lines[-1]

    command.wait_for(case_ended)
    started = time.monotonic()
    command.signal()
    code, out, _ = command.end()
    return command, code, time.monotonic() - started, out


@pytest.mark.thorough
def test_an_interrupted_run_stops_in_time_and_keeps_what_was_measured(interrupted):
    command, code, seconds, out = interrupted
    folder = (command.runs / "latest").resolve()
    assert seconds < STOPS_S, "it waits for no case"
    assert code == 130
    assert command.left_running() == set()
    assert len(list((folder / "rows" / "cases").rglob("*.json.gz"))) == 1
    assert f"to resume it: npm run breakeven -- run --resume {folder.name} --runs {command.runs}" in out


def test_a_run_that_is_complete_is_not_gone_on_with(ran, report):
    again = Command(None, ran[0].runs.parent, "--resume", "latest")
    code, _, err = again.end()
    assert code == (5 if has_doubts(report) else 2)
    assert "--resume" in err
    assert "it is complete (ok)" in err
