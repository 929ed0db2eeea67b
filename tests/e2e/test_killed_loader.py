"""A loader that is killed in mid-case: the case fails with the reason, the run goes on, exit code 3."""

from __future__ import annotations

import os
import re
import signal
import subprocess

from tests.e2e.command import Command

SUITE = """
suite: two-cases
title: Two short cases, one of which will not end well
targets: [rabbitmq-mirrored-pair]
seed: 1
scenarios:
  parallel: {threads: [1, 2], warmup_s: 1, measure_s: 4, drain_s: 20, message_size: 1KiB}
"""
RUNNING = re.compile(r"running (\S+),")


def loader_process(command: Command) -> int | None:
    """The process of the function that holds connections to a broker's AMQP port: a loader at work."""
    listing = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    workers = [int(line.split()[0]) for line in listing.splitlines() if "lambda_worker" in line]
    threads = {pid: len(os.listdir(f"/proc/{pid}/task")) for pid in workers if os.path.exists(f"/proc/{pid}")}
    busy = [pid for pid, count in threads.items() if count >= 4 and pid not in command.before]
    return busy[0] if busy else None


def test_a_killed_loader_fails_its_case_alone(tmp_path):
    command = Command(SUITE, tmp_path)
    while not (match := RUNNING.search(line := command.process.stdout.readline())):
        assert line, command.process.stderr.read()
    os.kill(command.wait_for(lambda: loader_process(command)), signal.SIGKILL)
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
