"""Suites that have scales, at ``seconds``, and published command lines, made small, on real brokers.

Each ends with a report in which every message is accounted for.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from breakeven.planning.expand import expand
from breakeven.workload.read import at_scale, load_suite, shipped_suites
from tests.support.perftest_commands import PUBLISH_PEAK, SLOW_CONSUMERS, small
from tests.support.workflow.command import ended_well

SUITES = [name for name in shipped_suites() if load_suite(name).scale]
#: of one run: the longest plan is for four minutes
MOST_S = 600


def run(words: Sequence[str], runs: Path, perftest: Sequence[str] = ()) -> tuple[str, dict[str, Any]]:
    """What a run prints, and its report, whose ledgers are closed.

    :param perftest: what follows ``--``
    """
    command = [
        sys.executable,
        "-m",
        "cli",
        *words,
        "--runs",
        str(runs),
        *(["--", *perftest] if perftest else []),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MOST_S, check=False)
    assert done.returncode in {0, 5}, done.stdout[-4000:] + done.stderr[-4000:]
    (folder,) = (path for path in runs.iterdir() if path.name.startswith("r2") and not path.is_symlink())
    report = json.loads((folder / "report" / "report.json").read_text())
    assert ended_well(done.returncode, report), report["verdict"]
    for case in cases_of(report):
        assert case["status"] == "ok", case["reason"]
        assert case["ledger"]["sent"] > 0, case["case_id"]
        assert case["ledger"]["closed"], case["case_id"]
        assert case["ledger"]["lost"] == 0, case["case_id"]
    assert (folder / "report" / "index.html").stat().st_size > 10_000
    return done.stdout, report


def cases_of(report: dict[str, Any]) -> list[dict[str, Any]]:
    """But those of the self-test."""
    return [case for case in report["cases"] if case["target"] != "instrument"]


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_at_its_shortest_ends_with_a_report_in_which_every_message_is_accounted_for(name, tmp_path):
    printed, report = run(["run", name, "--scale", "seconds"], tmp_path)
    assert f"scale seconds of scenarios/{name}.yaml" in printed.lower().replace("\n", " ")
    assert report["suite"] == name
    assert report["title"].endswith(", scale seconds")
    planned = expand(at_scale(load_suite(name), "seconds"), run_id="run-1", environment="local")
    assert {case["case_id"] for case in cases_of(report)} == {case.case_id for case in planned}
    for fault in report["faults"]:
        assert fault["error"] is None, fault
        assert fault["back_s"] > fault["done_s"], fault
        assert fault["held"] is not False, fault


@pytest.mark.parametrize("line", [SLOW_CONSUMERS, PUBLISH_PEAK])
def test_a_published_command_line_runs_with_fewer_queues_and_workers_for_a_minute(line, tmp_path):
    _, report = run(["perftest"], tmp_path, small(line))
    (case,) = cases_of(report)
    assert (case["target"], case["cell"]) == ("rabbitmq-quorum-trio", "threads=10")
    assert case["ledger"]["sent"] >= 60 * 10 * 100, "the line's lowest rate, all the while"
