"""What a lane does before its first case, and what a plan expects of it."""

from __future__ import annotations

import pytest

from breakeven.planning.plan import make_plan
from breakeven.planning.warm_up import (
    AROUND_WINDOW_S,
    EXPECTED_WINDOWS,
    MOST_KINDS,
    UNCONFIRMED,
    WINDOW_S,
    WORKERS,
    windows_of,
    windows_of_lanes,
)
from breakeven.workload.read import parse_suite

SQS, RABBITMQ = "sqs-standard", "rabbitmq-mirrored-pair"


def plan(scenarios, environment="local", **more):
    document = {"suite": "mine", "title": "A suite", "targets": [SQS, RABBITMQ], "scenarios": scenarios}
    document["defaults"] = {"threads": 5}
    return make_plan(parse_suite({**document, **more}, "mine.yaml"), run_id="run-1", environment=environment)


def windows(scenarios, target=SQS):
    """Of one of the targets alone: some work is refused of the other."""
    return windows_of(plan(scenarios, targets=[target]).cases)


def test_a_window_is_of_each_kind_the_most_frequent_first():
    found = windows({"p": {"threads": [1, 2, 3]}, "q": {"message_size": ["64KiB", "1KiB", "16B"]}})
    assert [window.workload.message_bytes for window in found] == [1024, 65536]


@pytest.mark.parametrize(
    "scenario",
    [
        {"mode": "load-unload", "messages": 100, "threads": 40},
        {"mode": "capacity", "rate": 100},
        {"rate": 50, "arrivals": "poisson", "processing_ms": 20},
        {"nodes_down": 1},
        {"prefill": 1_000_000},
    ],
)
def test_whatever_a_case_does_its_window_sends_and_receives_as_fast_as_that_goes(scenario):
    (window,) = windows({"only": scenario}, RABBITMQ)
    work = window.workload
    assert (work.mode, work.producers, work.consumers, window.loaders) == ("parallel", WORKERS, WORKERS, 1)
    assert not work.is_open
    assert (work.messages, work.prefill, work.processing_ms, work.nodes_down) == (None, 0, 0.0, 0)


@pytest.mark.parametrize(("confirms", "window"), [(True, 1), (False, UNCONFIRMED)])
def test_whatever_is_confirmed_in_a_case_its_window_knows_what_has_arrived(confirms, window):
    (found,) = windows({"only": {"confirms": confirms, "mandatory": False, "window": 5}}, RABBITMQ)
    assert (found.workload.confirms, found.workload.window) == (True, window)


@pytest.mark.parametrize(
    ("size", "window"), [("16B", 1000), ("4KiB", 1000), ("64KiB", 64), ("1MiB", 4), ("128MiB", 1)]
)
def test_of_large_messages_fewer_are_unconfirmed_at_once_as_all_are_in_memory(size, window):
    work = {"confirms": False, "mandatory": False, "message_size": size}
    (found,) = windows({"only": work}, RABBITMQ)
    assert found.workload.window == window


def test_of_messages_of_which_one_is_unconfirmed_there_is_one_kind():
    plain = {"mandatory": False, "message_size": "8MiB"}
    assert len(windows({"a": plain, "b": {**plain, "confirms": False}}, RABBITMQ)) == 1
    small = {"mandatory": False, "message_size": "1KiB"}
    assert len(windows({"a": small, "b": {**small, "confirms": False}}, RABBITMQ)) == 2


@pytest.mark.parametrize(("wait_s", "in_window"), [(0, 0), (0.5, 0.5), (20, 1)])
def test_no_receive_of_a_window_waits_for_longer_than_the_window_is(wait_s, in_window):
    (found,) = windows({"only": {"wait_s": wait_s, "receive_batch": 10}})
    assert found.workload.wait_s == in_window


def test_of_many_kinds_the_most_frequent_are_done():
    sizes = [f"{4 * n}KiB" for n in range(1, MOST_KINDS + 3)]
    assert len(windows({"sizes": {"message_size": sizes}})) == MOST_KINDS


def test_the_instrument_is_not_warmed_up():
    cases = plan({"p": {}}).cases
    assert "instrument" in {case.target for case in cases}
    assert {window.target for window in windows_of_lanes(cases, 40)} == {SQS, RABBITMQ}


def test_a_plan_counts_the_seconds_and_the_requests_of_the_warm_up():
    cold, warm = (plan({"p": {}}, environment="aws", warm_up=wanted) for wanted in (False, True))
    (expected,) = windows({"p": {}})
    for target in (SQS, RABBITMQ):
        more_s = warm.estimate.lanes[target] - cold.estimate.lanes[target]
        assert more_s == pytest.approx(EXPECTED_WINDOWS * expected.expected_s)
    more = {
        line.what for line, less in zip(warm.estimate.lines, cold.estimate.lines, strict=True) if line != less
    }
    assert {"SQS requests", "functions, memory", "traffic across zones"} <= more


@pytest.mark.parametrize(
    ("warm_up", "windows"), [(True, EXPECTED_WINDOWS * 2), (10, 5), (7, 4), (600, 6), (0, 0)]
)
def test_a_plan_expects_no_more_of_a_warm_up_than_its_suite_allows(warm_up, windows):
    scenarios = {"p": {"message_size": ["1KiB", "8KiB"]}}
    cold, warm = (plan(scenarios, warm_up=wanted) for wanted in (False, warm_up))
    assert (warm.warm_up, warm.warm_up_s) == (warm_up > 0, 40 if warm_up is True else warm_up)
    for target in (SQS, RABBITMQ):
        more_s = warm.estimate.lanes[target] - cold.estimate.lanes[target]
        assert more_s == pytest.approx(windows * (WINDOW_S + AROUND_WINDOW_S))
