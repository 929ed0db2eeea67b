"""Loaders as tasks of Fargate: the deployed workflow, processes for tasks, a real pair, a server of SQS."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from breakeven.errors import BreakevenError
from breakeven.installation import RUN_GROUP, TASK_INPUT
from breakeven.results import layout
from breakeven.results.items import LOCKS, NO_CASE_OK, RUN
from breakeven.results.state import RunState
from local.aws.tasks.job_tasks import BuildTask, EcsTask
from local.aws.tasks.task_images import TaskImages
from tests.support.aws.executions import history
from tests.support.aws.status_change import status_change
from tests.support.canaries import arguments, holds
from tests.support.grants import review
from tests.support.grants.recorder import Recorder
from tests.support.grants.roles import by_role, on_one_machine, roles_of
from tests.support.workflow.left_behind import tasks_standing
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

pytestmark = pytest.mark.installed

PAIR, SQS = "rabbitmq-mirrored-pair", "sqs-standard"
LOADERS = 2
SUITE = f"""
suite: tasks
title: A short case of two tasks on each target, and one of functions
targets: [{PAIR}, {SQS}]
instrument: false
warm_up: false
scenarios:
  tasks: {{mode: load-unload, messages: 20, threads: {LOADERS}, loaders: {LOADERS}, loader: fargate,
           message_size: 64B, drain_s: 30}}
  functions: {{mode: load-unload, messages: 4, threads: 1, message_size: 64B, drain_s: 30}}
"""
TASKS_ONLY = SUITE.partition("  functions:")[0]
#: may take longer than a function lasts, and takes seconds
LONG_DRAIN = (
    SUITE.partition("scenarios:")[0]
    + """scenarios:
  p: {threads: 1, message_size: 64B, warmup_s: 0, measure_s: 2, drain_s: 850}
