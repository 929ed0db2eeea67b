"""A deployed installation in use: a run that was aborted, one that goes on with it, and the command line.

Of the run that goes on every function is called twice: what was settled is not run again, and rows and report
hold each case once. ``breakeven run --on aws`` and ``breakeven doctor`` talk to the same installation.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from datetime import UTC, datetime

import pytest
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.ssm.models import Parameter, ssm_backends

from breakeven.results import layout
from breakeven.results.items import RUN
from cli.main import main
from local.aws.patches.ec2_patches import register_image
from tests.support.workflow.command import PYTHON, ROOT
from tests.support.workflow.resumed_runs import (
    CUT,
    RESUMED,
    Ran,
    abort,
    change_lock,
    metrics_in,
    of_status,
    records,
    rows,
    sqs_at,
)
from tests.support.workflow.workflow_runs import SUITE as SUITE_OF_ONE
from tests.support.workflow.workflow_runs import Workflow, functions_of, workflow_at

pytestmark = pytest.mark.installed

CASES = 4
ON_AWS = ("run", "--on", "aws")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("in-use")


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, folder):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, folder) as made:
        yield made


@pytest.fixture(scope="module")
def ran(workflow, sqs_endpoint, folder):
    settled = abort(workflow)
    workflow.calls.twice.add(RESUMED)
    given = {"resume_run_id": CUT, "surroundings": {"name": "local"}}
    execution = workflow.plane.start(workflow.outputs["StateMachineArn"], given, name=RESUMED)
    outcome = workflow.end(execution)
    return Ran(workflow, sqs_at(sqs_endpoint), settled, outcome, metrics_in(folder / "logs"))


def test_it_ends_well_and_every_call_was_made_twice(ran):
    record = ran.workflow.state(RESUMED).get(RUN)
    assert (ran.outcome, record["status"]) == ("SUCCEEDED", "ok"), record
    assert record["cases"] == CASES
    assert set(Counter(ran.workflow.calls.made).values()) == {2}
    called = {function for function, _ in ran.workflow.calls.made}
    assert len(called) > 10


def test_what_was_settled_is_not_run_again(ran):
    assert 0 < len(ran.settled) < CASES, "nothing to be seen"
    again = {
        key.removeprefix(layout.run_prefix(RESUMED)).split("/")[1]
        for key in ran.workflow.store().keys(f"{layout.run_prefix(RESUMED)}raw/")
    }
    before = {item["case_id"] for item in ran.settled.values() if "settled_in" not in item}
    taken_over = {item["case_id"] for item in records(ran).values() if item.get("settled_in") == CUT}
    assert before <= taken_over
    assert again == {item["case_id"] for item in records(ran).values()} - taken_over
    assert len(again) + len(taken_over) == CASES


def test_each_case_is_counted_once_and_its_messages_are(ran):
    report = ran.workflow.store().get_json(layout.report_key(RESUMED, "report.json"))
    ids = [case["case_id"] for case in report["cases"]]
    assert len(ids) == len(set(ids)) == CASES
    assert sorted(row["case_id"] for row in rows(ran, "cases")) == sorted(ids)
    for case in report["cases"]:
        ledger = case["ledger"]
        assert case["status"] == "ok"
        assert ledger["closed"]
        assert ledger["sent"] == ledger["received"] > 0
        assert ledger["duplicates"] == 0
    windows = Counter(
        (row["case_id"], row["loader"], row["stage"], row["metric"], row["second"])
        for row in rows(ran, "windows")
    )
    assert set(windows.values()) == {1}
    assert any("resumes run cut" in note for note in report["manifest"]["notes"])


def test_metrics_count_each_case_and_run_once(ran):
    first = of_status(ran.workflow, CUT, "ok")
    again = [item for item in records(ran).values() if "settled_in" not in item]
    assert ran.metrics["CasesOk"] == len(first) + len(again)
    assert ran.metrics["RunsOk"] == 1, "the aborted one came to no end"
    assert ran.metrics["CasesFailed"] == ran.metrics["RunsFailed"] == 0


def test_what_a_repeated_call_made_is_gone_too(ran):
    assert all(item["released"] for item in records(ran).values())
    prepared = [item for item in records(ran).values() if "settled_in" not in item]
    assert {item["attempt"] for item in prepared} == {2}, "prepared twice"
    named = [url for item in prepared for url in json.loads(item["queues"]) if url.startswith("http")]
    prefixes = {url.rpartition("/")[2].partition("-a2-")[0] for url in named}
    for prefix in prefixes:
        assert ran.sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", []) == []


def test_brokers_are_launched_once_and_cleaned_up(ran):
    launched = ran.workflow.machines.launched.get(RESUMED, set())
    assert len(launched) in {0, 2}
    assert launched <= ran.workflow.machines.terminated


@pytest.fixture(scope="module")
def started(ran, tmp_path_factory):
    """A run that was started from the command line, which was interrupted before a case was begun."""
    begins, goes_on = threading.Event(), threading.Event()

    def hold(run_id: str, function: str) -> None:
        if re.search(functions_of("PrepareCase"), function) and not goes_on.is_set():
            begins.set()
            goes_on.wait(60)

    ran.workflow.calls.before.append(hold)
    folder = tmp_path_factory.mktemp("command")
    (folder / "suite.yaml").write_text(SUITE_OF_ONE)
    argv = [
        *PYTHON,
        "-m",
        "cli",
        *ON_AWS,
        "--runs",
        str(folder / "runs"),
        str(folder / "suite.yaml"),
    ]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'functions'}"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(argv, cwd=ROOT, env=environment, text=True, **pipes) as process:
        assert begins.wait(120)
        process.send_signal(signal.SIGINT)
        lines = process.stdout.readlines()
        code = process.wait()
    goes_on.set()
    ran.workflow.calls.before.remove(hold)
    run_id = re.search(r"started (r\S+) of QueueBreakeven", "".join(lines))
    assert run_id, lines
    return folder, run_id[1], code, lines


def test_a_run_on_aws_is_started_and_goes_on_when_nobody_follows_it(ran, started):
    _, run_id, code, lines = started
    assert code == 130
    reported = "".join(lines)
    assert "in us-east-1 of account 123456789012: 1 case, about" in reported
    execution = f"{ran.workflow.outputs['StateMachineArn'].replace('stateMachine', 'execution')}:{run_id}"
    assert f"stop it: aws stepfunctions stop-execution --execution-arn {execution}" in reported
    assert f"npm run breakeven -- run --on aws --follow {run_id}" in reported
    assert ran.workflow.plane.status(execution) == "RUNNING"


def test_it_is_followed_again_to_its_end_and_its_report_is_where_local_ones_are(started, capsys):
    folder, run_id, _, _ = started
    assert main([*ON_AWS, "--follow", run_id, "--runs", str(folder / "runs")]) == 0
    out = capsys.readouterr().out
    assert "the execution has ended: SUCCEEDED" in out
    assert "[1/1] ok parallel." in out
    report = json.loads((folder / "runs" / "latest" / "report" / "report.json").read_text())
    assert (report["run_id"], report["environment"]) == (run_id, "aws")
    assert (folder / "runs" / run_id / "report" / "index.html").exists()
    assert not (folder / "runs" / run_id / "raw").exists()


def refused(capsys, *options: str) -> str:
    assert main([*ON_AWS, *options]) == 2
    return capsys.readouterr().err


def executions(workflow: Workflow) -> int:
    found = workflow.plane.client("stepfunctions").list_executions(
        stateMachineArn=workflow.outputs["StateMachineArn"]
    )
    return len(found["executions"])


def test_what_cannot_be_started_is_refused_and_starts_nothing(ran, capsys, monkeypatch, tmp_path):
    before = executions(ran.workflow)
    assert "'team-z-QueueBreakeven': is not deployed in us-east-1" in refused(capsys, "--prefix", "team-z")
    assert "--sqs-endpoint" in refused(capsys, "--sqs-endpoint", "http://localhost:1")
    assert "--max-usd: 0.01: the run would cost" in refused(capsys, "quick", "--max-usd", "0.01")
    assert "no-such-suite" in refused(capsys, "no-such-suite")
    assert "has no execution of that name" in refused(capsys, "--follow", "nobody")
    held = change_lock(ran.workflow, released_at=None, lease_until=round(time.time()) + 60)
    assert "holds the lock until" in refused(capsys, "quick")
    change_lock(ran.workflow, **held)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    assert "NoCredentialsError" in (reported := refused(capsys, "quick"))
    assert "set AWS_PROFILE" in reported
    assert executions(ran.workflow) == before


def test_what_the_deployments_plan_refuses_ends_as_bad_input_with_its_words(ran, capsys, tmp_path):
    reported = refused(capsys, "--resume", "nobody", "--runs", str(tmp_path))
    assert "was refused, nothing was started: Plan: InputError" in reported
    assert "no run of that name was planned" in reported


def examined(capsys, code: int, *options: str) -> dict[str, tuple[str, str]]:
    assert main(["doctor", "--json", *options]) == code
    found = json.loads(capsys.readouterr().out)
    return {one["what"]: (one["level"], one["said"]) for one in found}


@pytest.fixture
def debians_own(ran):
    """Debian's images by the public parameters that the builders' templates name; moto knows neither."""
    parameters = ssm_backends[DEFAULT_ACCOUNT_ID]["us-east-1"]._parameters
    names = [f"/aws/service/debian/release/{debian}/latest/arm64" for debian in (12, 13)]
    for name in names:
        image = register_image(ec2_backends[DEFAULT_ACCOUNT_ID]["us-east-1"], name.replace("/", "-"), {})
        known = dict.fromkeys(("description", "allowed_pattern", "keyid"))
        made = Parameter(
            DEFAULT_ACCOUNT_ID,
            name,
            image,
            "String",
            last_modified_date=datetime.now(UTC),
            version=1,
            data_type="text",
            **known,
        )
        parameters[name].append(made)
    yield
    for name in names:
        del parameters[name]


@pytest.mark.usefixtures("debians_own")
def test_the_doctor_finds_a_deployed_installation_well(ran, capsys):
    found = examined(capsys, 0)
    assert {what for what, (level, _) in found.items() if level == "ok"} >= {
        "account",
        "region",
        "stack",
        "image",
        "lock",
    }
    assert found["mail"] == (
        "note",
        "verdicts and alarms reach nobody: deploy with -c breakeven:mail=ADDRESS",
    )
    assert found["bootstrap"][0] == "note"
    assert not any(level == "stop" for level, _ in found.values())


def test_the_doctor_says_what_would_stop_a_run(ran, capsys):
    held = change_lock(ran.workflow, released_at=None, lease_until=round(time.time()) + 60)
    level, said = examined(capsys, 1)["lock"]
    assert level == "stop"
    assert "holds the lock until" in said
    change_lock(ran.workflow, **held)
    found = examined(capsys, 1, "--prefix", "team-z")
    assert found["stack"][0] == "stop"
    assert "npm run deploy" in found["stack"][1]
    assert found["bootstrap"][0] == "stop", "there is nothing deployed yet"
    assert "lock" not in found
    assert examined(capsys, 1, "--region", "eu-north-1")["region"][0] == "note", "a run asks for its prices"
