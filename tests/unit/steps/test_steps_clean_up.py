"""Cleaning up: past what fails, past what is gone, and of nothing that goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto import mock_aws

from breakeven.installation import LEASE_TAG, OWNER_TAG, RUN_TAG
from breakeven.results.items import LOCKS, RUN
from breakeven.results.state import RunState
from breakeven.steps.aws_clients import ExecutionStatus, execution_arn, execution_status
from breakeven.steps.cleanup import clean_up as cleaning
from breakeven.steps.cleanup import resources
from breakeven.steps.cleanup.clean_up import NotCleanedUpError, Watchdog, clean_up, record_end, release_rest
from breakeven.steps.cleanup.resources import DEFAULT_LEASE_S, Resource
from breakeven.steps.services import Services
from tests.support.aws.moto_results import services_in_moto

MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:Breakeven"


def execution(run_id: str) -> str:
    return execution_arn(MACHINE, run_id)


@pytest.fixture
def services(monkeypatch) -> Iterator[Services]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        yield services_in_moto()


class Executions:
    """Stands for Step Functions: ``statuses`` by ARN; one may not be asked for, any other is forgotten."""

    def __init__(self, statuses: Mapping[str, str], forbidden: str = "") -> None:
        self._statuses, self._forbidden = statuses, forbidden

    def describe_execution(self, executionArn: str) -> dict[str, str]:
        if executionArn in self._statuses:
            return {"status": self._statuses[executionArn]}
        code = "AccessDeniedException" if executionArn == self._forbidden else "ExecutionDoesNotExist"
        raise ClientError({"Error": {"Code": code, "Message": executionArn}}, "DescribeExecution")


class Things:
    """A type whose resources are those given; some cannot be cleaned up, and all of them not looked for."""

    outlives_runs = False

    def __init__(self, *things: Resource, name: str = "things", stuck: str = "", blind: bool = False) -> None:
        self.name, self._things, self._stuck, self._blind = name, list(things), stuck, blind
        self.gone: list[str] = []

    def find(self, run_id: str | None = None) -> list[Resource]:
        if self._blind:
            raise EndpointConnectionError(endpoint_url="https://ec2")
        return [each for each in self._things if run_id in (None, each.run_id) and each.id not in self.gone]

    def clean_up(self, resource_id: str) -> None:
        if resource_id == self._stuck:
            raise ClientError(
                {"Error": {"Code": "OperationNotPermitted", "Message": "protected"}}, "Terminate"
            )
        self.gone.append(resource_id)


def of(run_id: str | None, *ids: str, lease_until: float | None = None) -> list[Resource]:
    return [Resource(id_, run_id, lease_until) for id_ in ids]


def begun(services: Services, run_id: str, deadline_in_s: float = 3600.0) -> None:
    services.state(run_id).update(
        RUN,
        status="running",
        execution=execution(run_id),
        started_at=datetime.now(UTC).isoformat(),
        deadline_at=round(time.time() + deadline_in_s),
    )


def hold_lock(services: Services, run_id: str) -> None:
    RunState(services.table, LOCKS).take(
        "Breakeven", None, owner=execution(run_id), run_id_of_owner=run_id, released_at=None
    )


def released_at(services: Services) -> str | None:
    return RunState(services.table, LOCKS).get("Breakeven")["released_at"]


def test_the_clean_up_goes_on_past_what_fails_and_says_it_at_the_end(services):
    begun(services, "a")
    hold_lock(services, "a")
    machines = Things(*of("a", "i-1", "i-2", "i-3"), name="instances", stuck="i-1")
    unseen, queues = (
        Things(name="volumes", blind=True),
        Things(*of("a", "q"), *of("b", "other"), name="queues"),
    )
    outcome = clean_up(
        services, [machines, unseen, queues], Executions({execution("a"): "FAILED"}), "a", execution("a")
    )
    assert outcome.gone == {"instances": ["i-2", "i-3"], "queues": ["q"]}
    assert services.state("a").get(RUN)["status"] == "failed"
    assert released_at(services) is not None
    with pytest.raises(NotCleanedUpError, match=r"i-1: .*protected; volumes: Could not connect"):
        outcome.raise_if_incomplete()


class Stale(Executions):
    """Says for some looks that an execution runs which has ended."""

    def __init__(self, statuses: Mapping[str, str], looks: int) -> None:
        super().__init__(statuses)
        self._looks = looks

    def describe_execution(self, executionArn: str) -> dict[str, str]:
        self._looks -= 1
        return {"status": "RUNNING"} if self._looks >= 0 else super().describe_execution(executionArn)


def test_that_an_execution_still_runs_is_not_believed_at_once_when_its_end_was_told(services, monkeypatch):
    monkeypatch.setattr(cleaning, "LOOK_S", 0.01)
    begun(services, "a")
    hold_lock(services, "a")
    things = Things(*of("a", "i-1"))
    clean_up(services, [things], Stale({execution("a"): "ABORTED"}, looks=2), "a", execution("a"))
    assert things.gone == ["i-1"]
    assert services.state("a").get(RUN)["status"] == "aborted"
    assert released_at(services) is not None


def test_an_execution_that_goes_on_loses_nothing(services, monkeypatch):
    monkeypatch.setattr(cleaning, "STALE_S", 0.05)
    monkeypatch.setattr(cleaning, "LOOK_S", 0.01)
    begun(services, "a")
    hold_lock(services, "a")
    things = Things(*of("a", "i-1"))
    for status in ("RUNNING", "PENDING_REDRIVE"):
        clean_up(services, [things], Executions({execution("a"): status}), "a", execution("a"))
        Watchdog(services, [things], Executions({execution("a"): status}), MACHINE).watch()
    assert things.gone == []
    assert services.state("a").get(RUN)["status"] == "running"
    assert released_at(services) is None


def test_the_lock_of_another_run_is_left_to_it(services):
    hold_lock(services, "b")
    clean_up(services, [], Executions({execution("a"): "FAILED"}), "a", execution("a"))
    assert released_at(services) is None


@pytest.mark.parametrize("status", ["ok", "partial", "failed", "interrupted"])
def test_a_record_that_says_how_the_run_ended_stays(services, status):
    services.state("a").update(RUN, status=status, reason="its own")
    assert not record_end(services, "a", ExecutionStatus("ABORTED"))
    record = services.state("a").get(RUN)
    assert (record["status"], record["reason"]) == (status, "its own")


@pytest.mark.parametrize(
    ("reported", "status", "reason"),
    [
        (ExecutionStatus("ABORTED"), "aborted", "the execution was aborted"),
        (ExecutionStatus("ABORTED", cause="too dear"), "aborted", "the execution was aborted: too dear"),
        (
            ExecutionStatus("FAILED", "States.Runtime", "no path"),
            "failed",
            "Execution: States.Runtime: no path",
        ),
        (
            ExecutionStatus("TIMED_OUT"),
            "failed",
            "Execution: States.Timeout: the execution outlasted its limit",
        ),
    ],
)
def test_the_record_says_how_the_execution_ended(services, reported, status, reason):
    begun(services, "a")
    assert record_end(services, "a", reported)
    record = services.state("a").get(RUN)
    assert (record["status"], record["reason"]) == (status, reason)
    assert record["finished_at"]


def test_the_watchdog_tells_runs_that_are_over_from_runs_that_go_on(services):
    begun(services, "over")
    begun(services, "on")
    begun(services, "outlasted", deadline_in_s=-2 * 3600)
    begun(services, "late", deadline_in_s=-60)  # past its deadline, and within its lease
    hold_lock(services, "over")
    statuses = {execution(run_id): "RUNNING" for run_id in ("on", "outlasted", "late")}
    executions = Executions({**statuses, execution("over"): "ABORTED"})
    runs = ("over", "on", "outlasted", "late", "forgotten")
    things = Things(*(thing for run_id in runs for thing in of(run_id, f"i-{run_id}")))
    outcome = Watchdog(services, [things], executions, MACHINE).watch()
    assert sorted(things.gone) == ["i-forgotten", "i-outlasted", "i-over"]
    assert outcome.problems == []
    assert services.state("over").get(RUN)["status"] == "aborted"
    assert services.state("outlasted").get(RUN)["status"] == "running"
    assert released_at(services) is not None


def test_the_watchdog_frees_the_lock_of_a_run_that_has_left_nothing_else(services):
    begun(services, "a")
    hold_lock(services, "a")
    Watchdog(services, [], Executions({execution("a"): "TIMED_OUT"}), MACHINE).watch()
    assert released_at(services) is not None
    assert services.state("a").get(RUN)["status"] == "failed"


def test_what_belongs_to_no_run_goes_when_its_own_lease_is_over(services):
    past, ahead = time.time() - 1, time.time() + 60
    things = Things(
        *of(None, "i-old", lease_until=past), *of(None, "i-new", lease_until=ahead), *of(None, "volume")
    )
    Watchdog(services, [things], Executions({}), MACHINE).watch()
    assert things.gone == ["i-old"]


def test_what_cannot_be_judged_is_left_and_is_a_problem(services):
    begun(services, "a")
    things = Things(*of("a", "i-1"), *of("b", "i-2"))
    executions = Executions({execution("b"): "FAILED"}, forbidden=execution("a"))
    outcome = Watchdog(services, [things], executions, MACHINE).watch()
    assert things.gone == ["i-2"]
    assert "run a: " in outcome.problems[0]


def test_what_the_lanes_had_not_cleaned_up_is_on_record(services):
    outcome = release_rest(services, [Things(*of("a", "i-1"), name="instances")], "a")
    assert outcome.gone == {"instances": ["i-1"]}
    assert services.state("a").get(RUN)["released_late"] == ["i-1"]


def test_an_execution_that_is_forgotten_is_over():
    assert execution_status(Executions({}), execution("a")).over
    with pytest.raises(ClientError):
        execution_status(Executions({}, forbidden=execution("a")), execution("a"))


class Gone:
    """A client to whom everything is gone already."""

    def __init__(self, code: str) -> None:
        self._code = code

    def _answer(self, **_: object) -> None:
        raise ClientError({"Error": {"Code": self._code, "Message": "no such thing"}}, "Delete")

    terminate_instances = delete_queue = _answer


def test_what_is_gone_already_is_well():
    resources.instances(Gone("InvalidInstanceID.NotFound")).clean_up("i-1")
    resources.queues(Gone("AWS.SimpleQueueService.NonExistentQueue")).clean_up("url")
    with pytest.raises(ClientError):
        resources.instances(Gone("UnauthorizedOperation")).clean_up("i-1")


class Page:
    """EC2 with one instance."""

    def __init__(self, **tags: str) -> None:
        self._tags = [{"Key": key, "Value": value} for key, value in tags.items()]

    def get_paginator(self, _: str) -> Page:
        return self

    def paginate(self, **_: object) -> list[object]:
        launched = datetime.fromtimestamp(1000, UTC)
        found = {"InstanceId": "i-1", "State": {"Name": "running"}, "LaunchTime": launched}
        found["Tags"] = self._tags
        return [{"Reservations": [{"Instances": [found]}]}]


@pytest.mark.parametrize(
    ("given", "lease_s"), [("90", 90), ("soon", DEFAULT_LEASE_S), (None, DEFAULT_LEASE_S)]
)
def test_an_instances_lease_is_its_tags_or_that_of_every_node(given, lease_s):
    tags = {OWNER_TAG: "QueueBreakeven", RUN_TAG: "a"} | ({LEASE_TAG: given} if given else {})
    assert resources.instances(Page(**tags)).find() == [Resource("i-1", "a", 1000 + lease_s)]


def test_every_secret_of_a_run_is_found(services):
    for key in ("run_id=a/pair/access.json", "run_id=a/pair/nodes/i-1.json", "run_id=ab/pair/cookie"):
        services.store.put_secret(f"secrets/{key}", "text")
    kind = resources.secrets(services.store)
    assert {each.run_id for each in kind.find()} == {"a", "ab"}
    assert len(kind.find("a")) == 2
