"""What is looked at while nothing runs: nodes that should be gone, and when a run last went well."""

from __future__ import annotations

import time

import boto3
import pytest

from breakeven.installation import OWNER_TAG, RUN_TAG, Installation
from breakeven.results.items import RUN, case_item
from breakeven.results.state import RunState
from breakeven.steps.cleanup.clean_up import standing_nodes
from breakeven.steps.run.finish_run import GOOD_RUN, HEALTH, days_since_good_run, finish_run
from tests.support.aws.moto_results import installed

OURS = Installation().owner
DAY = 86_400


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def node(run_id, owner=OURS):
    own = {RUN_TAG: run_id, OWNER_TAG: owner}
    tags = [{"ResourceType": "instance", "Tags": [{"Key": k, "Value": v} for k, v in own.items()]}]
    made = boto3.client("ec2").run_instances(
        ImageId="ami-12c6146b", MinCount=1, MaxCount=1, TagSpecifications=tags
    )
    return made["Instances"][0]["InstanceId"]


def look(services):
    return standing_nodes(services, boto3.client("ec2"), boto3.client("mq"))


def test_nodes_within_their_runs_time_are_up_and_not_overdue(services):
    services.state("one").update(RUN, deadline_at=round(time.time()) + 60)
    node("one")
    node("unknown")
    assert (look(services).up, look(services).overdue) == (2, [])


def test_nodes_that_have_outlasted_their_run_are_overdue(services):
    services.state("old").update(RUN, deadline_at=round(time.time()) - 3601)
    left, _ = node("old"), node("unknown")
    assert (look(services).up, look(services).overdue) == (2, [left])


def test_nodes_of_others_and_those_that_are_gone_are_nothing(services):
    node("one", owner="another")
    boto3.client("ec2").terminate_instances(InstanceIds=[node("one")])
    assert look(services).up == 0


def health(services):
    return RunState(services.table, HEALTH).get(GOOD_RUN)


def at(services, days_ago):
    RunState(services.table, HEALTH).update(GOOD_RUN, expires_at=None, at=round(time.time() - days_ago * DAY))


def test_days_are_counted_from_the_last_good_run(services):
    at(services, 40)
    assert days_since_good_run(services) == pytest.approx(40, abs=0.01)
    state = services.state("well")
    state.update(RUN, cases=1)
    state.update(case_item("one"), case_id="one", target="sqs-standard", status="ok")
    finish_run(services, "well", {})
    assert days_since_good_run(services) == pytest.approx(0, abs=0.01)
    assert health(services)["expires_at"] is None, "else it would be forgotten when it is needed"


@pytest.mark.parametrize("failed", [{}, {"Queries": {"Error": "States.Timeout"}}])
def test_a_run_that_is_partial_or_failed_is_not_a_good_one(services, failed):
    at(services, 40)
    services.state("ill").update(RUN, cases=1)
    finish_run(services, "ill", failed)
    assert days_since_good_run(services) == pytest.approx(40, abs=0.01)


def test_before_there_was_any_they_are_counted_from_the_first_look(services):
    assert days_since_good_run(services) == pytest.approx(0, abs=0.01)
    begun = health(services)["at"]
    RunState(services.table, HEALTH).update(GOOD_RUN, expires_at=None, at=begun - 3 * DAY)
    assert days_since_good_run(services) == pytest.approx(3, abs=0.01)
