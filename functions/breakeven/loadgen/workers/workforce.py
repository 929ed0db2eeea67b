"""The workers that a loader's part of a case needs, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from breakeven.clients.base import Client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.body_sizes import BodySizes
from breakeven.loadgen.ledger.group_order import GroupOrder
from breakeven.loadgen.ledger.ledger import LoaderLedger
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.record.shared_send_times import SharedSendTimes
from breakeven.loadgen.stages import Timeline
from breakeven.loadgen.workers.arrivals import whole_span
from breakeven.loadgen.workers.consumer import Consumer
from breakeven.loadgen.workers.open_producer import OpenProducer
from breakeven.loadgen.workers.producer import ClosedProducer, Producer
from breakeven.loadgen.workers.signals import Signals
from breakeven.loadgen.workers.worker import Shared


def shared(
    assignment: Assignment,
    client: Client,
    timeline: Timeline,
    signals: Signals,
    outstanding: Callable[[], bool],
) -> Shared:
    """:param outstanding: as ``Shared`` has it"""
    case, workload = assignment.case, assignment.case.workload
    own = assignment.mine(workload.senders)
    # what nobody receives before the drain, or what was loaded beforehand, is in the queue for as long as the
    # test makes it
    timed = workload.mode != "load-unload" and workload.consumers > 0 and workload.producers > 0
    return Shared(
        case=case,
        client=client,
        timeline=timeline,
        ledger=LoaderLedger(case.tag, workload.senders, own),
        recorder=Recorder(timeline),
        send_times=SharedSendTimes(assignment, own) if timed else None,
        signals=signals,
        outstanding=outstanding,
        group_order=GroupOrder() if workload.groups == "producer" else None,
        loaded=assignment.prefill if workload.prefill else None,
        sizes=BodySizes(case) if workload.message_mix else None,
    )


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


def fillers(assignment: Assignment, shared: Shared) -> list[ClosedProducer]:
    """Of what is loaded before the first stage; none where nothing is.

    Each goes by the number of a worker that sends afterwards, and its sequences precede that one's.
    """
    workload, queue = assignment.case.workload, assignment.queue
    if not workload.prefill:
        return []
    own = assignment.mine(workload.senders)
    return [ClosedProducer(n, queue(n), shared, assignment.prefill(n)) for n in own]


def consumers(assignment: Assignment, shared: Shared) -> list[Consumer]:
    own = assignment.mine(assignment.case.workload.consumers)
    return [Consumer(f"consumer {n}", assignment.queue(n), shared) for n in own]
