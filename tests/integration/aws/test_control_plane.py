"""A synthesized stack, unmodified, deployed and run: well, failing at each step, and stopped."""

from __future__ import annotations

import json
import time

import pytest
from botocore.exceptions import ClientError

from local.aws.strict.permissions.account_quotas import ESTABLISHED
from tests.support.aws.executions import wait_for
from tests.support.aws.probe import LIMIT_S, STACK, Plane, synthesized_probe


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    made = Plane(synthesized_probe(), tmp_path_factory.mktemp("plane")).deploy()
    yield made
    made.close()


def test_the_whole_workflow_runs(plane):
    found = plane.run("well")
    assert found["status"] == "SUCCEEDED", found
    output = json.loads(found["output"])
    assert output["input"]["loaders"] == [1, 2, 3]
    assert plane.item("well") == {
        "run_id": "well",
        "started_at": found["startDate"].strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        "loaders": "[1,2,3]",
    }
    results = plane.plane.client("athena").get_query_results(QueryExecutionId=output["query"]["id"])
    rows = [[cell["VarCharValue"] for cell in row["Data"]] for row in results["ResultSet"]["Rows"]]
    assert rows == [["loader", "operations"], ["1", "200"], ["2", "202"], ["3", "204"]]
    assert plane.entered(found["executionArn"])[-1] == "Done"


def test_the_definition_that_runs_is_the_one_synthesized(plane):
    template = json.loads((synthesized_probe() / f"{STACK}.template.json").read_text())
    deployed = plane.plane.client("stepfunctions").describe_state_machine(
        stateMachineArn=plane.outputs["MachineArn"]
    )["definition"]
    (machine,) = (
        r for r in template["Resources"].values() if r["Type"] == "AWS::StepFunctions::StateMachine"
    )
    separator, parts = machine["Properties"]["DefinitionString"]["Fn::Join"]
    rest = deployed
    for text in (part for part in parts if isinstance(part, str)):
        _, found, rest = rest.partition(text)
        assert found == text
    assert (separator, rest) == ("", "")


@pytest.mark.parametrize(
    ("fault", "failures"),
    [
        ({"prepare": "raise"}, {"PrepareTask": "CaseError"}),
        ({"prepare": "kill"}, {"PrepareTask": "Runtime.ExitError"}),
        ({"prepare": "sleep"}, {"PrepareTask": "Sandbox.Timedout"}),  # by the function's own limit
        ({"load": "raise"}, {"Drive": "CaseError"}),
        ({"load": "kill"}, {"Drive": "Runtime.ExitError"}),
        ({"load": "sleep"}, {"Drive": "States.Timeout"}),  # by the state's limit, in a Map in a Parallel
        ({"settle": "raise"}, {"SettleTask": "CaseError"}),
    ],
    ids=str,
)
def test_a_failing_step_is_reported_to_the_release(plane, fault, failures):
    (entry, kind), name = next(iter(fault.items())), f"fault-{'-'.join(next(iter(fault.items())))}"
    found = plane.run(name, fault={entry: kind}, load_s=1 if fault == {"load": "sleep"} else 120)
    assert (found["status"], found["error"]) == ("FAILED", "RunFailed")
    assert plane.failures(name) == failures


def test_a_retry_helps_what_passes(plane):
    assert plane.run("flaky", fault={"settle": "flaky"})["status"] == "SUCCEEDED"


def test_a_lost_path_fails_the_execution_as_on_aws(plane):
    found = plane.run("lost", at_once="many")
    assert (found["status"], found["error"]) == ("FAILED", "States.Runtime")
    assert plane.failures("lost") is None


def test_a_failing_query_is_a_failed_task(plane):
    for group in (
        plane.plane.client("s3").list_objects_v2(Bucket=plane.outputs["BucketName"]).get("Contents", [])
    ):
        assert group["Key"].startswith(("rows/", "athena/", "flaky/"))
    plane.plane.client("s3").put_object(
        Bucket=plane.outputs["BucketName"],
        Key="rows/run_id=broken/row.json",
        Body=b'{"loader": "no number"}\n',
    )
    plane.run("broken")
    assert plane.failures("broken") == {"Query": "States.TaskFailed"}


