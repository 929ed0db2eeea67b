"""Time and money that reading CloudWatch's figures of services takes of a run on AWS."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case


def has_metrics(cases: Sequence[Case]) -> bool:
    """Does CloudWatch have figures of any of their targets?"""
    return any(record_of(case.target).service_metrics for case in cases)


def metrics_read(cases: Sequence[Case]) -> int:
    """How many metrics are asked for, as GetMetricData is billed: of each lane's broker and its nodes, and of
    each case's queues.
    """
    brokers = {case.target: 1 + case.nodes for case in cases if record_of(case.target).broker}
    of_brokers = sum(_each(target) * things for target, things in brokers.items())
    others = (case for case in cases if case.target not in brokers)
    return of_brokers + sum(_each(case.target) * case.workload.queues for case in others)


def _each(target: str) -> int:
    """Metrics of a broker, of a node or of a queue."""
    known = record_of(target).service_metrics
    return len(known.metrics) if known else 0
