"""What a run makes for loaders that are tasks, how it is let go, and what is said of a task that failed."""

from __future__ import annotations

import boto3
import pytest
from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.installation import OWNER_TAG, RUN_TAG
from breakeven.results.items import RUN
from breakeven.steps.cleanup import resources
from breakeven.steps.reasons import reason_of, with_loaders_words
from breakeven.steps.tasks import establish_tasks as endpoints
from breakeven.steps.tasks.establish_tasks import (
    Image,
    Place,
    check_ready,
    establish_tasks,
    image_of,
    is_built,
)
from tests.support.aws.moto_results import installed
from tests.support.aws.one_page import OnePage
from tests.support.aws.task_cases import RUN_ID

NAMES = ("ecr.api", "logs")


@pytest.fixture
def services(monkeypatch):
    monkeypatch.setattr(endpoints, "POLL_S", 0)
    with installed(monkeypatch) as found:
        yield found


@pytest.fixture
def ec2(services):
    return boto3.client("ec2")


@pytest.fixture
def place(ec2):
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/24")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/26")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="g", Description="g", VpcId=vpc)["GroupId"]
    return Place(vpc, [subnet], group, "us-east-1")


def there(ec2) -> list[dict]:
    return ec2.describe_vpc_endpoints()["VpcEndpoints"]


def establish(services, ec2, place, run_id=RUN_ID, *, image_built=True):
    establish_tasks(services, ec2, place, run_id, NAMES, image_built=image_built)


class Scripted(OnePage):
    """EC2 whose endpoints have one state after another; ``taken``: so often a name is refused as taken."""

    def __init__(self, *states: str, taken: int = 0) -> None:
        self.states, self._taken, self.made = list(states), taken, 0

    def describe_vpc_endpoints(self, **_):
        if not self.made:
            return {"VpcEndpoints": []}
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        return {"VpcEndpoints": [{"State": state, "Tags": [{"Key": RUN_TAG, "Value": RUN_ID}]}]}

    def create_vpc_endpoint(self, **_):
        if self._taken:
            self._taken -= 1
            words = (
                "private-dns-enabled cannot be set because there is already a conflicting DNS domain for x"
            )
            raise ClientError({"Error": {"Code": "InvalidParameter", "Message": words}}, "CreateVpcEndpoint")
        self.made += 1


def test_each_service_has_one_endpoint_of_the_runs_own_with_its_private_name(services, ec2, place):
    establish(services, ec2, place)
    establish(services, ec2, place)  # of a call whose answer got lost
    made = there(ec2)
    assert sorted(each["ServiceName"] for each in made) == [
        "com.amazonaws.us-east-1.ecr.api",
        "com.amazonaws.us-east-1.logs",
    ]
    for each in made:
        assert (each["VpcEndpointType"], each["PrivateDnsEnabled"]) == ("Interface", True)
        assert (each["VpcId"], each["SubnetIds"]) == (place.vpc, place.subnets)
        assert [group["GroupId"] for group in each["Groups"]] == [place.group]
        tags = {tag["Key"]: tag["Value"] for tag in each["Tags"]}
        assert tags == {OWNER_TAG: "QueueBreakeven", RUN_TAG: RUN_ID}
    assert services.state(RUN_ID).get(RUN)["tasks"] == "ready"


def test_while_the_image_is_built_nothing_is_waited_for_and_no_task_is_begun(services, place):
    waiting = Scripted("pending")
    establish(services, waiting, place, image_built=False)
    assert waiting.made == 1
    with pytest.raises(CaseError, match="could not be created"):
        check_ready(services, RUN_ID)


def test_it_waits_until_they_answer(services, place):
    slow = Scripted("pending", "Pending", "pending", "available")
    establish(services, slow, place)
    assert slow.states == ["available"], "it was asked until then"
    check_ready(services, RUN_ID)


@pytest.mark.parametrize("state", ["failed", "Rejected"])
def test_one_that_never_will_is_reported(services, place, state):
    with pytest.raises(CaseError, match=f"endpoint of ecr.api: it is {state.lower()}"):
        establish(services, Scripted("pending", state), place)


def test_one_that_takes_too_long_is_reported(services, place, monkeypatch):
    monkeypatch.setattr(endpoints, "ENDPOINTS_TIMEOUT_S", 0.05)
    with pytest.raises(CaseError, match=r"not available in 0 s: ecr.api, logs"):
        establish(services, Scripted("pending"), place)


def test_a_name_that_an_endpoint_on_its_way_out_still_has_is_waited_for(services, place, monkeypatch):
    late = Scripted("available", taken=3)
    establish(services, late, place)
    assert late.made == 1
    monkeypatch.setattr(endpoints, "ENDPOINTS_TIMEOUT_S", 0.05)
    with pytest.raises(CaseError, match=r"endpoint of ecr.api: .*conflicting DNS domain"):
        establish(services, Scripted("available", taken=10**9), place)


def test_an_endpoint_that_the_network_has_already_is_used_and_never_cleaned_up(services, ec2, place):
    theirs = ec2.create_vpc_endpoint(
        VpcId=place.vpc,
        VpcEndpointType="Interface",
        ServiceName="com.amazonaws.us-east-1.logs",
        SubnetIds=place.subnets,
        PrivateDnsEnabled=True,
    )["VpcEndpoint"]["VpcEndpointId"]
    establish(services, ec2, place)
    assert len(there(ec2)) == 2
    ours = {each.id for each in resources.endpoints(ec2).find()}
    assert theirs not in ours
    assert len(ours) == 1


