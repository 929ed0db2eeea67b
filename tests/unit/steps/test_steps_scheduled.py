"""The scheduled run is started once, however often Scheduler delivers."""

from __future__ import annotations

import json
import re

import boto3
import pytest
from moto import mock_aws

from breakeven.errors import InputError
from breakeven.steps.run.plan_run import check_run_id
from breakeven.steps.run.start_scheduled import execution_name, start_scheduled

TIME = "2026-12-01T06:00:00Z"
INPUT = {"suite": "quick"}
#: what Step Functions takes for an execution's name
VALID = re.compile(r"[0-9A-Za-z_-]{1,80}")


@pytest.mark.parametrize("time", [TIME, "2026-12-01T06:00:00+00:00", "2026-12-01T07:00:00+01:00"])
def test_the_name_is_valid_and_the_same_for_every_delivery_of_a_time(time):
    name = execution_name(time)
    assert name == "scheduled-20261201-060000"
    assert VALID.fullmatch(name)
    check_run_id(name)


def test_another_time_has_another_name():
    assert execution_name("2026-12-01T06:00:01Z") != execution_name(TIME)


@pytest.mark.parametrize("time", ["<aws.scheduler.scheduled-time>", "2026-12-01T06:00:00", ""])
def test_what_is_no_time_starts_nothing(time):
    with pytest.raises(InputError, match="scheduled_time"):
        execution_name(time)


@pytest.fixture
def machine(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("stepfunctions", region_name="us-east-1")
        definition = {"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}
        role = "arn:aws:iam::123456789012:role/any"
        made = client.create_state_machine(name="m", definition=json.dumps(definition), roleArn=role)
        yield client, made["stateMachineArn"]


def names(machine):
    client, arn = machine
    return [one["name"] for one in client.list_executions(stateMachineArn=arn)["executions"]]


def test_two_deliveries_while_it_runs_are_one_execution(machine):
    for _ in range(2):
        start_scheduled(*machine, TIME, INPUT)
    assert names(machine) == ["scheduled-20261201-060000"]
    (execution,) = machine[0].list_executions(stateMachineArn=machine[1])["executions"]
    reported = machine[0].describe_execution(executionArn=execution["executionArn"])["input"]
    assert json.loads(reported) == INPUT


def test_a_delivery_after_its_end_starts_nothing_and_is_no_error(machine):
    client, arn = machine
    assert start_scheduled(client, arn, TIME, INPUT)
    (execution,) = client.list_executions(stateMachineArn=arn)["executions"]
    client.stop_execution(executionArn=execution["executionArn"])
    assert not start_scheduled(client, arn, TIME, INPUT)
    assert names(machine) == ["scheduled-20261201-060000"]


def test_what_cannot_be_started_is_an_error_so_that_it_is_tried_again(machine):
    client, arn = machine
    with pytest.raises(client.exceptions.StateMachineDoesNotExist):
        start_scheduled(client, f"{arn}-gone", TIME, INPUT)