def test_stop_aborts_and_nothing_more_is_entered(plane):
    execution = plane.start("stopped", fault={"load": "sleep"})
    deadline = time.monotonic() + LIMIT_S
    while "LoadTask" not in plane.entered(execution):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    plane.plane.stop(execution)
    assert plane.plane.status(execution) == "ABORTED"
    assert wait_for(plane.plane, execution)["status"] == "ABORTED"
    assert not {"SettleTask", "ReleaseTask"} & set(plane.entered(execution))


def test_nodes_of_a_lane_reach_the_machines_together_whatever_calls_have_launched_them(plane):
    ec2, before = plane.plane.client("ec2"), len(plane.machines.launched)
    template = {"LaunchTemplateId": plane.outputs["TemplateId"]}
    ids: dict[str, list[str]] = {"a": [], "b": []}
    for target in ("a", "b", "a", "b"):
        tags = {"breakeven:run": "lanes", "breakeven:target": target, "breakeven:nodes": "2"}
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        made = ec2.run_instances(
            LaunchTemplate=template,
            MinCount=1,
            MaxCount=1,
            TagSpecifications=[{"ResourceType": "instance", "Tags": listed}],
        )
        ids[target].append(made["Instances"][0]["InstanceId"])
    launched = plane.machines.launched[before:]
    assert [launch.instance_ids for launch in launched] == [tuple(ids["a"]), tuple(ids["b"])]
    assert [launch.tags["breakeven:target"] for launch in launched] == ["a", "b"]
    del plane.machines.launched[before:]
    ec2.terminate_instances(InstanceIds=[*ids["a"], *ids["b"]])
    plane.machines.terminated.clear()


def test_instances_reach_the_machines(plane):
    ec2 = plane.plane.client("ec2")
    template = {"LaunchTemplateId": plane.outputs["TemplateId"]}
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "breakeven:run", "Value": "r"}]}]
    made = ec2.run_instances(LaunchTemplate=template, MinCount=2, MaxCount=2, TagSpecifications=tags)
    ids = [instance["InstanceId"] for instance in made["Instances"]]
    (launch,) = plane.machines.launched
    assert launch.instance_ids == tuple(ids)
    assert (launch.tags["breakeven:run"], launch.tags["owner"]) == ("r", "probe")
    ec2.stop_instances(InstanceIds=ids[1:])
    assert (plane.machines.stopped, plane.machines.started) == ([(ids[1],)], [])
    ec2.start_instances(InstanceIds=ids[1:])
    assert plane.machines.started == [(ids[1],)]
    assert plane.machines.terminated == []
    ec2.terminate_instances(InstanceIds=ids)
    assert plane.machines.terminated == [tuple(ids)]


def test_named_queries_and_assets_are_there(plane):
    athena = plane.plane.client("athena")
    (query_id,) = athena.list_named_queries(WorkGroup="probe")["NamedQueryIds"]
    assert athena.get_named_query(NamedQueryId=query_id)["NamedQuery"]["Name"] == "totals"


def test_limits_and_quotas_of_aws_are_held_in_front_of_everything(plane):
    """The layers of ``strict/``: a model's limit, one that models do not carry, the account's own."""
    machine = plane.outputs["MachineArn"]
    for name, code in (("x" * 81, "ValidationException"), ("a:b", "InvalidName")):
        with pytest.raises(ClientError, match=code):
            plane.plane.client("stepfunctions").start_execution(stateMachineArn=machine, name=name)
    limit = plane.plane.client("lambda").get_account_settings()["AccountLimit"]
    assert limit["UnreservedConcurrentExecutions"] == ESTABLISHED.functions
