"""How long consumers may have messages in hand: what targets allow, and how long a drain then waits."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.targets.catalog import FIFO, PAIR, SQS, record_of
from breakeven.workload.case import Workload
from breakeven.workload.read import parse_suite


def workload_of(target: str, scenario: dict[str, Any]) -> Workload:
    scenarios = {"s": {"threads": 2, **scenario}}
    document = {"suite": "x", "title": "t", "targets": [target], "scenarios": scenarios}
    (case,) = expand(parse_suite(document, "x.yaml"), run_id="run-1")
    return case.workload


@pytest.mark.parametrize(
    ("target", "scenario", "in_hand_s"),
    [
        (SQS, {}, 0.0),
        (SQS, {"processing_ms": 40_000}, 40.0),
        # ten calls at once, each of ten messages
        (SQS, {"processing_ms": 5, "rate": 10, "receive_batch": 10}, 0.5),
        (SQS, {"processing_ms": 5, "rate": 10, "delete_batch": 10, "linger_ms": 200}, 0.25),
        (FIFO, {"processing_ms": 5_000, "receive_batch": 10}, 50.0),
        (PAIR, {"processing_ms": 100}, 0.1),
        (PAIR, {"processing_ms": 100, "rate": 10}, 20.0),
        (PAIR, {"processing_profile": [{"ms": 10, "for_s": 1}, {"ms": 30, "for_s": 1}], "rate": 10}, 6.0),
    ],
)
def test_a_message_is_in_hand_until_all_before_it_are_done(target, scenario, in_hand_s):
    assert workload_of(target, scenario).in_hand_s == pytest.approx(in_hand_s)


@pytest.mark.parametrize(
    ("target", "scenario", "most_ms"),
    [
        # visible again after twelve hours, of which 30 s are kept
        (SQS, {"rate": 10, "window": 100}, 431_700),
        (FIFO, {"rate": 10, "receive_batch": 10, "window": 1, "groups": "producer"}, 600_000),
        # a channel is closed after half an hour
        (PAIR, {"rate": 10}, 9_000),
        (PAIR, {"consume": "push", "prefetch": 3}, 600_000),
    ],
)
def test_the_longest_that_a_target_leaves_a_message_in_hand(target, scenario, most_ms):
    assert workload_of(target, {**scenario, "processing_ms": most_ms})
    if most_ms == 600_000:  # the most that a suite may ask for
        return
    with pytest.raises(InputError) as caught:
        workload_of(target, {**scenario, "processing_ms": most_ms + 10})
    assert caught.value.field == "scenarios.s.processing_ms"
    assert caught.value.value == f"{most_ms + 10:g}"
    assert "work for less time, or hold fewer messages" in caught.value.remedy
    assert record_of(target).most_in_hand.source in caught.value.remedy


def test_a_profile_that_takes_too_long_is_named():
    steps = [{"ms": 10, "for_s": 1}, {"ms": 9_001, "for_s": 1, "ramp": True}]
    with pytest.raises(InputError, match="9001"):
        workload_of(PAIR, {"processing_profile": steps, "rate": 10})


def test_a_drain_waits_for_what_is_hidden_while_it_is_in_hand():
    waits = record_of(SQS).waits
    assert (waits.hidden, waits.unknown) == (35.0, 90.0)
    assert (waits.beyond(100.0).hidden, waits.beyond(100.0).unknown) == (135.0, 190.0)
    of_a_broker = record_of(PAIR).waits  # which gives back what is unsettled when its connection ends
    assert of_a_broker.beyond(100.0) == of_a_broker
