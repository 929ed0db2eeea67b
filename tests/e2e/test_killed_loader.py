"""A loader that is killed in mid-case: the case fails with the reason, the run goes on, exit code 3."""

from __future__ import annotations

import contextlib
import re

import psutil

from tests.support.workflow.command import Command

SUITE = """
suite: two-cases
title: Two short cases, one of which will not end well
targets: [rabbitmq-mirrored-pair]
instrument: false
warm_up: false
seed: 1
scenarios:
  parallel: {threads: [1, 2], warmup_s: 1, measure_s: 4, drain_s: 20, message_size: 1KiB}
"""
RUNNING = re.compile(r"running (\S+),")


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


def test_a_killed_loader_fails_its_case_alone(tmp_path):
    command = Command(SUITE, tmp_path)
    while not (match := RUNNING.search(line := command.process.stdout.readline())):
        assert line, command.process.stderr.read()
    command.wait_for(lambda: connected_loader(command)).kill()
    code, _, err = command.end()
    assert code == 3, err
    by_id = {case["case_id"]: case for case in command.report()["cases"]}
    killed = by_id.pop(match[1])
    (other,) = by_id.values()
    assert killed["status"] == "failed"
    assert killed["reason"].startswith("BrokerDrive: Runtime.ExitError")
    assert "signal: killed" in killed["reason"]
    assert killed["ledger"] is None or killed["ledger"]["lost"] is None
    assert other["status"] == "ok"
    assert other["ledger"]["lost"] == other["ledger"]["missing"] == 0
    assert command.left_running() == set()
