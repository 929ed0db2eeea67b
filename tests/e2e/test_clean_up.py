"""Runs that were stopped where they stood: the rule alone, and the watchdog alone, let go of what they made.

Real handlers and a real pair; SQS is the control plane's own. Nothing here delivers events to EventBridge:
the functions are called with the documents that it would send.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from breakeven.installation import OWNER_TAG, RUN_TAG
from breakeven.results import layout
from breakeven.results.state import LOCKS, RUN, RunState, lane_item
from tests.e2e.workflow_runs import Fault, Workflow, parse_suite_text, workflow_at
from tests.infra.status_change import status_change

PAIR = "rabbitmq-mirrored-pair"
SUITE = """
suite: two-targets
title: One short case of each
targets: [rabbitmq-mirrored-pair, sqs-standard]
instrument: false
scenarios:
  parallel: {threads: 1, warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 16B}
"""
#: of an installation beside this one, in runs of the same names
THEIRS = "team-b-QueueBreakeven"
TICK = {"detail-type": "Scheduled Event", "source": "aws.events", "detail": {}}
LIMIT_S = 120


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, None, tmp_path_factory.mktemp("clean-up")) as made:
        yield made


def start(workflow: Workflow, run_id: str, machine: str | None = None) -> str:
    """Both lanes at once, whose loaders never come to do anything."""
    workflow.calls.faults[run_id] = [Fault("Load", "timeout"), Fault("Watch", "timeout")]
    wanted = {"suite": parse_suite_text(SUITE), "surroundings": {"name": "aws"}}
    return workflow.start(run_id, machine, **wanted)


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def standing(workflow: Workflow, run_id: str, owner: str = "QueueBreakeven") -> dict[str, int]:
    """What there is of the run, by kind."""
    ec2, sqs = workflow.plane.client("ec2"), workflow.plane.client("sqs")
    tagged = [
        {"Name": f"tag:{OWNER_TAG}", "Values": [owner]},
        {"Name": f"tag:{RUN_TAG}", "Values": [run_id]},
    ]
    up = {"Name": "instance-state-name", "Values": ["pending", "running"]}
    reservations = ec2.describe_instances(Filters=[*tagged, up])["Reservations"]
    tags = [
        sqs.list_queue_tags(QueueUrl=url).get("Tags", {}) for url in sqs.list_queues().get("QueueUrls", [])
    ]
    volumes = ec2.describe_volumes(Filters=tagged)["Volumes"]
    interfaces = ec2.describe_network_interfaces(Filters=tagged)["NetworkInterfaces"]
    return {
        "instances": sum(len(reservation["Instances"]) for reservation in reservations),
        "queues": sum((tag.get(OWNER_TAG), tag.get(RUN_TAG)) == (owner, run_id) for tag in tags),
        "secrets": len(workflow.store().keys(layout.secrets_prefix(run_id))),
        "unused volumes": sum(volume["State"] == "available" for volume in volumes),
        "unused interfaces": sum(interface["Status"] == "available" for interface in interfaces),
    }


#: access and cookie, and what each of two nodes has registered
WHOLE = {"instances": 2, "queues": 1, "secrets": 4, "unused volumes": 0, "unused interfaces": 0}
NOTHING = dict.fromkeys(WHOLE, 0)


def wait_until_whole(workflow: Workflow, run_id: str) -> None:
    """Nodes have registered, queues are there, loaders have been called."""
    state = workflow.state(run_id)
    wait_for(lambda: state.get(lane_item(PAIR)).get("status") == "ready")
    wait_for(lambda: sum(case.get("status") == "running" for case in state.items("case#").values()) == 2)
    assert standing(workflow, run_id) == WHOLE


def leave(workflow: Workflow, run_id: str, owner: str) -> None:
    """What a launch that broke off would leave: an interface and a volume that no instance uses."""
    ec2 = workflow.plane.client("ec2")
    tags = [{"Key": OWNER_TAG, "Value": owner}, {"Key": RUN_TAG, "Value": run_id}]
    subnet = ec2.describe_subnets()["Subnets"][0]
    ec2.create_network_interface(
        SubnetId=subnet["SubnetId"], TagSpecifications=[{"ResourceType": "network-interface", "Tags": tags}]
    )
    ec2.create_volume(
        AvailabilityZone=subnet["AvailabilityZone"],
        Size=1,
        TagSpecifications=[{"ResourceType": "volume", "Tags": tags}],
    )


def make_theirs(workflow: Workflow, run_id: str) -> None:
    """What another installation's run of the same name would have; its secrets are in a bucket of its own."""
    leave(workflow, run_id, THEIRS)
    tags = {OWNER_TAG: THEIRS, RUN_TAG: run_id}
    ec2 = workflow.plane.client("ec2")
    ec2.run_instances(
        ImageId=ec2.describe_images()["Images"][0]["ImageId"],
        MinCount=1,
        MaxCount=1,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": tags[key]} for key in tags]}
        ],
    )
    # its queues have a prefix of their own; this one has not, and is told apart by its tag alone
    for name in (f"team-b-be-{run_id}", f"be-{run_id}-of-theirs"):
        workflow.plane.client("sqs").create_queue(QueueName=name, tags=tags)


