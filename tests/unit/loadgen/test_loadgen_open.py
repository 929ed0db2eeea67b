"""Open loops: what is due is sent, however slow the target, and its latency counts from when it was due."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from breakeven.clients.base import Outcome
from breakeven.loadgen.record.histogram import midpoint
from breakeven.workload.case import Case
from tests.support.loaders.diagnoses import diagnosis
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, Faults, make_case

pytestmark = pytest.mark.usefixtures("brisk", "no_thread_left")


def open_case(**workload: Any) -> Case:
    fields = {"rate": 400.0, "window": 50, "warmup_s": 0.1, "measure_s": 0.5, "consume": "push"}
    return make_case(**{**fields, **workload})


def hold(fault: threading.Event, seconds: float) -> None:
    """Have a broker's fault for so long."""
    fault.set()
    time.sleep(seconds)
    fault.clear()


def test_as_many_are_sent_as_the_rate_says_and_all_arrive() -> None:
    case = open_case(producers=2, consumers=2)
    measurement = Run(case, FakeBroker(), push=True, answer_s=0.0).measured()
    assert_all_arrived(measurement)
    assert measurement.ledger.sent == 240  # 0.6 s at 400, warm-up included
    assert measurement.totals["produce"].cell.latencies.count == 200
    for metric in ("produce_service", "pacing"):  # of messages that were sent within the stage
        assert (
            0 < measurement.totals[metric].cell.latencies.count <= 240
        )  # a late loader sends more within it
    (diagnosis,) = measurement.results[0].diagnoses
    assert diagnosis.offered == 200
    assert measurement.totals["end_to_end"].cell.latencies.count == 200


def test_a_silent_target_is_waited_for_and_the_wait_is_in_the_latency() -> None:
    case, broker = open_case(window=10, measure_s=1.0), FakeBroker()
    run = Run(case, broker, push=True, answer_s=0.0)

    run.when("measure", lambda: hold(broker.silent, 0.4))
    measurement = run.measured()
    assert_all_arrived(measurement)
    assert measurement.ledger.sent == 440
    produce = measurement.totals["produce"].cell.latencies
    service = measurement.totals["produce_service"].cell.latencies
    assert produce.count == 400
    assert 0 < service.count <= 440  # a late loader sends more within it
    # some 150 were due while ten had no answer: each waited, but only ten of them after they were sent. A
    # busy machine may hold up a windowful more now and then: what it delays after it was sent waited, too
    waited = sum(count for index, count in produce.bins.items() if index > 14_000)
    served_late = sum(count for index, count in service.bins.items() if index > 14_000)
    assert waited - served_late > 70
    (diagnosis,) = measurement.results[0].diagnoses
    assert diagnosis.offered == 400
    assert diagnosis.blocked_share is not None
    assert diagnosis.blocked_share > 0.2


def test_what_others_received_in_the_drain_would_have_taken_the_cases_consumer_longer() -> None:
    """One consumer at 50 a second of 200: most wait for the drain, with which the producer helps."""
    case = open_case(rate=200.0, processing_ms=20, measure_s=1.0, warmup_s=0, drain_s=60)
    measurement = Run(case, FakeBroker(), push=True, answer_s=0.0).measured()
    assert_all_arrived(measurement)
    found = measurement.totals["end_to_end"].cell
    assert found.latencies.count == 200
    assert found.unfinished > 100
    assert measurement.totals["produce"].cell.unfinished == 0


def test_what_is_never_received_took_at_least_until_the_end() -> None:
    lost = {(0, n) for n in range(60, 70)}
    broker = FakeBroker(Faults(drop=lost))
    measurement = Run(open_case(warmup_s=0, drain_s=0.4), broker, push=True, answer_s=0.0).measured()
    assert measurement.ledger.lost == 10
    found = measurement.totals["end_to_end"].cell
    assert found.latencies.count == 200
    assert found.unfinished >= 10
    assert sum(count for index, count in found.latencies.bins.items() if midpoint(index) > 0.4e9) >= 10


def test_while_there_is_no_connection_the_target_leaves_no_room() -> None:
    case, broker = open_case(measure_s=1.0), FakeBroker()
    run = Run(case, broker, push=True, answer_s=0.0)

    run.when("measure", lambda: hold(broker.down, 0.5))
    (diagnosis,) = run.measured().results[0].diagnoses
    assert diagnosis.blocked_share is not None
    assert diagnosis.blocked_share > 0.3


