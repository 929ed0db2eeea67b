"""A loader that is killed in mid-case: the case fails with the reason, the run goes on, exit code 3."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import psutil
import pytest

from tests.support.workflow.command import Command

#: what a failing loader leads to is in ``npm test`` (test_failures.py); here a process is killed
pytestmark = pytest.mark.installed

SUITE = """
suite: two-cases
title: Two short cases, one of which will not end well
targets: [rabbitmq-mirrored-pair]
instrument: false
warm_up: false
seed: 1
scenarios:
  parallel: {threads: [1, 2], rate: 100, warmup_s: 1, measure_s: 4, drain_s: 120, message_size: 1KiB}
"""
#: one search by two loaders, whose first one leads; and a case that is to go well
SEARCH = SUITE.replace("threads: [1, 2], rate: 100", "threads: 1") + (
    "  capacity: {mode: capacity, threads: 2, loaders: 2, rate: 300, measure_s: 4, drain_s: 10}\n"
)


def connected_loader(command: Command) -> psutil.Process | None:
    """A loading function's process that holds connections to one of the run's brokers: it is at work."""
    with contextlib.suppress(psutil.NoSuchProcess):  # one that ends while it is looked at: look again
        return connected_to_broker([psutil.Process(pid) for pid in command.servers()])
    return None


def connected_to_broker(processes: list[psutil.Process]) -> psutil.Process | None:
    broker_ports = {
        socket.laddr.port
        for process in processes
        if process.name() == "beam.smp"
        for socket in process.net_connections()
        if socket.status == psutil.CONN_LISTEN
    }
    for process in processes:
        if "FunctionsLoad" in process.environ().get("AWS_LAMBDA_FUNCTION_NAME", ""):
            peers = {socket.raddr.port for socket in process.net_connections() if socket.raddr}
            if peers & broker_ports:
                return process
    return None


def ended(suite: str, scenario: str, folder: Path) -> tuple[Command, str]:
    """The command after a loader of that scenario's first case was killed, and that case's id."""
    command = Command(suite, folder)
    while not (match := re.search(rf"running ({scenario}\S*),", line := command.process.stdout.readline())):
        assert line, command.process.stderr.read()
    command.wait_for(lambda: connected_loader(command)).kill()
    code, _, err = command.end()
    assert code == 3, err
    return command, match[1]


def assert_failed_alone(command: Command, case_id: str) -> None:
    by_id = {case["case_id"]: case for case in command.report()["cases"]}
    killed = by_id.pop(case_id)
    (other,) = by_id.values()
    assert killed["status"] == "failed"
    assert killed["reason"].startswith("BrokerDrive: Runtime.ExitError")
    assert "signal: killed" in killed["reason"]
    assert killed["ledger"] is None or killed["ledger"]["lost"] is None
    assert other["status"] == "ok"
    assert other["ledger"]["lost"] == other["ledger"]["missing"] == 0
    assert command.left_running() == set()


def test_a_killed_loader_fails_its_case_alone(tmp_path):
    command, case_id = ended(SUITE, "", tmp_path)
    assert_failed_alone(command, case_id)


def test_a_loader_killed_in_a_search_of_two_fails_it_and_the_other_ends(tmp_path):
    command, case_id = ended(SEARCH, "capacity", tmp_path)
    assert_failed_alone(command, case_id)