OF_THEIRS = {"instances": 1, "queues": 2, "secrets": 0, "unused volumes": 1, "unused interfaces": 1}


def lock(workflow: Workflow) -> dict[str, Any]:
    machine = workflow.outputs["StateMachineArn"].rpartition(":")[2]
    table = workflow.plane.resource("dynamodb").Table(workflow.outputs["StateTableName"])
    return RunState(table, LOCKS).get(machine)


@pytest.fixture(scope="module")
def going_on(workflow):
    """A run that stands beside the others until the last test: on a state machine of its own."""
    execution = start(workflow, "going-on", workflow.machine("going-on"))
    wait_until_whole(workflow, "going-on")
    yield execution
    workflow.plane.stop(execution)


def stop(workflow: Workflow, run_id: str, execution: str) -> None:
    """Abort it where it stands, with what a bad launch would have left, beside another installation's."""
    wait_until_whole(workflow, run_id)
    leave(workflow, run_id, "QueueBreakeven")
    make_theirs(workflow, run_id)
    workflow.plane.stop(execution)
    assert lock(workflow)["released_at"] is None
    assert standing(workflow, run_id) == {**WHOLE, "unused volumes": 1, "unused interfaces": 1}


def assert_let_go(workflow: Workflow, run_id: str, execution: str) -> None:
    assert standing(workflow, run_id) == NOTHING
    assert workflow.machines.launched[run_id] <= workflow.machines.terminated
    record = workflow.state(run_id).get(RUN)
    assert (record["status"], record["reason"]) == ("aborted", "the execution was aborted")
    found = lock(workflow)
    assert found["owner"] == execution
    assert found["released_at"] is not None
    assert standing(workflow, run_id, THEIRS) == OF_THEIRS
    assert standing(workflow, "going-on") == WHOLE
    assert workflow.state("going-on").get(RUN)["status"] == "running"


def test_after_an_aborted_execution_the_rule_alone_lets_go(workflow, going_on):
    execution = start(workflow, "by-rule")
    stop(workflow, "by-rule", execution)
    event = status_change(workflow.outputs["StateMachineArn"], "by-rule", "ABORTED")
    workflow.call("clean_up", event)
    assert_let_go(workflow, "by-rule", execution)
    before = workflow.state("by-rule").get(RUN)
    workflow.call("clean_up", event)
    assert_let_go(workflow, "by-rule", execution)
    assert workflow.state("by-rule").get(RUN) == before


def test_an_event_of_a_run_that_goes_on_after_all_is_left_alone(workflow, going_on):
    machine = going_on.replace(":execution:", ":stateMachine:").rpartition(":")[0]
    workflow.call("clean_up", status_change(machine, "going-on", "FAILED"))
    assert standing(workflow, "going-on") == WHOLE
    assert workflow.state("going-on").get(RUN)["status"] == "running"


def test_after_an_aborted_execution_the_watchdog_alone_lets_go(workflow, going_on):
    execution = start(workflow, "by-watchdog")  # gets the lock of the one before
    stop(workflow, "by-watchdog", execution)
    with ThreadPoolExecutor(2) as pool:
        for watched in [pool.submit(workflow.call, "watchdog", TICK) for _ in range(2)]:
            watched.result()
    assert_let_go(workflow, "by-watchdog", execution)
    before = workflow.state("by-watchdog").get(RUN)
    workflow.call("watchdog", TICK)
    assert_let_go(workflow, "by-watchdog", execution)
    assert workflow.state("by-watchdog").get(RUN) == before


def test_the_watchdog_lets_go_of_a_run_that_has_outlasted_its_lease(workflow, going_on):
    workflow.state("going-on").update(RUN, deadline_at=1)
    workflow.call("watchdog", TICK)
    assert standing(workflow, "going-on") == NOTHING
    assert workflow.plane.status(going_on) == "RUNNING"
    assert workflow.state("going-on").get(RUN)["status"] == "running"