"""
)
LIMIT_S = 120
NOTHING = {"tasks": 0, "endpoints": 0}
TICK = {"detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}


@pytest.fixture(scope="module")
def seen():
    """What processes are called with while these runs go on."""
    with arguments() as found:
        yield found


@pytest.fixture(scope="module")
def recorder():
    """Every call that reaches the simulated AWS in these runs."""
    made = Recorder()
    yield made
    made.check()


@pytest.fixture(scope="module")
def workflow(recorder, assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory, seen):
    folder = tmp_path_factory.mktemp("tasks")
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, folder, [recorder]) as made:
        yield made


@pytest.fixture(scope="module")
def ended(workflow: Workflow) -> dict[str, Any]:
    """Runs of the suite that have ended well, one after the other: run -> events of its history."""
    histories = {}
    for run_id in ("first", "second"):
        execution = workflow.start(run_id, suite=parse_suite_text(SUITE))
        status, record = workflow.end(execution), workflow.state(run_id).get(RUN)
        reasons = [case.get("reason") for case in workflow.state(run_id).items("case#").values()]
        reported = json.dumps([record.get("reason"), *reasons], indent=1)
        assert (status, record["status"]) == ("SUCCEEDED", "ok"), reported
        histories[run_id] = history(workflow.plane, execution)
    return histories


def entered(events: list[dict[str, Any]]) -> list[str]:
    return [each["stateEnteredEventDetails"]["name"] for each in events if "stateEnteredEventDetails" in each]


def test_each_case_of_tasks_has_a_ledger_that_closes(workflow, ended):
    report = workflow.store().get_json(layout.report_key("first", "report.json"))
    cases = {case["case_id"]: case for case in report["cases"]}
    assert len(cases) == 4
    for case_id, case in cases.items():
        ledger = case["ledger"]
        assert ledger["sent"] == ledger["received"] == (20 if case_id.startswith("tasks") else 4), case_id
        assert (ledger["lost"], ledger["left"], ledger["duplicates"]) == (0, 0, 0)


def test_loaders_of_the_one_kind_are_tasks_and_of_the_other_functions(ended):
    names = entered(ended["first"])
    for prefix in ("Broker", "Managed"):
        assert names.count(f"{prefix}Task") == LOADERS
        assert names.count(f"{prefix}Load") == 1
        assert names.count(f"{prefix}Watch") == 2


def test_a_case_that_a_function_would_not_outlast_goes_to_a_task(workflow, ended):
    """By its length: the suite does not say. Its queue is empty long before the time that it may take."""
    suite = LONG_DRAIN.replace(f"[{PAIR}, {SQS}]", f"[{SQS}]")
    execution = workflow.start("by-length", suite=parse_suite_text(suite))
    assert workflow.end(execution) == "SUCCEEDED"
    names = entered(history(workflow.plane, execution))
    assert (names.count("ManagedTask"), names.count("ManagedLoad")) == (1, 0)
    report = workflow.store().get_json(layout.report_key("by-length", "report.json"))
    (case,) = report["cases"]
    assert case["ledger"]["sent"] == case["ledger"]["received"] > 0
    reported = json.dumps(workflow.store().get_json(layout.plan_key("by-length")), ensure_ascii=False)
    assert re.search(
        r"1 loader as a task of Fargate, because a loader may need \d+ s and a function may run for 830 s\.",
        reported,
    )
    assert tasks_standing(workflow, "by-length") == NOTHING


def test_the_image_is_built_by_the_run_that_first_needs_it_and_by_no_other(ended):
    assert "BuildImage" in entered(ended["first"])
    assert "EstablishTasks" in entered(ended["second"])
    assert "BuildImage" not in entered(ended["second"])


def test_what_was_made_for_tasks_is_gone_and_they_are(workflow, ended):
    for run_id in ended:
        assert tasks_standing(workflow, run_id) == NOTHING


def test_a_task_is_given_a_key_and_no_secret(workflow, ended, seen):
    groups = {f"{RUN_GROUP}{run_id}" for run_id in ended}
    described = [task for task in all_tasks(workflow) if task["group"] in groups]
    assert {task["group"] for task in described} == groups
    assert len(described) == 2 * 2 * LOADERS
    for task in described:
        (override,) = task["overrides"]["containerOverrides"]
        ((name, key),) = ((pair["name"], pair["value"]) for pair in override["environment"])
        assert name == TASK_INPUT
        event = workflow.store().get_json(key)
        assert event.keys() == {"run_id", "target", "case_id", "attempt", "loader"}
    definitions = workflow.plane.client("ecs").list_task_definitions()["taskDefinitionArns"]
    reported = [json.dumps(described, default=str), json.dumps(ended, default=str)]
    reported += [
        json.dumps(workflow.plane.client("ecs").describe_task_definition(taskDefinition=one), default=str)
        for one in definitions
    ]
    assert workflow.machines.secrets, "looked for nothing"
    for text in reported:
        assert not holds(text.encode(), workflow.machines.secrets)
    assert not any(holds(line, workflow.machines.secrets) for line in seen)


def all_tasks(workflow: Workflow) -> list[dict[str, Any]]:
    ecs = workflow.plane.client("ecs")
    (cluster,) = ecs.list_clusters()["clusterArns"]
    arns = ecs.list_tasks(cluster=cluster, desiredStatus="STOPPED")["taskArns"]
    found: list[dict[str, Any]] = ecs.describe_tasks(cluster=cluster, tasks=arns)["tasks"]
    return found


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.2)


#: a case of tasks that goes on for longer than this test, were it not stopped
LONG = TASKS_ONLY.replace(
    "mode: load-unload, messages: 20,", "mode: parallel, warmup_s: 0, measure_s: 300,"
).replace("drain_s: 30", "drain_s: 5")


def abort_when_up(workflow: Workflow, run_id: str) -> str:
    """Start a long case, and stop the execution once its tasks are up; returns the execution.

    Step Functions stops the tasks of an execution that is stopped, at best effort: here it does not.
    """
    machine = workflow.machine(run_id)
    wanted = {"suite": parse_suite_text(LONG.replace(f"[{PAIR}, {SQS}]", f"[{SQS}]"))}
    execution = workflow.start(run_id, machine, **wanted)
    wait_for(lambda: tasks_standing(workflow, run_id)["tasks"] == LOADERS)
    workflow.plane.stop(execution)
    return execution


def without_stopping(workflow: Workflow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EcsTask, "cancel", lambda self, client, job: None)


def test_the_rule_lets_go_of_an_aborted_runs_tasks_and_endpoints(workflow, ended, monkeypatch):
    without_stopping(workflow, monkeypatch)
    execution = abort_when_up(workflow, "aborted")
    assert tasks_standing(workflow, "aborted") == {"tasks": LOADERS, "endpoints": 4}
    machine = execution.rpartition(":")[0].replace(":execution:", ":stateMachine:")
    workflow.call("clean_up", status_change(machine, "aborted", "ABORTED"))
    wait_for(lambda: tasks_standing(workflow, "aborted") == NOTHING)


def test_the_watchdog_lets_go_of_them_where_nothing_else_has(workflow, ended, monkeypatch):
    without_stopping(workflow, monkeypatch)
    execution = abort_when_up(workflow, "forgotten")
    assert tasks_standing(workflow, "forgotten") == {"tasks": LOADERS, "endpoints": 4}
    workflow.call("watchdog", TICK)
    wait_for(lambda: tasks_standing(workflow, "forgotten") == NOTHING)
    assert workflow.state("forgotten").get(RUN)["status"] == "aborted"
    name = execution.rpartition(":")[0].rpartition(":")[2]
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    assert RunState(table, LOCKS).get(name)["released_at"]


#: the two states that call one function are told apart by what they tell it
ANSWERS = {"EstablishTasks": {"built": False}, "AwaitTasks": {"built": True}}


@pytest.mark.parametrize("kind", ["raise", "timeout"])
@pytest.mark.parametrize("state", ["EstablishTasks", "BuildImage", "AwaitTasks"])
def test_where_tasks_cannot_be_had_their_cases_fail_and_the_others_are_run(
    workflow, ended, monkeypatch, recorder, state, kind
):
    def fails(*_: Any) -> None:
        raise BreakevenError("no package")

    run_id = f"without-{state.lower()}-{kind}"
    fault = Fault("EstablishTasks" if state in ANSWERS else state, kind, ANSWERS.get(state, {}))
    if state != "EstablishTasks":
        forget_image(workflow)
    if state == "BuildImage" and kind == "raise":
        monkeypatch.setattr(TaskImages, "_build", fails)
    if state == "BuildImage" and kind == "timeout":
        monkeypatch.setattr(BuildTask, "look", lambda self, client, job: None)
    assert workflow.run(run_id, fault, suite=parse_suite_text(SUITE)) == "FAILED"
    cases = workflow.state(run_id).items("case#")
    failed = {case["case_id"]: case["reason"] for case in cases.values() if case["status"] == "failed"}
    assert workflow.state(run_id).get(RUN)["failed_at"] == state
    assert len(failed) == 2
    assert all(case_id.startswith("tasks.") for case_id in failed)
    assert all("could not be created" in reason for reason in failed.values())
    assert tasks_standing(workflow, run_id) == NOTHING
    if (state, kind) == ("BuildImage", "timeout"):
        assert "codebuild:StopBuild" in {call.action for call in recorder.calls}, (
            "what nobody waits for is stopped"
        )


def test_a_task_that_outlasts_its_state_is_stopped_and_fails_its_case(workflow, ended):
    """A limit of seconds is put in the place of its own, which is the case's."""
    run_id = "too-long"
    assert workflow.run(run_id, Fault("Task", "timeout"), suite=parse_suite_text(LONG)) == "FAILED"
    for case in workflow.state(run_id).items("case#").values():
        assert case["status"] == "failed"
        assert "Drive: States.Timeout" in case["reason"], case["reason"]
    wait_for(lambda: tasks_standing(workflow, run_id) == NOTHING)
    assert workflow.state(run_id).get(RUN)["failed_at"] == NO_CASE_OK


