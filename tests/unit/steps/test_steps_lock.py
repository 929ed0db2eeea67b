"""The run's lock: who gets it, who is told why not, and what a race comes to."""

from __future__ import annotations

import time
from types import SimpleNamespace

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from breakeven.errors import LockHeldError
from breakeven.installation import OWNER_TAG, RUN_TAG, Installation
from breakeven.planning.run_deadline import MAX_RUN_S, TAIL_S
from breakeven.results.items import LOCKS, RUN
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.run.take_lock import lock_item, take_lock
from breakeven.steps.services import Services

MACHINE = "arn:aws:states:eu-west-1:123456789012:execution:Breakeven"


def execution(run_id: str, machine: str = MACHINE) -> str:
    return f"{machine}:{run_id}"


class Executions:
    """Stands for Step Functions: ``statuses`` by ARN, any other is forgotten."""

    def __init__(self, **statuses: str) -> None:
        self.statuses = {execution(run_id): status for run_id, status in statuses.items()}

    def describe_execution(self, executionArn: str) -> dict[str, str]:
        if executionArn not in self.statuses:
            raise ClientError({"Error": {"Code": "ExecutionDoesNotExist"}}, "DescribeExecution")
        return {"status": self.statuses[executionArn]}


@pytest.fixture
def services(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        keys = {"run_id": "HASH", "item": "RANGE"}
        table = boto3.resource("dynamodb").create_table(
            TableName="state",
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys.items()],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in keys],
            BillingMode="PAY_PER_REQUEST",
        )
        yield Services(store=Store(boto3.client("s3"), "none"), table=table)


def take(services, run_id, executions=None, machine=MACHINE):
    owner = execution(run_id, machine)
    return take_lock(services, executions or Executions(), boto3.client("ec2"), run_id, owner)


def lock(services):
    return RunState(services.table, LOCKS).get("Breakeven")


def change(services, **fields):
    """As time does, or the workflow's own release."""
    held = lock(services)
    version = held.pop("version")
    kept = {name: value for name, value in held.items() if name not in {"run_id", "item"}}
    RunState(services.table, LOCKS).take("Breakeven", version, **{**kept, **fields})


OURS = Installation().owner


def broker_of(run_id, owner=OURS):
    ec2 = boto3.client("ec2")
    own = {RUN_TAG: run_id, OWNER_TAG: owner}
    tags = [
        {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in own.items()]}
    ]
    made = ec2.run_instances(ImageId="ami-12c6146b", MinCount=1, MaxCount=1, TagSpecifications=tags)
    return made["Instances"][0]["InstanceId"]


def test_a_free_lock_is_taken_until_the_runs_deadline_and_what_may_come_after(services):
    services.state("one").update(RUN, deadline_at=2_000_000_000)
    assert take(services, "one") == {"item": "Breakeven"}
    held = lock(services)
    assert held["owner"] == execution("one")
    assert held["lease_until"] == 2_000_000_000 + TAIL_S
    assert "expires_at" not in held, "it would be gone by itself one day"


def test_a_run_without_a_deadline_has_as_long_as_an_execution(services):
    take(services, "one")
    assert lock(services)["lease_until"] == pytest.approx(time.time() + MAX_RUN_S, abs=60)


def test_a_retried_taking_keeps_it(services):
    take(services, "one")
    take(services, "one", Executions(one="RUNNING"))
    assert lock(services)["owner"] == execution("one")


@pytest.mark.parametrize("status", ["RUNNING", "FAILED", "ABORTED"])
def test_within_the_lease_nobody_else_gets_it_whatever_became_of_its_owner(services, status):
    take(services, "one")
    with pytest.raises(LockHeldError, match=r"run one holds the lock until .* wait for its end"):
        take(services, "two", Executions(one=status))
    assert lock(services)["owner"] == execution("one")


def test_after_the_lease_it_is_not_taken_from_one_that_still_runs(services):
    take(services, "one")
    change(services, lease_until=1)
    with pytest.raises(LockHeldError, match=f"still runs: stop execution {execution('one')}"):
        take(services, "two", Executions(one="RUNNING"))
    with pytest.raises(LockHeldError):
        take(services, "two", Executions(one="PENDING_REDRIVE"))


@pytest.mark.parametrize("statuses", [{"one": "ABORTED"}, {"one": "TIMED_OUT"}, {}])
def test_after_the_lease_it_is_taken_over_from_one_that_does_not_run(services, statuses):
    take(services, "one")
    change(services, lease_until=1)
    take(services, "two", Executions(**statuses))
    assert lock(services)["owner"] == execution("two")


def test_a_released_lock_is_free_at_once(services):
    take(services, "one")
    change(services, released_at="2026-11-21T00:00:00Z")
    take(services, "two", Executions(one="RUNNING"))
    assert lock(services)["owner"] == execution("two")
    assert lock(services)["released_at"] is None


@pytest.mark.parametrize("fields", [{"released_at": "2026-11-21T00:00:00Z"}, {"lease_until": 1}])
def test_brokers_that_the_last_owner_left_keep_it_from_everyone(services, fields):
    take(services, "one")
    left = broker_of("one")
    other = broker_of("one", owner="another-QueueBreakeven")
    change(services, **fields)
    with pytest.raises(LockHeldError, match=f"brokers of run one still run .{left}.: wait"):
        take(services, "two")
    boto3.client("ec2").terminate_instances(InstanceIds=[left])
    take(services, "two")
    assert boto3.client("ec2").describe_instances(InstanceIds=[other])["Reservations"]


def test_each_state_machine_has_its_own(services):
    take(services, "one")
    other = MACHINE.replace("Breakeven", "Another")
    assert take(services, "two", machine=other) == {"item": "Another"}
    assert lock_item(execution("two", other)) == "Another"


@pytest.mark.parametrize("before", [False, True])
def test_of_two_that_saw_it_free_one_gets_it(services, before):
    """The second writes between the first's look and its write."""
    if before:
        take(services, "zero")
        change(services, released_at="2026-11-21T00:00:00Z")
    table = services.table

    def overtaken(**kwargs):
        if not raced:
            raced.append(True)
            take(services, "two")
        return table.update_item(**kwargs)

    raced: list[bool] = []
    slow = SimpleNamespace(get_item=table.get_item, query=table.query, update_item=overtaken)
    with pytest.raises(LockHeldError, match="has just taken"):
        take(Services(store=services.store, table=slow), "one")
    assert lock(services)["owner"] == execution("two")


def test_of_two_that_take_over_at_once_one_gets_it(services):
    """The second takes it over while the first still asks about the owner."""

    class Meanwhile:
        def describe_execution(self, **_):
            take(services, "two", Executions())
            return {"status": "ABORTED"}

    take(services, "zero")
    change(services, lease_until=1)
    with pytest.raises(LockHeldError, match="has just taken"):
        take(services, "one", Meanwhile())
    assert lock(services)["owner"] == execution("two")


def test_what_cannot_be_asked_is_no_leave_to_take_it(services):
    class Denied:
        def describe_execution(self, **_):
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "DescribeExecution")

    take(services, "one")
    change(services, lease_until=1)
    with pytest.raises(ClientError, match="AccessDenied"):
        take(services, "two", Denied())
    assert lock(services)["owner"] == execution("one")
