"""More loaders than an inline map runs at once, by a distributed one: the deployed workflow, a real pair.

The run of 41 takes a Python process for each. Where a loader is to fail or to be stopped, two are enough: the
same definition with the distributed map from the second on.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from breakeven.loadgen.result import LoaderResult
from breakeven.results import layout
from breakeven.results.items import NO_CASE_OK, RUN, loaders_prefix
from breakeven.workload.case import INLINE_LOADERS
from tests.support.aws.executions import history
from tests.support.aws.status_change import status_change
from tests.support.workflow.left_behind import tasks_standing
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

#: 41 loaders start at one instant on a few cores, of which others leave too little
pytestmark = [pytest.mark.installed, pytest.mark.quiet]

RUN_ID, LOADERS = "many", INLINE_LOADERS + 1
PAIR = "rabbitmq-mirrored-pair"
#: a worker of each kind and two messages for each loader
MANY = f"""
suite: many
title: A case of many loaders
targets: [{PAIR}]
instrument: false
warm_up: false
scenarios:
  load: {{mode: load-unload, messages: {2 * LOADERS}, threads: {LOADERS}, loaders: {LOADERS},
          message_size: 64B, drain_s: 60}}
"""
TWO = MANY.replace(str(LOADERS), "2").replace(f"messages: {2 * LOADERS}", "messages: 4")
LIMIT_S = 60


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("many")) as made:
        yield made


@pytest.fixture(scope="module")
def called(workflow: Workflow) -> list[str]:
    """Calls of loaders of the run of many."""
    calls: list[str] = []

    def look(run_id: str, function: str) -> None:
        if run_id == RUN_ID and "FunctionsLoad" in function:
            calls.append(function)

    workflow.calls.before.append(look)
    return calls


@pytest.fixture(scope="module")
def execution(workflow: Workflow, called: list[str]) -> str:
    """Of the run of many, which has ended well."""
    execution = workflow.start(RUN_ID, suite=parse_suite_text(MANY))
    status, record = workflow.end(execution), workflow.state(RUN_ID).get(RUN)
    reasons = [case.get("reason") for case in workflow.state(RUN_ID).items("case#").values()]
    assert (status, record["status"]) == ("SUCCEEDED", "ok"), reasons
    return execution


@pytest.fixture(scope="module")
def results(workflow: Workflow, execution: str) -> list[LoaderResult]:
    (case,) = workflow.state(RUN_ID).items("case#").values()
    assert case["attempt"] == 1
    keys = [layout.loader_key(RUN_ID, case["case_id"], 1, loader, "result") for loader in range(LOADERS)]
    return [LoaderResult.from_json(workflow.store().get_json(key)) for key in keys]


def test_all_of_41_loaders_start_at_one_instant(results):
    assert len(results) == LOADERS
    for stage in ("load", "unload"):
        assert len({result.stages[stage] for result in results}) == 1, stage


def test_each_has_worked_and_the_ledger_closes(workflow, results):
    assert all(result.final and result.reason is None for result in results)
    report = workflow.store().get_json(layout.report_key(RUN_ID, "report.json"))
    (case,) = report["cases"]
    assert case["ledger"]["sent"] == case["ledger"]["received"] == 2 * LOADERS
    assert (case["ledger"]["lost"], case["ledger"]["left"], case["ledger"]["duplicates"]) == (0, 0, 0)


def test_each_was_called_once(workflow, execution, called):
    assert len(called) == LOADERS
    (case,) = workflow.state(RUN_ID).items("case#").values()
    items = workflow.state(RUN_ID).items(loaders_prefix(case["case_id"], 1))
    loaders = {key.rpartition("#")[2]: item for key, item in items.items()}
    assert loaders.pop("all")["reports"] == LOADERS
    assert set(loaders) == {str(loader) for loader in range(LOADERS)}
    assert all(item["begun"] and item["finished"] and item["result"] for item in loaders.values())


def test_the_runs_own_history_has_one_map_of_them_and_no_loader(workflow, execution):
    events = history(workflow.plane, execution)
    entered = [event["stateEnteredEventDetails"]["name"] for event in events if _enters(event)]
    assert entered.count("BrokerManyLoaders") == 1
    assert not {"BrokerLoaders", "BrokerLoad", "BrokerManyLoad"} & set(entered)
    assert [event["type"] for event in events].count("MapRunSucceeded") == 1


def _enters(event: dict[str, Any]) -> bool:
    return "stateEnteredEventDetails" in event


def of_two(workflow: Workflow, run_id: str, *faults: Fault, short: bool = True) -> str:
    """Start a case of two loaders that are run as many are; returns the execution.

    :param short: whether states that hang soon meet their limit
    """
    workflow.calls.faults[run_id] = list(faults)
    machine = workflow.machine(run_id, faults if short else (), inline=1)
    return workflow.start(run_id, machine, suite=parse_suite_text(TWO))


@pytest.mark.parametrize("kind", ["raise", "timeout"])
def test_a_loader_that_fails_fails_its_case_and_nothing_is_left(workflow, kind):
    run_id = f"many-{kind}"
    assert workflow.end(of_two(workflow, run_id, Fault("Load", kind))) == "FAILED"
    (case,) = workflow.state(run_id).items("case#").values()
    assert case["status"] == "failed"
    assert case["reason"].startswith("BrokerDrive: States.ExceedToleratedFailureThreshold")
    assert workflow.state(run_id).get(RUN)["failed_at"] == NO_CASE_OK
    assert workflow.machines.launched[run_id] <= workflow.machines.terminated


def test_more_tasks_than_an_inline_map_runs_are_run_by_it_too(workflow):
    """Two, with the distributed map from the second on; each is a process that starts at the same instant."""
    run_id = "many-tasks"
    suite = parse_suite_text(TWO.replace("mode: load-unload,", "mode: load-unload, loader: fargate,"))
    execution = workflow.start(run_id, workflow.machine(run_id, inline=1), suite=suite)
    status, cases = workflow.end(execution), workflow.state(run_id).items("case#")
    assert (status, workflow.state(run_id).get(RUN)["status"]) == ("SUCCEEDED", "ok"), cases
    (case,) = cases.values()
    keys = [layout.loader_key(run_id, case["case_id"], 1, loader, "result") for loader in range(2)]
    made = [LoaderResult.from_json(workflow.store().get_json(key)) for key in keys]
    assert len({result.stages["load"] for result in made}) == 1
    assert sum(producer.sent for each in made for producer in each.ledger.producers.values()) == 4
    events = history(workflow.plane, execution)
    entered = [event["stateEnteredEventDetails"]["name"] for event in events if _enters(event)]
    assert entered.count("BrokerManyTasks") == 1
    assert not {"BrokerManyLoaders", "BrokerTasks", "BrokerTask"} & set(entered)
    assert tasks_standing(workflow, run_id) == {"tasks": 0, "endpoints": 0}


def test_an_aborted_run_starts_nothing_more_and_is_cleaned_up(workflow):
    run_id = "many-aborted"
    hanging = (Fault("Load", "timeout"), Fault("Watch", "timeout"))
    execution, state = of_two(workflow, run_id, *hanging, short=False), workflow.state(run_id)
    deadline = time.monotonic() + LIMIT_S
    while not any(case.get("status") == "running" for case in state.items("case#").values()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    workflow.plane.stop(execution)
    assert workflow.plane.status(execution) == "ABORTED"
    machine = execution.rpartition(":")[0].replace(":execution:", ":stateMachine:")
    workflow.call("clean_up", status_change(machine, run_id, "ABORTED"))
    assert workflow.machines.launched[run_id] <= workflow.machines.terminated
    assert state.get(RUN)["status"] == "aborted"
