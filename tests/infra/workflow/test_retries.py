"""What a state does again: a call that a service had no room for, or whose repetition does no harm."""

from __future__ import annotations

import pytest

from breakeven.errors import NoRoomYetError
from breakeven.planning.budget.durations import start_deadline_s
from tests.support.aws.definition import definition_of, states, template_of

#: what Lambda answers where it did not run the function; Step Functions Developer Guide, "Handle Lambda
#: service exceptions"
THROTTLED = "Lambda.TooManyRequestsException"
LOADERS = [f"{prefix}{many}Load" for prefix in ("Broker", "Managed") for many in ("", "Many")]


@pytest.fixture(scope="module")
def tasks(assembly):
    found = states(definition_of(template_of(assembly)))
    return {name: state for name, state in found.items() if state["Type"] == "Task"}


def calls_a_function(state):
    return ":states:" not in state["Resource"]


def retried(state):
    return [error for retrier in state.get("Retry", []) for error in retrier["ErrorEquals"]]


def longest_s(retrier):
    return sum(
        retrier["IntervalSeconds"] * retrier["BackoffRate"] ** n for n in range(retrier["MaxAttempts"])
    )


def test_every_state_that_calls_anything_calls_it_again(tasks):
    assert not [name for name, state in tasks.items() if not state.get("Retry")]


def test_a_throttled_function_is_called_again_by_every_state(tasks):
    functions = {name: state for name, state in tasks.items() if calls_a_function(state)}
    assert set(LOADERS) < functions.keys()
    assert not [name for name, state in functions.items() if THROTTLED not in retried(state)]


@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_is_called_again_only_where_it_did_not_run_and_within_the_starts_deadline(tasks, name):
    (retrier,) = tasks[name]["Retry"]
    assert retrier["ErrorEquals"] == [THROTTLED]
    # and time to begin in, for a function that has waited for the longest
    assert longest_s(retrier) <= start_deadline_s(1, "aws") / 2
    # many that were throttled together do not come back together
    assert retrier["JitterStrategy"] == "FULL"


@pytest.mark.parametrize("name", ["BrokerWatch", "ManagedWatch"])
def test_a_watch_is_called_again_only_where_it_did_not_run(tasks, name):
    assert retried(tasks[name]) == [THROTTLED]


def test_a_query_is_made_again_where_athena_has_started_none_and_where_it_has_failed(tasks):
    queries = {name: state for name, state in tasks.items() if name.startswith("Query ")}
    assert queries
    for name, state in queries.items():
        not_started, failed = state["Retry"]
        assert {"Athena.TooManyRequestsException", "Athena.InternalServerException"} <= set(
            not_started["ErrorEquals"]
        ), name
        assert longest_s(not_started) >= 60, name
        # the former is any error but the latter
        assert failed["ErrorEquals"] == ["States.TaskFailed", "States.Timeout"], name


def test_nodes_are_launched_once_those_of_the_lane_before_have_left_the_quota(tasks):
    *_, waits = tasks["BrokerLaunchBrokers"]["Retry"]
    assert waits["ErrorEquals"] == [NoRoomYetError.__name__]
    assert 180 <= longest_s(waits) <= 300


def test_an_image_is_built_again_only_where_codebuild_has_started_nothing(tasks):
    errors = retried(tasks["BuildImage"])
    assert "CodeBuild.AccountLimitExceededException" in errors
    assert not [error for error in errors if error.startswith("States.")]


@pytest.mark.parametrize("name", ["ReleaseLock", "RecordUnfinished", "Notify"])
def test_a_write_that_does_no_harm_twice_is_made_again_whatever_it_failed_of(tasks, name):
    (retrier,) = tasks[name]["Retry"]
    assert retrier["ErrorEquals"] == ["States.ALL"]
    assert longest_s(retrier) >= 30
