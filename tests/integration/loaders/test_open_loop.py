"""Latency without omission: what waits for a target that stalls has waited, however few were asked of it."""

from __future__ import annotations

import signal
import time

import pytest

from breakeven.clients.factory import make_client
from breakeven.instrument.program import Program, Stall
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.loadgen.record.histogram import Histogram, bin_of
from breakeven.loadgen.self_check.diagnosis import percentile_ms
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from tests.support.loaders.instrument_runs import instrument_case, measured
from tests.support.loaders.live_case import live

QUEUE = "breakeven-open-loop"
PUSHED = {
    "producers": 1,
    "consumers": 1,
    "consume": "push",
    "prefetch": 200,
    "mode": "parallel",
    "warmup_s": 0,
    # each ends once all is answered, which a busy machine may take long to do: what is not is unknown
    "drain_s": 100.0,
}
SHARES = (0.99, 0.999)
#: what a busy machine adds to a time is no omission: one run of these must read it as predicted, none less
ATTEMPTS = 5


def quantile_ms(share: float, stall_s: float, run_s: float, rate: float, drain_per_s: float) -> float:
    """Of response times when a target that is idle but for this stalls once.

    A message that is due x seconds into the stall is answered behind those due before it, at the drain's
    rate: it takes S - x (1 - rate / drain). So the slowest share of n messages is the first of that line.
    """
    return 1e3 * (stall_s - (1 - share) * run_s * (1 - rate / drain_per_s))


def test_a_programmed_stall_is_read_as_schedule_and_stall_predict() -> None:
    rate, drain, run_s, stall_s = 1500.0, 4000.0, 5.0, 2.0
    program = Program(
        protocol="amqp", messages=7_500, stalls=(Stall(at_s=1, for_s=stall_s),), messages_per_s=drain
    )
    case = instrument_case(program, **PUSHED, measure_s=run_s, rate=rate, window=20_000)
    predicted = [quantile_ms(share, stall_s, run_s, rate, drain) for share in SHARES]
    for _ in range(ATTEMPTS):
        found, _ = measured(case)
        assert found.ledger.sent == found.ledger.received == rate * run_s
        response = found.totals["produce"].cell.latencies
        read = [percentile_ms(response, round(1000 * share)) or 0.0 for share in SHARES]
        assert all(ms >= 0.98 * least for ms, least in zip(read, predicted, strict=True)), (read, predicted)
        if read == pytest.approx(predicted, rel=0.02):
            return
    pytest.fail(f"{read} ms read, {predicted} ms predicted")


def test_a_paused_node_is_in_the_response_time_and_not_in_the_service_time(rabbitmq_node) -> None:
    rate, run_s, pause_s, window = 1500.0, 6.0, 1.0, 200
    access = rabbitmq_node.access
    case = instrument_case(
        Program(protocol="amqp", messages=1), **PUSHED, measure_s=run_s, rate=rate, window=window
    )
    case = case.model_copy(update={"target": "rabbitmq-mirrored-pair"})
    with open_channel(access, access.nodes) as channel:
        channel.queue_delete(QUEUE)  # of a time that failed
        channel.queue_declare(QUEUE, durable=True)
    with live(case, (QUEUE,), make_client(case.workload, access)) as running:
        running.await_traffic()
        rabbitmq_node.signal(access.nodes[0].name, signal.SIGSTOP)
        time.sleep(pause_s)
        rabbitmq_node.signal(access.nodes[0].name, signal.SIGCONT)
        found = merge([running.result()], QueueCount(0))
    with open_channel(access, access.nodes) as channel:
        channel.queue_delete(QUEUE)
    assert found.ledger.sent == found.ledger.confirmed == found.ledger.received == rate * run_s
    response = found.totals["produce"].cell.latencies
    service = found.totals["produce_service"].cell.latencies
    slowest = percentile_ms(response, 999)
    assert slowest is not None
    assert slowest >= 0.93e3 * pause_s
    # many were due in the pause, but no more than a window's worth had been sent when it came; the host may
    # hold the node up again, and what that delays after it was sent has waited, too
    long_ns = round(0.5e9 * pause_s)
    assert longer(service, long_ns) >= 1
    assert longer(response, long_ns) - longer(service, long_ns) > 2 * window


def longer(latencies: Histogram, than_ns: int) -> int:
    """How many took longer, by their bins."""
    return sum(count for index, count in latencies.bins.items() if index > bin_of(than_ns))