def test_an_endpoint_of_another_run_is_not_counted_on(services, ec2, place):
    """It is let go with that run, at whatever time."""
    establish(services, ec2, place, "another")
    establish(services, ec2, place)
    assert (
        len(resources.endpoints(ec2).find("another"))
        == len(resources.endpoints(ec2).find(RUN_ID))
        == len(NAMES)
    )


def test_endpoints_are_found_by_owner_and_run_and_cleaned_up(services, ec2, place):
    establish(services, ec2, place)
    kind = resources.endpoints(ec2)
    assert {each.run_id for each in kind.find()} == {RUN_ID}
    assert kind.find("another") == []
    for each in kind.find(RUN_ID):
        kind.clean_up(each.id)
    assert kind.find() == []


class Refusing:
    """EC2 that says in its answer what it could not delete."""

    def __init__(self, code: str) -> None:
        self._code = code

    def delete_vpc_endpoints(self, **_):
        return {"Unsuccessful": [{"ResourceId": "vpce-1", "Error": {"Code": self._code, "Message": "no"}}]}


def test_an_endpoint_that_cannot_be_cleaned_up_is_an_error_and_one_that_is_gone_is_none():
    resources.endpoints(Refusing("InvalidVpcEndpointId.NotFound")).clean_up("vpce-1")
    with pytest.raises(ClientError, match="UnauthorizedOperation"):
        resources.endpoints(Refusing("UnauthorizedOperation")).clean_up("vpce-1")


class Cluster:
    """ECS with tasks that stand: ARN -> group. Moto needs a network and roles for each."""

    def __init__(self, **groups: str) -> None:
        self.standing, self.looked_at = dict(groups), []

    def get_paginator(self, name):
        assert name == "list_tasks"
        return self

    def paginate(self, **asked):
        assert (asked["cluster"], asked["desiredStatus"]) == ("ours", "RUNNING")
        arns = list(self.standing)
        return [{"taskArns": arns[start : start + 100]} for start in range(0, len(arns), 100)] or [
            {"taskArns": []}
        ]

    def describe_tasks(self, cluster, tasks):
        self.looked_at.append(len(tasks))
        return {"tasks": [{"taskArn": arn, "group": self.standing[arn]} for arn in tasks]}

    def stop_task(self, cluster, task, reason):
        if task not in self.standing:
            code = "ClusterNotFoundException"
            raise ClientError({"Error": {"Code": code, "Message": "none"}}, "StopTask")
        del self.standing[task]


def test_tasks_are_found_by_their_runs_group_and_stopped():
    ecs = Cluster(one="run:a", two="run:ab", three="family:loader")
    kind = resources.tasks(ecs, "ours")
    assert {each.id: each.run_id for each in kind.find()} == {"one": "a", "two": "ab", "three": None}
    assert [each.id for each in kind.find("a")] == ["one"]
    kind.clean_up("one")
    assert kind.find("a") == []
    kind.clean_up("one")  # gone already
    assert resources.tasks(Cluster(), "ours").find() == []


def test_more_tasks_than_ecs_describes_at_once_are_described_in_turn():
    ecs = Cluster(**{f"task-{n}": "run:a" for n in range(250)})
    assert len(resources.tasks(ecs, "ours").find("a")) == 250
    assert max(ecs.looked_at) <= 100


MANIFEST = '{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json"}'


def test_an_image_is_there_once_it_is_pushed(services):
    ecr = boto3.client("ecr")
    ecr.create_repository(repositoryName="loaders")
    image = image_of({"BREAKEVEN_IMAGE_REPOSITORY": "loaders", "BREAKEVEN_IMAGE_TAG": "abc"})
    assert image == Image("loaders", "abc")
    assert not is_built(ecr, image)
    ecr.put_image(repositoryName="loaders", imageManifest=MANIFEST, imageTag="abc")
    assert is_built(ecr, image)
    assert not is_built(ecr, Image("loaders", "other"))
    with pytest.raises(ClientError, match="RepositoryNotFound"):
        is_built(ecr, Image("nowhere", "abc"))


# -- in words

CAUSE = (
    '{"TaskArn": "arn", "StoppedReason": "Essential container in task exited", '
    '"Containers": [{"Name": "loader", "ExitCode": 1}]}'
)


def test_of_a_task_the_reason_says_why_it_stopped_and_not_all_that_ecs_knows():
    failed = {"BrokerDrive": {"Error": "States.TaskFailed", "Cause": CAUSE}}
    _, reason = reason_of(failed)
    assert reason == (
        "BrokerDrive: States.TaskFailed: its task stopped: Essential container in task exited; exit code 1"
    )
    pulled = CAUSE.replace('"ExitCode": 1', '"Reason": "CannotPullContainerError: not found"')
    _, reason = reason_of({"BrokerDrive": {"Error": "States.TaskFailed", "Cause": pulled}})
    assert reason.endswith("Essential container in task exited; CannotPullContainerError: not found")


def test_a_loader_that_was_a_task_says_itself_what_it_failed_of():
    _, reason = reason_of({"BrokerDrive": {"Error": "States.TaskFailed", "Cause": CAUSE}})
    assert with_loaders_words(reason, [None, "no broker there"]).endswith("exit code 1: no broker there")
    other = "BrokerDrive: CaseError: no broker there"
    assert with_loaders_words(other, ["no broker there"]) == other
