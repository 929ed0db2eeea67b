"""Descriptors and threads of a loader at work, against what the plan counts of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest

from breakeven.instrument.program import Latency, Program, Step
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.workers import producer
from breakeven.planning.footprint import BESIDE, Footprint, footprint
from breakeven.targets.instrument import InstrumentTarget
from breakeven.workload.case import Case
from tests.support.loaders.instrument_runs import instrument_case
from tests.support.scripted.fake_meeting import FakeMeeting

TARGETS = {"sqs": "sqs-standard", "amqp": "rabbitmq-mirrored-pair"}
#: so that the drain goes on to its deadline, and producers help with it
PROGRAM = {"messages": 60, "lost": 1, "publish": Latency(steps=(Step(up_to=1, ms=5),))}
#: a busy machine may leave a thread of a pool idle for half a second, so that not all are seen at once
ATTEMPTS = 5


@contextmanager
def watched() -> Iterator[list[int]]:
    """The most descriptors and threads of this process, until it is left, over those at its start."""
    process, stop = psutil.Process(), threading.Event()
    before = (process.num_fds(), process.num_threads())
    most = [0, 0]

    def look() -> None:
        while not stop.wait(0.005):
            now = (process.num_fds(), process.num_threads() - 1)  # its own
            most[:] = (max(held, here - was) for held, here, was in zip(most, now, before, strict=True))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield most
    finally:
        stop.set()
        watcher.join()


@pytest.mark.parametrize(
    ("protocol", "workload"),
    [
        ("sqs", {}),
        ("sqs", {"client": "boto3"}),
        ("sqs", {"in_flight": 8, "window": 8, "rate": 200.0}),
        ("sqs", {"in_flight": 8, "window": 8, "mode": "load-unload", "messages": 400}),
        ("amqp", {}),
        ("amqp", {"client": "pika"}),
        ("amqp", {"window": 50, "rate": 200.0, "consume": "push", "prefetch": 50}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())) or "closed",
)
def test_a_loader_holds_as_many_descriptors_and_threads_as_the_plan_counts(protocol, workload, monkeypatch):
    monkeypatch.setattr(producer, "HELP_AFTER_S", 0.1)
    fields: dict[str, Any] = {
        "mode": "parallel",
        "messages": None,
        "measure_s": 0.5,
        "drain_s": 0.8,
        **workload,
    }
    case = instrument_case(Program(protocol=protocol, **PROGRAM), producers=3, consumers=4, **fields)
    counted = footprint(case.workload, TARGETS[protocol], 1)
    at_work = case.workload.mode == "parallel"  # otherwise consumers come when producers have gone
    least = Footprint(counted.descriptors - BESIDE.descriptors, counted.threads - BESIDE.threads)
    for _ in range(ATTEMPTS):
        held = driven(case)
        assert held.fits(counted), (held, counted)
        if not at_work or least.fits(held):
            return
    pytest.fail(f"{held} held, of {counted} counted")


def driven(case: Case) -> Footprint:
    """The most that a loader of the case held at once, over what this process held before."""
    target = InstrumentTarget()
    client = target.client(case.workload)
    with watched() as held:
        try:
            meeting = FakeMeeting(1, gate_delay_s=0.1)
            queues = target.prepare(case, 1).queues
            run_loader(Assignment(case, 1, 0, queues), client, meeting.of(0), lambda _: None)
        finally:
            client.close()
    return Footprint(*held)
