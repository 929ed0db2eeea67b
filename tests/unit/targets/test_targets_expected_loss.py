"""The loss that each fault may cause: the least setup that promises something, and what just does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from breakeven.targets.expected_loss import QueueSetup, expected_loss, expected_loss_of_calls
from breakeven.workload.service_faults import ServiceFaultKind

TRIO = QueueSetup(copies=3, is_quorum=True, confirms=True, persistent=True, acks=True)
PAIR = replace(TRIO, copies=2, is_quorum=False)
SINGLE = replace(PAIR, copies=1)


@pytest.mark.parametrize("kind", ["kill", "stop", "pause"])
@pytest.mark.parametrize("queue", [TRIO, PAIR, SINGLE])
def test_what_was_confirmed_is_kept(queue: QueueSetup, kind: str) -> None:
    assert expected_loss(queue, kind, 10).loss == "none"


@pytest.mark.parametrize("kind", ["kill", "stop"])
def test_one_node_without_persistence_may_lose_what_it_holds(kind: str) -> None:
    transient = replace(SINGLE, persistent=False)
    assert expected_loss(transient, kind, 10).loss == "possible"
    assert expected_loss(transient, kind, 10, is_back=False).loss == "possible"
    assert expected_loss(replace(transient, confirms=False), kind, 10).loss == "possible"
    assert expected_loss(transient, kind, 10, in_sync=None).loss == "possible", (
        "there is no replica to be in sync"
    )
    for copies in (PAIR, TRIO):
        assert expected_loss(replace(copies, persistent=False), kind, 10).loss == "none", "others hold it"


def test_a_quorum_queue_is_persistent_whatever_its_messages_say() -> None:
    single = replace(TRIO, copies=1, persistent=False)
    assert expected_loss(single, "kill", 10).loss == "none"


def test_a_paused_node_keeps_what_is_in_its_memory() -> None:
    paused = expected_loss(replace(SINGLE, persistent=False), "pause", 3600, is_back=False)
    assert (paused.loss, paused.because) == (
        "none",
        "the queue's only node keeps what it confirmed in its memory",
    )


def test_a_side_that_is_cut_off_confirms_nothing_where_it_takes_most_members() -> None:
    assert expected_loss(TRIO, "partition", 10).loss == "none"
    assert expected_loss(PAIR, "partition", 10).loss is None
    assert expected_loss(TRIO, "partition", 10, in_sync=False).loss is None


@pytest.mark.parametrize("kind", ["cut-peers", "slow-peers"])
def test_peers_that_hear_each_other_late_may_part_where_they_are_mirrors(kind: str) -> None:
    assert expected_loss(TRIO, kind, 10).loss == "none"
    assert expected_loss(TRIO, kind, 10, in_sync=False).loss is None
    assert expected_loss(PAIR, kind, 10).loss is None


@pytest.mark.parametrize("kind", ["memory-alarm", "disk-alarm", "cut-clients", "slow-clients"])
def test_an_alarm_takes_no_node_and_so_nothing_that_was_confirmed(kind: str) -> None:
    for queue in (TRIO, PAIR, SINGLE, replace(SINGLE, persistent=False)):
        assert expected_loss(queue, kind, 240, in_sync=None, is_back=False).loss == "none"
        assert expected_loss(replace(queue, confirms=False), kind, 10).loss is None
        assert expected_loss(replace(queue, acks=False), kind, 10).loss is None


@pytest.mark.parametrize(
    ("queue", "given", "because"),
    [
        (TRIO, {"in_sync": False}, "a replica was not in sync when it was due: a double fault"),
        (PAIR, {"in_sync": None}, "whether all replicas were in sync when it was due is not known"),
        (replace(TRIO, confirms=False), {}, "without confirms nothing is promised"),
        (replace(PAIR, acks=False), {}, "what is handed out without acknowledgements may be lost on its way"),
        (replace(SINGLE, confirms=False), {}, "without confirms nothing is promised"),
        (
            SINGLE,
            {"is_back": False},
            "the queue's only node did not come back, and nobody can ask for what it holds",
        ),
    ],
)
def test_nothing_is_expected(queue: QueueSetup, given: dict[str, Any], because: str) -> None:
    found = expected_loss(queue, "kill", 10, **given)
    assert (found.loss, found.because) == (None, because)


@pytest.mark.parametrize(("queue", "loss"), [(PAIR, None), (TRIO, "none"), (SINGLE, "none")])
def test_a_pause_of_thirty_seconds_may_split_mirrors_only(queue: QueueSetup, loss: str | None) -> None:
    assert expected_loss(queue, "pause", 30).loss == loss
    assert expected_loss(queue, "pause", 29.9).loss == "none"
    assert expected_loss(queue, "kill", 30).loss == "none"


@pytest.mark.parametrize("kind", get_args(ServiceFaultKind))
def test_whatever_befalls_calls_sqs_keeps_what_it_confirmed(kind: str) -> None:
    assert expected_loss_of_calls(kind).loss == "none"
