"""Writes whose answer was lost: boto3 makes the call again, and the first is not to refuse the second."""

from __future__ import annotations

from types import SimpleNamespace

import boto3
import pytest

from breakeven.errors import CaseError
from breakeven.results.coordinator import StateCoordinator
from breakeven.results.items import LOCKS, RUN, loader_item
from breakeven.results.state import RunState
from breakeven.steps.aws_clients import ExecutionStatus
from breakeven.steps.case.load import begun
from breakeven.steps.cleanup.clean_up import record_end
from breakeven.steps.run.take_lock import free_lock, take_lock
from breakeven.steps.services import Services
from tests.support.aws.moto_results import installed

EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:Breakeven:run-1"
CASE = SimpleNamespace(run_id="run-1", case_id="case")


@pytest.fixture
def services(monkeypatch):
    """Every update is carried out, its answer lost, and made again: what botocore does of its own accord."""
    with installed(monkeypatch) as made:
        table = made.table

        def update_twice(**asked):
            table.update_item(**asked)
            return table.update_item(**asked)

        twice = SimpleNamespace(get_item=table.get_item, query=table.query, update_item=update_twice)
        yield Services(made.store, twice)


def test_the_lock_is_taken_and_released_by_its_own_retry(services):
    ec2 = boto3.client("ec2")
    for _ in range(2):  # of a lock that was never there, and of one that is free
        assert take_lock(services, None, ec2, "run-1", EXECUTION) == {"item": "Breakeven"}
        assert free_lock(services, EXECUTION)
    lock = RunState(services.table, LOCKS).get("Breakeven")
    assert (lock["version"], lock["owner"]) == (2, EXECUTION)


def test_a_loader_begins_by_its_own_retry_and_another_call_does_not(services):
    assert begun(services, CASE, 1, 0)
    with pytest.raises(CaseError, match="started before"):
        begun(services, CASE, 1, 0)
    services.state("run-1").update(loader_item("case", 1, 0), result=True)
    assert not begun(services, CASE, 1, 0), "it has left its result"


def test_a_gate_is_reached_by_its_own_retry_and_not_twice(services):
    gate = StateCoordinator(services.state("run-1"), "case", 1, 0, 1)
    gate.arrive("start")
    with pytest.raises(CaseError, match="never joins late"):
        gate.arrive("start")


def test_the_end_of_a_run_is_recorded_by_its_own_retry_and_only_once(services):
    services.state("run-1").update(RUN, status="running")
    assert record_end(services, "run-1", ExecutionStatus("ABORTED"))
    assert not record_end(services, "run-1", ExecutionStatus("TIMED_OUT"))
    assert services.state("run-1").get(RUN)["status"] == "aborted"