def forget_image(workflow: Workflow) -> None:
    ecr = workflow.plane.client("ecr")
    (repository,) = ecr.describe_repositories()["repositories"]
    name = repository["repositoryName"]
    if found := ecr.list_images(repositoryName=name)["imageIds"]:
        ecr.batch_delete_image(repositoryName=name, imageIds=found)


def test_a_task_that_fails_fails_its_case_in_the_loaders_own_words(workflow, ended):
    """The broker is told to be where none is: each loader says so, ECS only that a container has ended."""
    run_id = "ill"
    wanted = parse_suite_text(TASKS_ONLY.replace(f"[{PAIR}, {SQS}]", f"[{SQS}]"))

    def lose_queues(run: str, function: str) -> None:
        if run == run_id and "FunctionsWatch" in function:
            (case,) = workflow.state(run_id).items("case#").values()
            workflow.state(run_id).update(
                f"case#{case['case_id']}", queues=json.dumps(["http://127.0.0.1:9/000000000000/be-none"])
            )

    workflow.calls.before.append(lose_queues)
    try:
        workflow.end(workflow.start(run_id, suite=wanted))
    finally:
        workflow.calls.before.remove(lose_queues)
    (case,) = workflow.state(run_id).items("case#").values()
    assert case["status"] == "failed"
    assert case["reason"].startswith("ManagedDrive: States.TaskFailed: its task stopped: "), case["reason"]


def test_every_call_that_was_made_in_these_runs_is_allowed(workflow, ended, recorder):
    """Those of the rule and of the watchdog among them, which have let go of tasks above."""
    machine = workflow.outputs["StateMachineArn"]
    made = on_one_machine(by_role(recorder.calls), machine)
    for role in ("CleanUp", "Watchdog"):
        assert {"ecs:StopTask", "ec2:DeleteVpcEndpoints"} <= {
            call.action for call in made if call.caller == role
        }
    assert review.missing(roles_of(workflow.plane), made) == set()
