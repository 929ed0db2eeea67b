"""A stack that the version before deployed is updated to this one in place, keeps what it holds, and runs."""

from __future__ import annotations

import pytest

from breakeven.results import layout
from tests.support.aws.definition import STACK, template_of
from tests.support.aws.stack_update import assembly_of, replaced
from tests.support.workflow.workflow_runs import workflow_at

pytestmark = pytest.mark.installed

#: the last one before handlers and constructs moved to rooms of their own
BEFORE = "f8d620b971f642f6071e406c943622c5bef6b61f"
KEPT = "rows/kept.json"
#: outputs that are a place for people and no resource: reports have been published apart since then
MOVED = {"ReportLocation"}
#: what is another whenever anything changes in it, and holds nothing: a revision of the same family, and a
#: text that people find by its name
REVISED = {"AWS::ECS::TaskDefinition", "AWS::Athena::NamedQuery"}
#: ... and moto makes a rule anew, where CloudFormation describes the one that is there otherwise
MADE_ANEW = {*REVISED, "AWS::Events::Rule"}


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return assembly_of(BEFORE, tmp_path_factory.mktemp("before"))


def test_no_resource_is_replaced_and_none_is_gone(before, assembly):
    old, new = template_of(before), template_of(assembly)
    assert {new["Resources"][logical_id]["Type"] for logical_id in replaced(old, new)} <= REVISED
    assert old["Resources"].keys() <= new["Resources"].keys()
    assert old != new, "there is something to update"


def test_it_is_updated_in_place_and_runs(before, assembly, rabbitmq_pair, sqs_endpoint, tmp_path):
    with workflow_at(before, rabbitmq_pair, sqs_endpoint, tmp_path) as workflow:
        workflow.store().put_bytes(KEPT, b"{}")
        api = workflow.plane.client("cloudformation")
        ids = physical_ids(api)
        outputs = workflow.plane.deploy(STACK, assembly)
        assert outputs.keys() == workflow.outputs.keys()
        assert {name for name in outputs if outputs[name] != workflow.outputs[name]} <= MOVED
        other = dict(ids.items() - physical_ids(api).items())
        assert {template_of(assembly)["Resources"][logical_id]["Type"] for logical_id in other} <= MADE_ANEW
        assert workflow.store().get_bytes(KEPT) == b"{}"
        assert workflow.run("after") == "SUCCEEDED"
        place = outputs["ReportLocation"].replace("EXECUTION_NAME", "after")
        key = f"{place}report.json".removeprefix(f"s3://{outputs['BucketName']}/")
        assert key == layout.published_key("after", "report.json")
        report = workflow.store().get_json(key)
        assert [case["status"] for case in report["cases"]] == ["ok"]


def physical_ids(api):
    return {
        each["LogicalResourceId"]: each.get("PhysicalResourceId")
        for each in api.describe_stack_resources(StackName=STACK)["StackResources"]
    }
