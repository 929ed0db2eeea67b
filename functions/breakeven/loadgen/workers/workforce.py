"""The workers that a loader's part of a case needs."""

from __future__ import annotations

from functools import partial

from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.workers.arrivals import whole_span
from breakeven.loadgen.workers.consumer import Consumer
from breakeven.loadgen.workers.open_producer import OpenProducer
from breakeven.loadgen.workers.producer import ClosedProducer, Producer
from breakeven.loadgen.workers.worker import Shared


def producers(assignment: Assignment, shared: Shared) -> list[Producer]:
    """Of a capacity search none: each of its probes brings its own."""
    workload, queue = assignment.case.workload, assignment.queue
    if workload.mode == "capacity":
        return []
    own = assignment.mine(workload.producers)
    if workload.is_open:
        span = partial(whole_span, workload, shared.timeline)
        return [OpenProducer(n, queue(n), shared, span) for n in own]
    loads = workload.mode == "load-unload"
    return [ClosedProducer(n, queue(n), shared, assignment.share(n) if loads else None) for n in own]


def consumers(assignment: Assignment, shared: Shared) -> list[Consumer]:
    own = assignment.mine(assignment.case.workload.consumers)
    return [Consumer(f"consumer {n}", assignment.queue(n), shared) for n in own]
