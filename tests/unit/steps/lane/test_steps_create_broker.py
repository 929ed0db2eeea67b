"""A lane's broker of Amazon MQ: asked for once, waited for, and known to its lane."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from breakeven.brokers.access import trust_of
from breakeven.errors import CaseError
from breakeven.installation import OWNER_TAG, RUN_TAG, TARGET_TAG
from breakeven.planning.execution_limits import BROKER_LIMIT_S
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.results.items import RUN, lane_item
from breakeven.steps.lane.release_lane import release_lane
from breakeven.steps.managed_brokers import NotYetError, delete_broker
from tests.support.aws.amazon_mq_calls import CLUSTER, HOST, SINGLE, Ec2, Mq, step
from tests.support.aws.moto_results import installed


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


@pytest.mark.parametrize(
    ("target", "mode", "subnets"),
    [(CLUSTER, "CLUSTER_MULTI_AZ", ["subnet-a", "subnet-b"]), (SINGLE, "SINGLE_INSTANCE", ["subnet-a"])],
)
def test_it_is_asked_for_as_the_service_takes_it(services, target, mode, subnets):
    mq = Mq()
    assert step(services, mq, target=target) is True
    (asked,) = mq.asked
    assert (asked["EngineType"], asked["EngineVersion"]) == ("RABBITMQ", "4.2")
    assert (asked["DeploymentMode"], asked["SubnetIds"]) == (mode, subnets)
    assert (asked["PubliclyAccessible"], asked["AutoMinorVersionUpgrade"]) == (False, True)
    assert (asked["HostInstanceType"], asked["SecurityGroups"]) == ("mq.m7g.large", ["sg-1"])
    assert len(asked["BrokerName"]) <= 50
    own = {OWNER_TAG: "QueueBreakeven", RUN_TAG: "run-1", TARGET_TAG: target}
    assert own.items() <= asked["Tags"].items()
    (user,) = asked["Users"]
    assert len(set(user["Password"])) >= 4
    assert len(user["Password"]) >= 12
    assert not set(user["Password"]) & set(",:=")
    kept = services.access("run-1", target)
    assert (kept.username, kept.password) == (user["Username"], user["Password"])


def test_it_is_asked_for_once_whatever_becomes_of_the_answer(services):
    mq = Mq(lost=1)
    with pytest.raises(ConnectionError):
        step(services, mq)
    assert step(services, mq) is True
    assert services.state("run-1").get(lane_item(CLUSTER))["broker_id"] == "b-1"
    assert step(services, mq) is True
    assert len(mq.brokers) == 1
    first, again = (each | {"MaintenanceWindowStartTime": None} for each in mq.asked)
    assert first == again


def test_one_whose_answer_was_lost_may_not_be_seen_yet_and_is_found_later(services):
    mq = Mq(lost=1)
    with pytest.raises(ConnectionError):
        step(services, mq)
    made, mq.unknown = mq.brokers["b-1"], "ForbiddenException"
    hidden = made | {"Tags": {}}
    mq.brokers["b-1"] = hidden
    assert step(services, mq) is True
    assert "broker_id" not in services.state("run-1").get(lane_item(CLUSTER))
    mq.brokers["b-1"] = made
    assert step(services, mq) is True
    assert services.state("run-1").get(lane_item(CLUSTER))["broker_id"] == "b-1"


def test_a_broker_of_its_name_that_is_never_known_as_the_lanes_ends_it(services):
    mq = Mq(lost=1)
    with pytest.raises(ConnectionError):
        step(services, mq)
    mq.brokers["b-1"]["Tags"] = {}
    assert step(services, mq) is True
    since = round(time.time()) - BROKER_LIMIT_S - 60
    services.state("run-1").update(lane_item(CLUSTER), broker_since=since)
    with pytest.raises(CaseError, match="that is not known as this lane's: delete the broker of that name"):
        step(services, mq)


@pytest.mark.parametrize("hours", range(0, 168, 5))
def test_its_maintenance_is_as_far_from_the_run_as_a_week_lets_it_be(services, hours):
    began = datetime(2026, 11, 23, 9, 41, tzinfo=UTC) + timedelta(hours=hours)
    services.state("run-1").update(RUN, started_at=began.isoformat())
    mq = Mq()
    step(services, mq)
    window = mq.asked[0]["MaintenanceWindowStartTime"]
    assert window["TimeZone"] == "UTC"
    days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
    hour, minute = map(int, window["TimeOfDay"].split(":"))
    starts_h = days.index(window["DayOfWeek"]) * 24 + hour + minute / 60
    began_h = began.weekday() * 24 + began.hour + began.minute / 60
    ahead_h = (starts_h - began_h) % 168
    # it is over before the same hour of the next week, and begins after any run has ended
    assert MAX_RUN_S / 3600 < ahead_h < 168 - 2


@pytest.mark.parametrize("state", ["RUNNING", "CRITICAL_ACTION_REQUIRED"])
def test_once_it_runs_the_lane_knows_where_and_trusts_what_everyone_trusts(services, state):
    mq = Mq()
    step(services, mq)
    mq.runs(state=state)
    assert step(services, mq) is False
    access = services.access("run-1", CLUSTER)
    assert access.tls is True
    assert trust_of(access).certificates is None
    (node,) = access.nodes
    assert (node.host, node.amqp_port, node.management_port) == (HOST, 5671, 443)
    assert services.state("run-1").get(lane_item(CLUSTER))["status"] == "created"


def test_one_that_could_not_be_created_ends_the_lane(services):
    mq = Mq()
    step(services, mq)
    mq.runs(state="CREATION_FAILED")
    with pytest.raises(CaseError, match="has not created the broker b-1: it is CREATION_FAILED"):
        step(services, mq)


def test_one_that_could_not_be_created_is_deleted_at_the_lanes_end(services):
    mq = Mq()
    step(services, mq)
    mq.runs(state="CREATION_FAILED")
    assert release_lane(services, Ec2(), mq, "run-1", CLUSTER) == ["b-1"]
    assert mq.deleted == ["b-1"]


def test_one_that_must_wait_keeps_no_other_waiting(services):
    mq = Mq()
    step(services, mq)
    other = mq.brokers["b-1"] | {"BrokerId": "b-2", "BrokerState": "RUNNING"}
    mq.brokers["b-2"] = other
    with pytest.raises(NotYetError):
        release_lane(services, Ec2(), mq, "run-1", CLUSTER)
    assert mq.deleted == ["b-2"]


def test_one_that_reboots_before_it_runs_is_waited_for(services):
    mq = Mq()
    step(services, mq)
    mq.runs(state="REBOOT_IN_PROGRESS")
    assert step(services, mq) is True
    mq.runs()
    assert step(services, mq) is False


@pytest.mark.parametrize("code", ["NotFoundException", "ForbiddenException", "AccessDeniedException"])
def test_one_that_may_not_be_seen_yet_is_not_there_yet(services, code):
    mq = Mq()
    step(services, mq)
    held, mq.unknown = mq.brokers.pop("b-1"), code
    assert step(services, mq) is True
    delete_broker(mq, "b-1")  # and not there any more
    mq.brokers["b-1"] = held
    mq.runs()
    assert step(services, mq) is False


def test_one_that_takes_too_long_ends_the_lane(services):
    mq = Mq()
    step(services, mq)
    since = round(time.time()) - BROKER_LIMIT_S - 60
    services.state("run-1").update(lane_item(CLUSTER), broker_since=since)
    with pytest.raises(CaseError, match="does not run 46 min after it was asked for"):
        step(services, mq)


def test_one_that_is_not_known_yet_is_waited_for(services):
    mq = Mq()
    step(services, mq)
    held = mq.brokers.pop("b-1")
    assert step(services, mq) is True
    mq.brokers["b-1"] = held


def test_what_the_service_refuses_is_said_in_its_words(services):
    mq = Mq()
    mq.refusal = "Broker engine version [4.2] is invalid."
    with pytest.raises(CaseError, match=r"create mq.m7g.large with RabbitMQ 4.2: .*invalid.*doctor"):
        step(services, mq)


def test_nothing_is_created_after_the_runs_deadline(services):
    services.state("run-1").update(RUN, deadline_at=1)
    mq = Mq()
    with pytest.raises(CaseError, match="deadline"):
        step(services, mq)
    assert mq.asked == []
