"""What the suite ``quick`` would cost on AWS: the plan's dollars against a computation by hand.

By hand: the suite's cells, what a call to SQS takes today, and what a worker and a pair of m7g.large carry.
A call takes about 10 ms from a function of the same region: SQS's guide reckons with 20 ms ("Increasing
throughput using horizontal scaling"), and a comparison of 2022 had 16 ms from before the send until a
consumer had the message. Prices are us-east-1's list prices, written down here again.
"""

from __future__ import annotations

import pytest

from breakeven.planning.plan import make_plan
from breakeven.workload.read import load_suite

#: producers x seconds in which they send: 1, 5, 10, 40 threads; 5, 10 on 5 queues; 10:1, 1:10; three sizes
PRODUCER_S = 56 * 5 + 15 * 5 + 11 * 8 + 15 * 5
LOADED = 10_000
#: of the latency at 100 a second, for 12 s
OFFERED = 1200
#: loaders of 1, 5, 10 and 40 threads: 8 workers a loader
PARALLEL = 1 + 2 + 3 + 10
#: and of all cases but load-unload's, the two of 11 workers, each of which has two, and the latency
LOADERS = PARALLEL + 2 + 3 + 3 * 2
#: seconds from a loader's start until all begin
GATE_S = 8


def sqs_usd(call_ms: float) -> float:
    """Send, receive and delete of each message, and what ten consumers of one producer ask in vain, and ten
    calls in flight of 100 messages a second, which two of them would receive and delete.
    """
    messages = LOADED + OFFERED + PRODUCER_S * 1000 / call_ms
    in_vain = 8 * (10 - 2) * 1000 / call_ms + 12 * (10 - 2) * 1000 / call_ms
    return (3 * messages + in_vain) * 0.40e-6


def brokers_usd() -> float:
    """Two nodes while 12 cases go: 4 min to launch, 20 s to release, 30 s a case, and 11 s of each that is
    longer: load-unload, and the two cells of 11 workers. Three nodes while 5 go, of which one is 7 s longer.
    """
    pair_s = 240 + 20 + 12 * 30 + 3 * 11
    trio_s = 270 + 20 + 5 * 30 + 7
    return 0.0816 * (2 * pair_s + 3 * trio_s) / 3600


def functions_usd() -> float:
    """Loaders of 1,769 MB and, half a GB each, watch, preparing and settling of 32 cases."""
    # 5 s to send and 2 s to drain; 10,000 messages loaded and unloaded by 5 threads; 8 s of 11 workers
    sqs_s = LOADERS * (GATE_S + 7.5) + 2 * (GATE_S + 60) + 2 * (GATE_S + 22) + 2 * (GATE_S + 8)
    rabbitmq_s = LOADERS * (GATE_S + 6) + 2 * (GATE_S + 13) + 2 * (GATE_S + 18) + 2 * (GATE_S + 8)
    trio_s, latency_s = PARALLEL * (GATE_S + 6), 2 * (GATE_S + 12)
    instrument_s = 2 * (GATE_S + 7)
    loaders_s = sqs_s + rabbitmq_s + trio_s + latency_s + instrument_s
    return (loaders_s * 1.7276 + 32 * (16 + 10) * 0.5) * 13.3334e-6


def zones_usd() -> float:
    """4.5 crossings of a message of the pair, both directions: 400 msg/s a worker, 5,000 in all. Of a trio,
    whose leader sends each copy once, some stay in the zone: 3.2.
    """
    parallel = 5 * 400 * (1 + 5 + 10) + 5 * 5000
    of_1_kib = parallel + 5 * 400 * (5 + 10 + 5) + 8 * 400 * 11 + LOADED
    of_64_kib = 5 * 894  # half of 937 Mbit/s
    # the warm-up: three windows of a second of each size, four workers
    of_1_kib += 3 * 4 * 400
    of_64_kib += 3 * 894
    crossing = 4.5 * (of_1_kib + 64 * of_64_kib) + 3.2 * (parallel + OFFERED)
    return 2 * crossing * 1024 / 2**30 * 0.01


def rest_usd() -> float:
    """About 520 transitions; an object a loader and second, a dozen a case; tables, queries, logs."""
    return 520 * 25e-6 + (1500 + 32 * 12) * 5e-6 + 0.004


@pytest.fixture(scope="module")
def estimate():
    return make_plan(load_suite("quick"), run_id="run-1").estimate


@pytest.mark.parametrize("call_ms", [8.5, 10, 12])
def test_the_estimate_of_the_quick_suite_is_within_a_quarter_of_a_computation_by_hand(estimate, call_ms):
    by_hand = sqs_usd(call_ms) + brokers_usd() + functions_usd() + zones_usd() + rest_usd()
    assert estimate.usd == pytest.approx(by_hand, rel=0.25)


@pytest.mark.parametrize(
    ("line", "by_hand"),
    [
        ("SQS requests", sqs_usd(10)),
        ("broker instances", brokers_usd()),
        ("functions, memory", functions_usd()),
        ("traffic across zones", zones_usd()),
    ],
)
def test_each_line_of_more_than_a_cent_is_within_a_quarter_of_it(estimate, line, by_hand):
    (found,) = [each.usd for each in estimate.lines if each.what == line]
    assert by_hand > 0.01
    assert found == pytest.approx(by_hand, rel=0.25)
