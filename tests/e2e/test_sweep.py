"""Three sizes of the pair in one run, and no room for one of them: the deployed workflow, real brokers.

The simulated EC2 launches what it is asked to; the brokers that instances stand for are always the same.
"""

from __future__ import annotations

from typing import Any

import pytest
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.instances import InstanceBackend

from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from tests.support.workflow.workflow_runs import SUITE, Workflow, parse_suite_text, workflow_at

pytestmark = pytest.mark.installed

RUN_ID = "sweep"
PAIR = "rabbitmq-mirrored-pair"
LARGE, AMPLE, SCARCE = (f"{PAIR}_{name}" for name in ("large", "ample", "scarce"))
SIZES = """
machines:
  rabbitmq-mirrored-pair:
    large: {instance_type: m7g.large}
    ample: {instance_type: r7g.xlarge, volume_gb: 40}  # of the architecture whose image there is
    scarce: {instance_type: m7g.2xlarge}
"""


@pytest.fixture(scope="module")
def workflow(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory):
    with workflow_at(assembly, rabbitmq_pair, sqs_endpoint, tmp_path_factory.mktemp("sweep")) as made:
        yield made


@pytest.fixture(scope="module")
def status(workflow: Workflow) -> str:
    """Of the execution, which has ended."""
    launch = InstanceBackend.run_instances

    def scarce(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("instance_type") == "m7g.2xlarge":
            raise EC2ClientError("InsufficientInstanceCapacity", "There is not sufficient capacity")
        return launch(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InstanceBackend, "run_instances", scarce)
        return workflow.end(workflow.start(RUN_ID, suite=parse_suite_text(SUITE + SIZES)))


def instances(workflow: Workflow, target: str) -> list[dict[str, Any]]:
    ids = workflow.state(RUN_ID).get(lane_item(target))["instance_ids"]
    found = workflow.plane.client("ec2").describe_instances(InstanceIds=ids)
    return [each for reservation in found["Reservations"] for each in reservation["Instances"]]


def test_each_size_is_launched_as_the_suite_says_and_terminated(workflow, status):
    for target, kind in ((LARGE, "m7g.large"), (AMPLE, "r7g.xlarge")):
        found = instances(workflow, target)
        assert [each["InstanceType"] for each in found] == [kind, kind]
        assert {each["State"]["Name"] for each in found} == {"terminated"}
        assert {each["InstanceId"] for each in found} <= workflow.machines.terminated
        zones = workflow.state(RUN_ID).get(lane_item(target))["zones"]
        assert sorted(each["Placement"]["AvailabilityZone"] for each in found) == sorted(zones)
        assert len(set(zones)) == 2, "each node in another"
    assert len(workflow.machines.launched[RUN_ID]) == 4


def test_the_report_has_the_cases_of_each_size(workflow, status):
    report = workflow.store().get_json(layout.report_key(RUN_ID, "report.json"))
    cases = {case["target"]: case for case in report["cases"]}
    assert set(cases) == {LARGE, AMPLE, SCARCE}
    for target in (LARGE, AMPLE):
        assert cases[target]["status"] == "ok", cases[target]["reason"]
        assert cases[target]["produce"]["msg_per_s"] > 0
        assert cases[target]["ledger"]["lost"] == 0
    notes = [note for note in report["cost_notes"] if "a month, before traffic" in note]
    assert len(notes) == 3
    assert "RabbitMQ mirrored pair, ample (2 x r7g.xlarge with 40 GB each)" in notes[1]
    own = {
        crossing["question_id"]: crossing["msg_per_s"]
        for crossing in report["crossovers"]
        if (crossing["sqs_option"], crossing["other_option"]) == ("sqs-as-used", "rabbitmq")
        and crossing["price_book"] != "2012-12"
    }
    assert list(own) == ["us-east-1", "us-east-1.size-ample", "us-east-1.size-scarce"]
    assert len(set(own.values())) == 3, "each has a price of its own"
    page = workflow.store().get_bytes(layout.report_key(RUN_ID, "index.html")).decode()
    assert "RabbitMQ mirrored pair, large" in page


def test_no_room_for_one_size_fails_its_cases_and_the_run_goes_on(workflow, status):
    assert status == "SUCCEEDED"
    assert workflow.state(RUN_ID).get(RUN)["status"] == "partial"
    cases = {case["target"]: case for case in workflow.state(RUN_ID).items("case#").values()}
    assert cases[SCARCE]["status"] == "failed"
    assert "EC2 has no room for 1 x m7g.2xlarge in us-east-1" in cases[SCARCE]["reason"]
    assert "(InsufficientInstanceCapacity)" in cases[SCARCE]["reason"]
    assert workflow.state(RUN_ID).get(lane_item(SCARCE))["failed_at"] == "BrokerLaunchBrokers"
