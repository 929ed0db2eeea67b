"""What every function says of itself: log lines that name the run and the case."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import boto3
import pytest

from breakeven.targets.sqs.sqs_standard import CONFIG
from handlers.common import Document, Event, entry, logger, names_in
from tests.support.workflow.command import ROOT

#: within which a call has been tried three times
MOST_OF_A_FUNCTION = 0.75
LEG = {"leg_id": "round-1.sqs-standard", "target": "sqs-standard", "cases": [{"case_id": "x"}]}


@pytest.mark.parametrize(
    ("event", "named"),
    [
        ({"run_id": "r", "target": "t", "case_id": "c", "attempt": 2, "loader": 0},) * 2,
        ({"run_id": "r", "leg": LEG, "failed": {}}, {"run_id": "r", "target": "sqs-standard"}),
        ({"state": {"run_id": "r", "failed": {}, "run": {"rounds": []}}}, {"run_id": "r"}),
        ({"scheduled_time": "t", "input": {"suite": "quick"}}, {}),
    ],
)
def test_an_events_run_and_case_are_found_wherever_they_are(event, named):
    assert names_in(event) == named


def test_every_log_line_of_a_call_has_them_and_the_next_calls_do_not(monkeypatch):
    monkeypatch.setenv("POWERTOOLS_TRACE_DISABLED", "true")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "any")

    reported = io.StringIO()
    before = logger.registered_handler.setStream(reported)

    class Nothing(Document):
        pass

    @entry(Event)
    def of_a_run(event):
        logger.info("here")

    @entry(Nothing)
    def of_none(event):
        logger.info("there")

    of_a_run({"run_id": "run-1"}, Context())
    of_none({}, Context())
    logger.registered_handler.setStream(before)
    lines = [json.loads(line) for line in reported.getvalue().splitlines()]
    assert {line["message"]: line.get("run_id") for line in lines} == {"here": "run-1", "there": None}


class Context:
    function_name = "any"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:any"
    aws_request_id = "1"


@pytest.mark.parametrize("service", ["dynamodb", "ec2", "s3"])
def test_a_call_without_an_answer_is_made_again_while_its_function_runs(monkeypatch, service):
    """botocore alone waits for a minute, which is as long as most functions may run."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    program = (
        "import boto3, handlers.common\n"
        f"config = boto3.client({service!r}).meta.config\n"
        "print(config.connect_timeout, config.read_timeout)"
    )
    argv = [sys.executable, "-c", program]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "functions")}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    connect_s, read_s = map(float, done.stdout.split())
    assert 3 * (connect_s + read_s) <= 60 * MOST_OF_A_FUNCTION


def test_a_client_that_says_how_long_it_waits_is_left_to_it(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    assert boto3.client("sqs", config=CONFIG).meta.config.read_timeout == CONFIG.read_timeout
