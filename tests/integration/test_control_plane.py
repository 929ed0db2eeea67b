"""A synthesized stack, unmodified, deployed and run: well, failing at each step, stopped, and closed on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from moto.stepfunctions.parser.utils import TMP_THREADS

from breakeven.errors import BreakevenError
from local.children import Children
from local.control_plane import ControlPlane

APP = Path(__file__).parents[1] / "fixtures" / "probe_app" / "app.py"
STACK = "Probe"
LIMIT_S = 60


class Machines:
    """Writes down what is launched and terminated."""

    def __init__(self):
        self.launched, self.terminated = [], []

    def launch(self, launch):
        self.launched.append(launch)

    def terminate(self, instance_ids):
        self.terminated.append(instance_ids)


class Plane:
    """A control plane with the probe stack deployed, and what it was made of."""

    def __init__(self, assembly, folder, on_invoke=None):
        self.children, self.machines, self.logs = Children(), Machines(), folder / "logs"
        self.plane = ControlPlane(
            children=self.children,
            cloud_assembly=assembly,
            machines=self.machines,
            env={"EXTRA": "variable"},
            log_dir=self.logs,
            on_invoke=on_invoke,
        ).open()

    def deploy(self):
        self.outputs = self.plane.deploy(STACK)
        return self

    def start(self, name, **wanted):
        defaults = {"loaders": [1, 2, 3], "at_once": 2, "rounds": [1, 2], "beside_s": 1, "fault": {}}
        return self.plane.start(self.outputs["MachineArn"], {**defaults, **wanted}, name=name)

    def run(self, name, **wanted):
        return self.plane.wait(self.start(name, **wanted))

    def item(self, run_id):
        table = self.plane.resource("dynamodb").Table(self.outputs["TableName"])
        return table.get_item(Key={"run_id": run_id}).get("Item")

    def failures(self, run_id):
        """What the release step was told: state -> error. None: it did not run."""
        released = self.item(f"{run_id}/released")
        return released and {state: error["Error"] for state, error in released["failed"].items()}

    def entered(self, execution):
        names = (e.get("stateEnteredEventDetails", {}).get("name") for e in self.plane.history(execution))
        return [name for name in names if name]

    def close(self):
        self.plane.close()
        self.children.stop_all()


@pytest.fixture(scope="module")
def synthesized(tmp_path_factory):
    out = tmp_path_factory.mktemp("probe") / "cdk.out"
    subprocess.run([sys.executable, str(APP)], env={**os.environ, "CDK_OUTDIR": str(out)}, check=True)
    return out


@pytest.fixture(scope="module")
def plane(synthesized, tmp_path_factory):
    made = Plane(synthesized, tmp_path_factory.mktemp("plane")).deploy()
    yield made
    made.close()


@pytest.fixture
def opened(synthesized, tmp_path):
    """Makes further planes, which takes the place of the shared one: use it last."""
    made = []

    def make(assembly=synthesized, **options):
        made.append(Plane(assembly, tmp_path, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


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


def test_the_definition_that_runs_is_the_one_synthesized(plane, synthesized):
    template = json.loads((synthesized / f"{STACK}.template.json").read_text())
    deployed = plane.plane.client("stepfunctions").describe_state_machine(
        stateMachineArn=plane.outputs["MachineArn"]
    )["definition"]
    (machine,) = (r for r in template["Resources"].values() if r["Type"] == "AWS::StepFunctions::StateMachine")
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
def test_a_failing_step_is_told_to_the_release(plane, fault, failures):
    (entry, kind), name = next(iter(fault.items())), f"fault-{'-'.join(next(iter(fault.items())))}"
    found = plane.run(name, fault={entry: kind})
    assert (found["status"], found["error"]) == ("FAILED", "RunFailed")
    assert plane.failures(name) == failures


def test_a_retry_helps_what_passes(plane):
    assert plane.run("flaky", fault={"settle": "flaky"})["status"] == "SUCCEEDED"


def test_a_lost_path_fails_the_execution_as_on_aws(plane):
    found = plane.run("lost", at_once="many")
    assert (found["status"], found["error"]) == ("FAILED", "States.Runtime")
    assert plane.failures("lost") is None


def test_a_failing_query_is_a_failed_task(plane):
    for group in plane.plane.client("s3").list_objects_v2(Bucket=plane.outputs["BucketName"]).get("Contents", []):
        assert group["Key"].startswith(("rows/", "athena/", "flaky/"))
    plane.plane.client("s3").put_object(
        Bucket=plane.outputs["BucketName"], Key="rows/run_id=broken/row.json", Body=b'{"loader": "no number"}\n'
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
    assert plane.plane.wait(execution)["status"] == "ABORTED"
    assert not {"SettleTask", "ReleaseTask"} & set(plane.entered(execution))


def test_instances_reach_the_machines(plane):
    ec2 = plane.plane.client("ec2")
    template = {"LaunchTemplateId": plane.outputs["TemplateId"]}
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "breakeven:run", "Value": "r"}]}]
    made = ec2.run_instances(LaunchTemplate=template, MinCount=2, MaxCount=2, TagSpecifications=tags)
    ids = [instance["InstanceId"] for instance in made["Instances"]]
    (launch,) = plane.machines.launched
    assert launch.instance_ids == tuple(ids)
    assert (launch.tags["breakeven:run"], launch.tags["owner"]) == ("r", "probe")
    assert plane.machines.terminated == []
    ec2.terminate_instances(InstanceIds=ids)
    assert plane.machines.terminated == [tuple(ids)]


def test_functions_are_warmed_by_handler(plane):
    plane.plane.warm("probe.settle", 2)
    assert sum("Settle" in name for name in plane.children.running()) >= 2


def test_named_queries_and_assets_are_there(plane):
    athena = plane.plane.client("athena")
    (query_id,) = athena.list_named_queries(WorkGroup="probe")["NamedQueryIds"]
    assert athena.get_named_query(NamedQueryId=query_id)["NamedQuery"]["Name"] == "totals"


def test_a_raise_put_into_the_asset_surfaces(opened, synthesized, tmp_path):
    changed = shutil.copytree(synthesized, tmp_path / "changed")
    for code in changed.glob("asset.*/probe.py"):
        code.write_text(code.read_text().replace("def settle(event, context):", "def settle(event, context):\n    1 / 0"))
    made = opened(changed).deploy()
    made.run("changed")
    assert made.failures("changed") == {"SettleTask": "ZeroDivisionError"}


def test_faults_are_injected_by_function(opened):
    made = opened(on_invoke=lambda name, event: {"raise": "Injected"} if "Prepare" in name else None).deploy()
    made.run("injected")
    assert made.failures("injected") == {"PrepareTask": "Injected"}


def test_close_while_it_runs_leaves_nothing(opened):
    made = opened().deploy()
    execution = made.start("closed", fault={"prepare": "sleep"})
    deadline = time.monotonic() + LIMIT_S
    while not any("Prepare" in name for name in made.children.running()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    endpoint = made.plane.endpoint
    assert made.plane.status(execution) == "RUNNING"
    made.plane.close()
    assert made.children.running() == []
    assert TMP_THREADS == []
    assert not [thread for thread in threading.enumerate() if "_execution_logic" in thread.name]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(endpoint)
    made.plane.close()


def test_the_users_settings_are_hidden_and_given_back(opened, monkeypatch):
    mine = {"AWS_PROFILE": "absent", "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    made = opened()
    assert made.plane.client("sts").get_caller_identity()["Account"] == "123456789012"
    made.plane.close()
    assert {name: os.environ.get(name) for name in mine} == mine
    assert "AWS_SECRET_ACCESS_KEY" not in os.environ


def edited(synthesized, tmp_path, change):
    copy = shutil.copytree(synthesized, tmp_path / "edited")
    template = copy / f"{STACK}.template.json"
    content = json.loads(template.read_text())
    change(content)
    template.write_text(json.dumps(content))
    return copy


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        ({"Type": "AWS::Scheduler::Schedule", "Properties": {}}, "resource Added.*AWS::Scheduler::Schedule is not known"),
        ({"Type": "Custom::Thing", "Properties": {"ServiceToken": "x"}}, "resource Added.*Custom::Thing is not known"),
        ({"Type": "AWS::Glue::Table", "Properties": {"DatabaseName": "absent", "TableInput": {"Name": "t"}}}, "resource Added"),
        ({"Type": "AWS::SNS::Topic", "Properties": {"TopicName": {"Fn::GetAtt": ["Database", "Arn"]}}}, "no attribute Arn"),
    ],
    ids=["unknown type", "custom resource", "failing", "unknown attribute"],
)
def test_a_stack_that_cannot_be_created_is_refused(opened, synthesized, tmp_path, resource, message):
    made = opened(edited(synthesized, tmp_path, lambda content: content["Resources"].update(Added=resource)))
    with pytest.raises(BreakevenError, match=message):
        made.plane.deploy(STACK)


def test_a_parameter_without_a_value_is_refused(opened, synthesized, tmp_path):
    added = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/my/own"}
    made = opened(edited(synthesized, tmp_path, lambda content: content["Parameters"].update(Mine=added)))
    with pytest.raises(BreakevenError, match="/my/own has no value here"):
        made.plane.deploy(STACK)


def test_a_stack_that_is_not_there_is_refused(opened):
    with pytest.raises(BreakevenError, match="no stack 'Absent'"):
        opened().plane.deploy("Absent")
