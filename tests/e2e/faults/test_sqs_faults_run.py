"""Faults of calls to SQS in a run as a user starts it: caused, counted, reported, and no proxy left."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from local.servers.proxy.fault_proxy import MODULE
from tests.support.workflow.command import Command

pytestmark = pytest.mark.installed

SUITE = """
suite: calls
title: Calls that fail, and deliveries that are repeated
targets: [sqs-standard]
instrument: false
warm_up: false
defaults: {threads: 2, warmup_s: 1, drain_s: 60, message_size: 1KiB}
scenarios:
  undisturbed: {measure_s: 2}
  repeated: {measure_s: 8, faults: [{at_s: 4, kind: duplicate, for_s: 2, percent: 20}]}
  refused:
    measure_s: 8
    faults: [{at_s: 4, kind: throttle, for_s: 2, percent: 30, calls: [receive, delete]}]
"""
LONG = """
suite: long
title: A case that is interrupted in its fault
targets: [sqs-standard]
instrument: false
warm_up: false
scenarios:
  late: {threads: 2, measure_s: 300, faults: [{at_s: 1, kind: delay, delay_ms: 100, for_s: 200, percent: 50}]}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    command = Command(SUITE, Path(tmp_path_factory.mktemp("calls")))
    code, out, err = command.end()
    assert code == 0, f"{out}\n{err}"
    assert "no loss of confirmed messages is expected, as a copy takes nothing away" in out + err
    assert command.left_running() == set()
    return command.report()


def test_every_message_is_accounted_for(report: dict[str, Any]) -> None:
    assert [case["status"] for case in report["cases"]] == ["ok"] * 3
    for ledger in (case["ledger"] for case in report["cases"]):
        assert (ledger["lost"], ledger["missing"], ledger["left"]) == (0, 0, 0)
        assert ledger["sent"] == ledger["received"] > 0


def test_duplicates_are_those_that_were_injected_and_the_report_says_both(report: dict[str, Any]) -> None:
    by_kind = {fault["kind"]: fault for fault in report["faults"]}
    assert set(by_kind) == {"duplicate", "throttle"}
    copies, refused = by_kind["duplicate"], by_kind["throttle"]
    assert copies["duplicates"] == copies["injected_receives"] > 0
    assert (refused["duplicates"], refused["injected_sends"]) == (0, 0)
    assert refused["injected_receives"] + refused["injected_deletes"] == refused["errors"] > 0
    for fault in by_kind.values():
        assert (fault["node"], fault["error"], fault["held"]) == ("fault proxy", None, True)
        assert fault["produced_before_per_s"] > 0
        assert fault["calls_seen"] > fault["injected_receives"]


def test_a_run_that_is_interrupted_in_a_fault_leaves_no_proxy(tmp_path: Path) -> None:
    command = Command(LONG, tmp_path)

    command.wait_for(lambda: _called(command))
    command.signal()
    code, out, err = command.end()
    assert code != 0, f"{out}\n{err}"
    assert command.left_running() == set()


def _called(command: Command) -> bool:
    """Does a loader go by the proxy?"""
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in map(psutil.Process, command.servers()):
            if MODULE in process.cmdline():
                return any(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections())
    return False


def test_the_findings_say_it_in_words(report: dict[str, Any]) -> None:
    findings = json.dumps([fault["finding"] for fault in report["faults"]])
    assert findings.count("held: no confirmed message lost") == 2