def test_a_peer_that_is_slow_to_take_what_is_written_leaves_no_room() -> None:
    """Without confirms: the write itself waits, and what falls due meanwhile is not late through us."""
    case, broker = open_case(rate=10.0, confirms=False, measure_s=1.0), FakeBroker()
    run = Run(case, broker, push=True, answer_s=0.2)
    (diagnosis,) = run.measured().results[0].diagnoses
    assert diagnosis.blocked_share is not None
    assert diagnosis.blocked_share > 0.5
    assert diagnosis.pacing_p99_ms is not None
    assert diagnosis.pacing_p99_ms < 100


def test_what_is_never_answered_counts_up_to_the_deadline() -> None:
    case, broker = open_case(window=10, drain_s=0.3), FakeBroker()
    broker.silent.set()
    measurement = Run(case, broker, push=True, answer_s=0.0).measured()
    produce = measurement.totals["produce"].cell
    assert measurement.ledger.sent == 10  # the window; none of them was heard of
    assert measurement.ledger.unknown == 10
    assert produce.latencies.count == produce.unfinished == 200
    assert produce.total().operations == 0
    assert produce.latencies.min_ns is not None
    assert produce.latencies.min_ns >= 0.3e9  # the last was due at the stage's end, the drain took 0.3 s


def test_a_lost_connection_is_opened_again_and_what_fell_due_is_sent() -> None:
    broker = FakeBroker(Faults(cut={(0, 100)}))
    measurement = Run(open_case(), broker, push=True, answer_s=0.0).measured()
    ledger = measurement.ledger
    assert ledger.sent == 240
    assert ledger.unknown >= 1
    assert ledger.missing < ledger.unknown  # what was handed over together with the one that was cut
    assert ledger.received == ledger.sent - ledger.missing
    assert ledger.lost == 0
    assert measurement.totals["produce"].cell.latencies.count == 200


def test_refused_messages_have_no_latency() -> None:
    faults = Faults(
        outcome={(0, 100): Outcome.RETURNED, (0, 101): Outcome.NACKED}, fail={(0, 120): "Throttled"}
    )
    measurement = Run(open_case(), FakeBroker(faults), push=True, answer_s=0.0).measured()
    ledger = measurement.ledger
    assert (ledger.sent, ledger.returned, ledger.nacked) == (240, 1, 1)
    failed = ledger.unknown  # the call that failed, and what else was in its batch
    assert failed >= 1
    assert measurement.totals["produce"].cell.latencies.count == 200 - 2 - failed
    assert measurement.totals["produce"].cell.unfinished == 0


def test_consumers_take_their_time_and_a_backlog_grows() -> None:
    case = open_case(rate=200.0, processing_ms=10, measure_s=0.6, warmup_s=0)
    measurement = Run(case, FakeBroker(), push=True, answer_s=0.0).measured()
    assert_all_arrived(measurement)
    # 120 messages at 10 ms each are 1.2 s of work, of which the stage saw the half
    consumed = measurement.totals["consume"].cell.total().operations
    assert 0 < consumed <= 62
    latencies = measurement.totals["end_to_end"].cell.latencies
    assert latencies.count == 120
    assert latencies.max_ns is not None
    assert latencies.max_ns > 0.4e9


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"cpu_share": 0.79}, None),
        ({"cpu_share": 0.8}, "0.80 of a core"),
        ({"pacing_p99_ms": 1.0}, None),
        ({"pacing_p99_ms": 1.01}, "1.01 ms late"),
        ({"offered": 1000, "achieved": 990, "blocked_share": 0.0}, None),
        ({"offered": 1000, "achieved": 989, "blocked_share": 0.0}, "989 of the 1,000 messages due"),
        ({"offered": 1000, "achieved": 500, "blocked_share": 0.01}, None),
    ],
)
def test_evidence_that_the_loader_was_the_limit(fields: dict[str, Any], words: str | None) -> None:
    found = diagnosis(**{"stage": "measure", "cpu_share": 0.1, **fields}).evidence()
    assert (len(found) == 1 and words in found[0]) if words else found == []
