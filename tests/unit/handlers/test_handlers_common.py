"""What every function says of itself: log lines that name the run and the case."""

from __future__ import annotations

import io
import json

import pytest

from handlers.common import Document, Event, entry, logger, names_in

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
