"""A run's deadline: from the plan, kept in the run's record, and asked for before anything is begun."""

from __future__ import annotations

import time
from datetime import datetime

import boto3
import pytest
from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.planning import run_deadline
from breakeven.planning.plan import make_plan
from breakeven.results.items import RUN
from breakeven.steps.case.prepare_case import prepare
from breakeven.steps.lane.launch_brokers import Place, launch
from breakeven.steps.run.plan_run import plan_run
from breakeven.workload.read import load_suite, parse_suite
from tests.support.aws.moto_results import installed

RUN_ID, STARTED = "run-1", "2026-11-20T00:00:00Z"


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def test_the_deadline_is_the_expected_end_half_as_much_again_and_half_an_hour(services):
    document = {"suite": "quick", "surroundings": {"name": "local"}}
    plan_run(services, RUN_ID, document, execution="arn", started_at=STARTED, simulated=True)
    expected_s = make_plan(load_suite("quick"), run_id=RUN_ID, environment="local").estimate.seconds
    started = datetime.fromisoformat(STARTED).timestamp()
    found = services.state(RUN_ID).get(RUN)["deadline_at"]
    assert found == pytest.approx(started + 1.5 * expected_s + 1800, abs=1)


def test_after_it_no_case_is_begun_and_no_broker_is_launched(services):
    services.state(RUN_ID).update(RUN, deadline_at=round(time.time()) - 1)
    with pytest.raises(CaseError, match=r"deadline.* has passed"):
        prepare(services, RUN_ID, "any")
    ec2 = boto3.client("ec2")
    with pytest.raises(CaseError, match=r"deadline.* has passed"):
        launch(
            services, ec2, Place("lt-1", "sg-1", {"us-east-1a": "subnet-1"}), RUN_ID, "rabbitmq-mirrored-pair"
        )
    assert ec2.describe_instances()["Reservations"] == []
    assert services.store.keys("secrets/") == []


def test_before_it_all_goes_on(services):
    services.state(RUN_ID).update(RUN, deadline_at=round(time.time()) + 60)
    with pytest.raises(ClientError, match="NoSuchKey"):
        prepare(services, RUN_ID, "any")  # past the deadline's check, it looks for a case that is not there


def test_a_run_that_the_execution_could_not_hold_is_refused():
    scenarios = {"p": {"threads": list(range(5, 20)), "measure_s": 400, "drain_s": 300}}
    base = {"suite": "long", "title": "Long", "targets": ["rabbitmq-mirrored-pair"], "instrument": False}

    def made(repeats):
        suite = parse_suite({**base, "scenarios": scenarios, "repeats": repeats}, "long.yaml")
        return make_plan(suite, run_id="r", max_usd=1e6)

    few, many = made(1), made(5)
    assert few.refusals == []
    assert few.deadline_s + run_deadline.TAIL_S < run_deadline.MAX_RUN_S
    (refusal,) = many.refusals
    assert (refusal.field, refusal.value) == ("repeats", 5)
    assert "the limit is 7.0 h: it is stopped after 12 h" in refusal.remedy
    longest = {"a": {"mode": "capacity", "threads": 1, "rate": 100, "measure_s": 10800, "confirm_s": 10800}}
    (none_fits,) = make_plan(
        parse_suite({**base, "scenarios": longest}, "long.yaml"), run_id="r", max_usd=1e6
    ).refusals
    assert "it is stopped after 12 h: one of its cases may take" in none_fits.remedy
    assert "0.0 h" not in none_fits.remedy
    assert many.deadline_s + run_deadline.TAIL_S > run_deadline.MAX_RUN_S
