"""Images of brokers: baked by the run that first needs them, and gone with the stack."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from breakeven.installation import FAMILY_TAG, IMAGE_TAG, OWNER_TAG, RUN_TAG
from breakeven.results.items import RUN
from tests.support.aws.executions import history
from tests.support.aws.stack_deletion import answers_to_cloudformation, deletion
from tests.support.aws.status_change import status_change
from tests.support.grants import review
from tests.support.grants.recorder import Recorder
from tests.support.grants.roles import by_role, on_one_machine, roles_of
from tests.support.workflow.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at

pytestmark = pytest.mark.installed

PAIR, SQS = "rabbitmq-mirrored-pair", "sqs-standard"
SUITE = f"""
suite: two-targets
title: One short case of each
targets: [{PAIR}, {SQS}]
instrument: false
warm_up: false
scenarios:
  few: {{mode: load-unload, messages: 4, threads: 1, message_size: 64B, drain_s: 30}}
"""
LIMIT_S = 120
FAMILY = "debian-12-arm64"


@pytest.fixture(scope="module")
def recorder():
    """Every call that reaches the simulated AWS in these runs."""
    recorder = Recorder()
    yield recorder
    recorder.check()


@pytest.fixture(scope="module")
def workflow(recorder, assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("images")
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, folder, [recorder], baked=False) as made:
        yield made


def run(workflow: Workflow, run_id: str, *faults: Fault) -> tuple[str, set[str]]:
    """The execution's status, and the states that it entered."""
    workflow.calls.faults[run_id] = list(faults)
    machine = workflow.machine(run_id, faults)
    execution = workflow.start(run_id, machine, suite=parse_suite_text(SUITE))
    status = workflow.end(execution)
    events = history(workflow.plane, execution)
    names = {
        each["stateEnteredEventDetails"]["name"] for each in events if "stateEnteredEventDetails" in each
    }
    return status, names


def reasons(workflow: Workflow, run_id: str) -> dict[str, Any]:
    """By target, None where the case is well."""
    cases = workflow.state(run_id).items("case#").values()
    return {case["target"]: None if case["status"] == "ok" else case["reason"] for case in cases}


def images(workflow: Workflow) -> list[dict[str, Any]]:
    return workflow.plane.client("ec2").describe_images(
        Owners=["self"], Filters=[{"Name": "tag-key", "Values": [FAMILY_TAG]}]
    )["Images"]


def snapshots(workflow: Workflow) -> list[dict[str, Any]]:
    filters = [{"Name": "tag-key", "Values": [FAMILY_TAG]}]
    return workflow.plane.client("ec2").describe_snapshots(Filters=filters)["Snapshots"]


def builders(workflow: Workflow, run_id: str) -> list[str]:
    """Their states."""
    filters = [
        {"Name": "tag-key", "Values": [FAMILY_TAG]},
        {"Name": f"tag:{RUN_TAG}", "Values": [run_id]},
    ]
    found = workflow.plane.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return [one["State"]["Name"] for each in found for one in each["Instances"]]


@pytest.fixture(scope="module")
def ended(workflow: Workflow) -> dict[str, tuple[str, set[str]]]:
    """Two runs, one after the other."""
    return {run_id: run(workflow, run_id) for run_id in ("first", "second")}


def test_the_image_is_baked_by_the_run_that_first_needs_it_and_by_no_other(workflow, ended):
    for run_id, (status, entered) in ended.items():
        assert (status, reasons(workflow, run_id)) == ("SUCCEEDED", {PAIR: None, SQS: None})
        assert ({"BakeImages", "AwaitImages"} <= entered) is (run_id == "first")
    assert builders(workflow, "first") == ["terminated"]
    assert builders(workflow, "second") == []
    (image,) = images(workflow)
    for run_id in ended:
        assert workflow.state(run_id).get(RUN)["images"] == {"arm64": image["ImageId"]}
        assert workflow.state(run_id).get(f"lane#{PAIR}")["image"] == image["ImageId"]


