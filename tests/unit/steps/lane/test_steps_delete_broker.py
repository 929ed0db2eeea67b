"""A lane's broker of Amazon MQ: deleted with its configuration at the lane's end, or found again later."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from breakeven.planning.execution_limits import RELEASE_LIMIT_S
from breakeven.results import layout
from breakeven.results.items import RUN, lane_item
from breakeven.steps.cleanup import resources
from breakeven.steps.cleanup.clean_up import clean_up_all, release_rest
from breakeven.steps.lane.release_lane import comes_again, release_lane
from breakeven.steps.managed_brokers import NotYetError, broker_name, our_brokers
from tests.support.aws.amazon_mq_calls import CLUSTER, SINGLE, Ec2, Mq, step
from tests.support.aws.moto_results import installed


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


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
