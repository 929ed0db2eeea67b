"""A failure and a time-out at every state in turn: brokers are let go, and the record says where.

The synthesized workflow, real handlers, a real pair. Where a time-out is injected, the states that it is
injected at have a short limit; every other limit is the deployed one, so that a slow machine meets none of
them. See ``workflow_runs`` for what stands for EC2.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from moto.sns.exceptions import SNSNotFoundError
from moto.sns.models import SNSBackend

from breakeven.results import layout
from breakeven.results.items import NO_CASE_OK, RUN
from local.aws import athena_service
from local.aws.athena_sql import SqlError
from tests.support.workflow.faults import (
    KINDS,
    OF_THE_CASE,
    OF_THE_RUN,
    OF_THE_WARM_UP,
    RECORDS_FAILURES,
    assert_all_cleaned_up,
    faults_of,
    run_name,
)
from tests.support.workflow.workflow_runs import SHORT_S, SUITE, Fault, parse_suite_text, workflow_at

#: more would only start more environments of each function
AT_ONCE = 3
#: as of ``OFTEN``, failures are in ``npm run test:thorough``
ONE_IN_SHORT = [
    pytest.param(kind, marks=pytest.mark.thorough if kind == "raise" else pytest.mark.installed)
    for kind in KINDS
]


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("failures")) as made:
        yield made


def faults_at(entry: str, kind: str) -> list[Fault]:
    """With the fault before it without which a state that records failures is not reached."""
    before = {"FailCase": "PrepareCase", "FailLeg": "EstablishLane"}.get(entry)
    return [*([Fault(before, "raise")] if before else []), Fault(entry, kind)]


@pytest.fixture(scope="module")
def outcomes(workflow, request):
    """Every single fault that a selected test is of, a few at once; run id -> the execution's status."""
    items = [item for item in request.session.items if item.path == request.path]
    params = [item.callspec.params for item in items if hasattr(item, "callspec")]
    pairs = {(one["entry"], one["kind"]) for one in params if "entry" in one}
    warmed = {"suite": parse_suite_text(SUITE) | {"warm_up": True}}
    statuses = {"healthy": workflow.run("healthy")}  # by itself: after it the functions are warm
    waits_first = sorted(pairs, key=lambda pair: (pair[1] != "timeout", pair))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {
            run_name(entry, kind): pool.submit(
                workflow.run,
                run_name(entry, kind),
                *faults_at(entry, kind),
                **(warmed if entry in OF_THE_WARM_UP else {}),
            )
            for entry, kind in waits_first
        }
        return statuses | {name: future.result() for name, future in running.items()}


def test_without_a_fault_all_is_well(workflow, outcomes):
    assert outcomes["healthy"] == "SUCCEEDED"
    assert workflow.state("healthy").get(RUN)["status"] == "ok"
    assert_all_cleaned_up(workflow, "healthy")


@pytest.mark.parametrize(("entry", "kind"), faults_of(OF_THE_RUN))
def test_a_fault_of_the_run_is_on_record(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    attribute, where = OF_THE_RUN[entry]
    record = workflow.state(run_id).get(RUN)
    given = "\n".join(f"{name}: {value}" for name, value in record.items())
    assert record.get(attribute) == where, given
    assert_all_cleaned_up(workflow, run_id)
    ends_well = attribute == "release_failed_at"  # what fails before the case leaves none that is ok
    assert outcomes[run_id] == ("SUCCEEDED" if ends_well else "FAILED"), given


@pytest.mark.parametrize(("entry", "kind"), faults_of(OF_THE_CASE))
def test_a_fault_of_the_only_case_is_the_reason_of_a_run_that_reports_and_fails(
    workflow, outcomes, entry, kind
):
    run_id = run_name(entry, kind)
    (case,) = workflow.state(run_id).items("case#").values()
    error = "Injected" if kind == "raise" else "States.Timeout"
    assert case["status"] == "failed"
    assert case["reason"].startswith(f"{OF_THE_CASE[entry]}: {error}")
    record = workflow.state(run_id).get(RUN)
    assert (record["status"], record["failed_at"]) == ("failed", NO_CASE_OK)
    assert case["reason"] in record["reason"]
    assert outcomes[run_id] == "FAILED"
    assert workflow.store().get_bytes(layout.report_key(run_id, "report.json"))
    assert_all_cleaned_up(workflow, run_id)


@pytest.mark.parametrize(("entry", "kind"), faults_of(OF_THE_WARM_UP))
def test_cases_of_a_lane_whose_warm_up_fails_are_run_and_flagged(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    assert outcomes[run_id] == "SUCCEEDED"
    (case,) = json.loads(workflow.store().get_bytes(layout.report_key(run_id, "report.json")))["cases"]
    assert (case["status"], "cold_lane" in case["flags"]) == ("ok", True)
    assert_all_cleaned_up(workflow, run_id)


@pytest.mark.parametrize(("entry", "kind"), faults_of(RECORDS_FAILURES))
def test_a_failure_that_cannot_even_be_recorded_still_lets_brokers_go(workflow, outcomes, entry, kind):
    run_id = run_name(entry, kind)
    assert outcomes[run_id] == "FAILED"
    assert workflow.state(run_id).get(RUN)["failed_at"] == NO_CASE_OK
    assert_all_cleaned_up(workflow, run_id)


@pytest.mark.parametrize("kind", ONE_IN_SHORT)
def test_a_query_that_fails_or_hangs_is_on_record(workflow, monkeypatch, kind):
    def broken(*_: Any, **__: Any) -> None:
        if kind == "timeout":
            time.sleep(2 * SHORT_S)
        raise SqlError("injected")

    monkeypatch.setattr(athena_service, "run", broken)
    run_id = run_name("Queries", kind)
    assert workflow.run(run_id, Fault("Queries", kind)) == "FAILED"
    assert workflow.state(run_id).get(RUN)["failed_at"] == "Queries"
    assert_all_cleaned_up(workflow, run_id)


@pytest.mark.parametrize("kind", ONE_IN_SHORT)
def test_a_notification_that_fails_or_hangs_is_on_record_and_the_report_is_there(workflow, monkeypatch, kind):
    def broken(*_: Any, **__: Any) -> None:
        if kind == "timeout":
            time.sleep(2 * SHORT_S)
        raise SNSNotFoundError("injected")

    monkeypatch.setattr(SNSBackend, "publish", broken)
    run_id = run_name("Notify", kind)
    assert workflow.run(run_id, Fault("Notify", kind)) == "FAILED"
    assert workflow.state(run_id).get(RUN)["failed_at"] == "Notify"
    assert workflow.store().get_bytes(layout.report_key(run_id, "report.json"))
    assert_all_cleaned_up(workflow, run_id)