@pytest.fixture
def forgotten(workflow: Workflow, ended: Any) -> None:
    """The image is not there any more, as after a deployment with other scripts; nor is its snapshot."""
    ec2 = workflow.plane.client("ec2")
    for image in images(workflow):
        ec2.deregister_image(ImageId=image["ImageId"])
    for snapshot in snapshots(workflow):
        ec2.delete_snapshot(SnapshotId=snapshot["SnapshotId"])


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("failed", "could not be baked: apt: no network"),
        ("silent", "has stopped and left no report; the end of"),
    ],
)
def test_where_the_image_cannot_be_baked_its_lane_says_why_and_the_others_are_run(
    workflow, forgotten, monkeypatch, end, said
):
    monkeypatch.setattr(workflow.plane.builders, "end", end)
    status, _ = run(workflow, end)
    found = reasons(workflow, end)
    assert (status, found[SQS]) == ("SUCCEEDED", None)
    assert said in found[PAIR]
    assert workflow.state(end).get(RUN)["status"] == "partial"
    assert builders(workflow, end) == ["terminated"]
    assert images(workflow) == []


def test_where_the_function_fails_the_others_are_run_and_the_run_has_failed(workflow, forgotten):
    status, _ = run(workflow, "raise", Fault("BakeImages", "raise"))
    record, found = workflow.state("raise").get(RUN), reasons(workflow, "raise")
    assert (status, record["failed_at"], found[SQS]) == ("FAILED", "BakeImages", None)
    assert "BakeImages did not come to it" in found[PAIR]


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_the_rule_lets_go_of_an_aborted_runs_builder(workflow, forgotten, monkeypatch):
    monkeypatch.setattr(workflow.plane.builders, "end", "never")
    machine = workflow.outputs["StateMachineArn"]  # the rule's function may ask after no other's executions
    execution = workflow.start("aborted", suite=parse_suite_text(SUITE))
    wait_for(lambda: builders(workflow, "aborted") == ["running"])
    workflow.plane.stop(execution)
    workflow.call("clean_up", status_change(machine, "aborted", "ABORTED"))
    assert builders(workflow, "aborted") == ["terminated"]


def older(workflow: Workflow, name: str, owner: str) -> str:
    """An image of the family that an earlier deployment's run has made."""
    ec2 = workflow.plane.client("ec2")
    parent = next(image["ImageId"] for image in ec2.describe_images(Owners=["amazon"])["Images"])
    nobodys = [{"ResourceType": "instance", "Tags": [{"Key": OWNER_TAG, "Value": "nobody"}]}]
    launched = ec2.run_instances(ImageId=parent, MinCount=1, MaxCount=1, TagSpecifications=nobodys)
    made = launched["Instances"][0]["InstanceId"]
    ec2.stop_instances(InstanceIds=[made])
    tags = {OWNER_TAG: owner, IMAGE_TAG: name, FAMILY_TAG: FAMILY}
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    specifications = [{"ResourceType": kind, "Tags": listed} for kind in ("image", "snapshot")]
    image = ec2.create_image(InstanceId=made, Name=name, TagSpecifications=specifications)["ImageId"]
    ec2.terminate_instances(InstanceIds=[made])
    for _ in range(2):
        ec2.describe_images(ImageIds=[image])
    return str(image)


def test_older_images_go_when_one_is_baked_and_all_of_them_with_the_stack_but_nobody_elses(
    workflow, forgotten
):
    ours = [older(workflow, f"older-{n}", "QueueBreakeven") for n in range(2)]
    theirs = older(workflow, "theirs", "team-b-QueueBreakeven")
    assert run(workflow, "again")[0] == "SUCCEEDED"
    found = {image["ImageId"] for image in images(workflow)}
    assert theirs in found
    assert len(found - {theirs}) == 2
    assert len(found & set(ours)) == 1
    assert len(snapshots(workflow)) == 3
    with answers_to_cloudformation() as (url, answers):
        workflow.call("remove_images", deletion(url))
    assert answers[0]["Status"] == "SUCCESS", answers
    assert [image["ImageId"] for image in images(workflow)] == [theirs]
    assert len(snapshots(workflow)) == 1


def test_every_call_that_was_made_in_these_runs_is_allowed(workflow, ended, recorder):
    machine = workflow.outputs["StateMachineArn"]
    made = on_one_machine(by_role(recorder.calls), machine)
    assert {
        "ec2:CreateImage",
        "ec2:DeleteSnapshot",
        "ec2:DeregisterImage",
        "ec2:GetConsoleOutput",
        "ec2:RunInstances",
        "ec2:TerminateInstances",
    } <= {call.action for call in made if call.caller == "BakeImages"}
    assert review.missing(roles_of(workflow.plane), made) == set()
