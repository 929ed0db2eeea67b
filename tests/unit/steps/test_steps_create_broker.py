"""A lane's broker of Amazon MQ: asked for once, waited for, known to its lane, deleted, and found again."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from breakeven.brokers.access import registered_certificates
from breakeven.errors import CaseError
from breakeven.installation import OWNER_TAG, RUN_TAG, TARGET_TAG
from breakeven.planning.execution_limits import BROKER_LIMIT_S, RELEASE_LIMIT_S
from breakeven.planning.run_deadline import MAX_RUN_S
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.cleanup import resources
from breakeven.steps.cleanup.clean_up import clean_up_all, release_rest
from breakeven.steps.lane.create_broker import ManagedPlace, create_broker
from breakeven.steps.lane.release_lane import comes_again, release_lane
from breakeven.steps.managed_brokers import NotYetError, broker_name, delete_broker, our_brokers
from breakeven.workload.machines import Machines
from tests.support.aws.moto_results import installed

CLUSTER, SINGLE = "amazon-mq-cluster", "amazon-mq-single"
PLACE = ManagedPlace(("subnet-a", "subnet-b"), "sg-1")
HOST = "b-1.mq.us-east-1.on.aws"


def machines(target: str) -> Machines:
    nodes = 3 if target == CLUSTER else 1
    return Machines(
        instance_type="mq.m7g.large",
        service="amazonmq",
        architecture="arm64",
        vcpu=2,
        volume_gb=15,
        nodes=nodes,
    )


class Mq:
    """The service as far as it is called. ``lost``: so many answers of CreateBroker do not arrive."""

    def __init__(self, lost: int = 0) -> None:
        self.brokers: dict[str, dict[str, Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self._lost = lost
        self.refusal: str | None = None
        self.unknown = "NotFoundException"
        self.configurations: list[dict[str, Any]] = []

    class meta:
        region_name = "us-east-1"

    def create_broker(self, **given: Any) -> Any:
        self.asked.append(given)
        if self.refusal:
            raise error("BadRequestException", self.refusal)
        if any(each["BrokerName"] == given["BrokerName"] for each in self.brokers.values()):
            raise error("ConflictException", f"Broker name [{given['BrokerName']}] is in use.")
        broker_id = f"b-{len(self.brokers) + 1}"
        self.brokers[broker_id] = {
            "BrokerId": broker_id,
            "BrokerName": given["BrokerName"],
            "BrokerState": "CREATION_IN_PROGRESS",
            "Created": datetime.now(UTC),
            "Tags": given["Tags"],
        }
        made = {"Id": f"c-{broker_id}", "Name": f"{given['BrokerName']}-configuration"}
        self.configurations.append({**made, "Created": datetime.now(UTC)})
        if self._lost:
            self._lost -= 1
            raise ConnectionError("lost")
        return {"BrokerId": broker_id}

    def runs(self, broker_id: str = "b-1", state: str = "RUNNING") -> None:
        instance = {"ConsoleURL": f"https://{HOST}", "Endpoints": [f"amqps://{HOST}:5671"]}
        self.brokers[broker_id] |= {"BrokerState": state, "BrokerInstances": [instance]}

    def describe_broker(self, BrokerId: str) -> Any:
        if BrokerId not in self.brokers:
            raise error(self.unknown, BrokerId)
        return self.brokers[BrokerId]

    def delete_broker(self, BrokerId: str) -> Any:
        state = self.describe_broker(BrokerId)["BrokerState"]
        if state in {"CREATION_IN_PROGRESS", "DELETION_IN_PROGRESS"}:
            raise error("BadRequestException", f"can't be deleted while in state [{state}]")
        self.deleted.append(BrokerId)
        self.brokers[BrokerId]["BrokerState"] = "DELETION_IN_PROGRESS"

    def list_configurations(self, MaxResults: int, NextToken: str = "0") -> Any:
        """One a page, so that pages are turned."""
        assert MaxResults <= 100
        at = int(NextToken)
        page = {"Configurations": self.configurations[at : at + 1]}
        return page | ({"NextToken": str(at + 1)} if at + 1 < len(self.configurations) else {})

    def delete_configuration(self, ConfigurationId: str) -> Any:
        (found,) = [each for each in self.configurations if each["Id"] == ConfigurationId]
        if any(found["Name"].startswith(each["BrokerName"]) for each in self.brokers.values()):
            raise error("ConflictException", f"Configuration [{ConfigurationId}] is in use.")
        self.configurations.remove(found)

    def get_paginator(self, name: str) -> Any:
        assert name == "list_brokers"
        return self

    def paginate(self, **_: Any) -> Any:
        yield {"BrokerSummaries": list(self.brokers.values())}


def error(code: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, "any")


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def step(services, mq, run_id="run-1", target=CLUSTER) -> bool:
    return create_broker(services, mq, PLACE, run_id, target, machines(target))


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


def test_once_it_runs_the_lane_knows_where_and_trusts_what_everyone_trusts(services):
    mq = Mq()
    step(services, mq)
    mq.runs()
    assert step(services, mq) is False
    access = services.access("run-1", CLUSTER)
    assert access.tls is True
    assert registered_certificates(access) is None
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


def test_a_lanes_end_deletes_its_broker_and_its_secrets(services):
    mq = Mq()
    step(services, mq)
    mq.runs()
    step(services, mq)
    assert release_lane(services, Ec2(), mq, "run-1", CLUSTER) == ["b-1"]
    assert mq.deleted == ["b-1"]
    assert services.store.keys(layout.secrets_prefix("run-1")) == []
    release_lane(services, Ec2(), mq, "run-1", CLUSTER)  # and again, while it is on its way out
    assert mq.deleted == ["b-1"]


class Ec2:
    """Knows no instance."""

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **_: Any) -> Any:
        return iter(())


def test_a_lane_that_ends_while_its_broker_is_being_created_comes_again_until_it_is_deleted(services):
    mq = Mq()
    step(services, mq)
    for _ in range(2):
        with pytest.raises(NotYetError, match="once that is over, by its lane, the run's end or the watch"):
            release_lane(services, Ec2(), mq, "run-1", CLUSTER)
        assert comes_again(services, "run-1", CLUSTER)
    assert services.store.keys(layout.secrets_prefix("run-1")) == []
    mq.runs()
    assert release_lane(services, Ec2(), mq, "run-1", CLUSTER) == ["b-1"]
    assert mq.deleted == ["b-1"]


def test_a_lane_waits_no_longer_than_it_may(services):
    item, limit = lane_item(CLUSTER), RELEASE_LIMIT_S
    for ago, again in ((limit - 60, True), (limit + 60, False)):
        services.state("run-1").update(item, release_since=round(time.time()) - ago)
        assert comes_again(services, "run-1", CLUSTER) is again


def test_what_a_run_leaves_to_the_watchdog_stands_on_its_record(services):
    mq = Mq()
    step(services, mq)
    release_rest(services, (resources.brokers(mq),), "run-1")
    (left,) = services.state("run-1").get(RUN)["left_to_watchdog"]
    assert left.startswith("b-1 cannot be deleted while it is CREATION_IN_PROGRESS")


def test_what_is_being_created_is_no_fault_of_a_clean_up_and_is_deleted_the_next_time(services):
    mq = Mq()
    step(services, mq)
    early = clean_up_all((resources.brokers(mq),), "run-1")
    assert (early.gone, early.problems) == ({}, [])
    assert "b-1 cannot be deleted while it is CREATION_IN_PROGRESS" in early.later[0]
    early.raise_if_incomplete()
    mq.runs()
    assert clean_up_all((resources.brokers(mq),), "run-1").gone == {"Amazon MQ brokers": ["b-1"]}
    assert clean_up_all((resources.brokers(mq),), "run-1").gone == {}


def test_its_configuration_goes_once_the_broker_has(services, monkeypatch):
    mq = Mq()
    step(services, mq)
    step(services, mq, run_id="run-2")
    mq.configurations.append({"Id": "c-other", "Name": "another", "Created": datetime.now(UTC)})
    kind = resources.configurations(mq)
    assert kind.find("run-1") == kind.find() == []
    mq.runs()
    clean_up_all((resources.brokers(mq),), "run-1")
    assert kind.find("run-1") == [], "its broker is on its way out"
    gone = mq.brokers.pop("b-1")
    done = clean_up_all((kind,), "run-1")
    assert (done.gone, done.tidied) == ({}, {"Amazon MQ configurations": ["c-b-1"]})
    assert [each["Id"] for each in mq.configurations] == ["c-b-2", "c-other"]
    # one that is in use after all, as its broker is not listed yet
    monkeypatch.setattr(mq, "paginate", lambda **_: iter([{"BrokerSummaries": []}]))
    early = clean_up_all((kind,), "run-2")
    assert "c-b-2 cannot be deleted: Configuration [c-b-2] is in use." in early.later[0]
    assert gone["BrokerName"] == broker_name("run-1", CLUSTER)


def test_the_watchdog_leaves_a_configuration_an_hour_to_its_broker(services):
    mq = Mq()
    step(services, mq)
    mq.brokers.clear()
    (found,) = resources.configurations(mq).find()
    assert (found.id, found.run_id) == ("c-b-1", None)
    assert found.lease_until == pytest.approx(time.time() + 3600, abs=60)


def test_another_installations_brokers_and_other_runs_are_left_alone(services, monkeypatch):
    mq = Mq()
    step(services, mq)
    step(services, mq, run_id="run-2")
    monkeypatch.setenv("BREAKEVEN_OWNER", "team-b")
    step(services, mq, run_id="run-3")
    assert [each.id for each in our_brokers(mq)] == ["b-3"]
    monkeypatch.delenv("BREAKEVEN_OWNER")
    assert [each.id for each in our_brokers(mq)] == ["b-1", "b-2"]
    assert [each.id for each in our_brokers(mq, "run-2")] == ["b-2"]
    assert our_brokers(mq, "run-2", SINGLE) == []
    names = {broker_name("run-1", CLUSTER), broker_name("run-1", SINGLE), broker_name("run-2", CLUSTER)}
    assert len(names) == 3


@pytest.mark.parametrize(("region", "known"), [("us-east-1", True), ("xx-nowhere-1", False)])
def test_in_a_region_without_the_service_there_is_no_broker(region, known, monkeypatch):
    class Unreachable(Mq):
        class meta:
            region_name = region

        def paginate(self, **_: Any) -> Any:
            raise EndpointConnectionError(endpoint_url=f"https://mq.{region}.amazonaws.com")
            yield

    if known:
        with pytest.raises(EndpointConnectionError):
            our_brokers(Unreachable())
    else:
        assert our_brokers(Unreachable()) == []
