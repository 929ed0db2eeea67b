"""The targets: one record of each, and what a name in a suite means.

Adding a target is a record in ``targets.records``, its place here, and the class that it names. A name is
that of a record, or of a record on machines that a suite has named: ``rabbitmq-mirrored-pair_large``.
"""

from __future__ import annotations

from breakeven.targets.record import Nodes, TargetRecord
from breakeven.targets.records.amazon_mq_records import AMAZON_MQ_CLUSTER, AMAZON_MQ_SINGLE
from breakeven.targets.records.instrument_record import INSTRUMENT_RECORD
from breakeven.targets.records.rabbitmq_records import MIRRORED_PAIR, QUORUM_TRIO, SINGLE_NODE
from breakeven.targets.records.sqs_records import SQS_FIFO, SQS_STANDARD
from breakeven.terms import TargetName

SQS, FIFO = TargetName(SQS_STANDARD.name), TargetName(SQS_FIFO.name)
PAIR, TRIO = TargetName(MIRRORED_PAIR.name), TargetName(QUORUM_TRIO.name)
SINGLE = TargetName(SINGLE_NODE.name)
#: on AWS only: the service creates a lane's broker, and deletes it
MQ_CLUSTER, MQ_SINGLE = TargetName(AMAZON_MQ_CLUSTER.name), TargetName(AMAZON_MQ_SINGLE.name)
#: the project's own target, which proves the measuring: measured, never compared, never priced
INSTRUMENT = TargetName(INSTRUMENT_RECORD.name)

#: by name, in the order in which reports show them
CATALOG: dict[str, TargetRecord] = {
    record.name: record
    for record in (
        *(SQS_STANDARD, SQS_FIFO, QUORUM_TRIO, MIRRORED_PAIR, SINGLE_NODE),
        *(AMAZON_MQ_CLUSTER, AMAZON_MQ_SINGLE, INSTRUMENT_RECORD),
    )
}


def record_of(target: str) -> TargetRecord:
    """What is known of a target, whatever machines it is on.

    :raises KeyError: nothing
    """
    if record := CATALOG.get(TargetName(target).kind):
        return record
    raise KeyError(target)


def is_compared(target: str) -> bool:
    """Whether its cases are a suite's own, which reports compare; others are the project's, of the self-test.

    A target that has no record, of a source or of an earlier version, is somebody's own.
    """
    record = CATALOG.get(TargetName(target).kind)
    return record is None or record.is_compared


def compared() -> list[str]:
    """Names of the targets that a suite may compare."""
    return [name for name in CATALOG if is_compared(name)]


def priced_target(form: str) -> str:
    """The target of a form of cluster (``pair``) or of queue (``standard``) that pricing knows.

    Of several of one form it is the catalog's first: a record that is added at the end changes no answer.
    """
    measured = (name for name, nodes in clusters().items() if nodes.deployment == form)
    return next(measured, FIFO if form == "fifo" else SQS)


def managed_target(form: str) -> str:
    """The target that is Amazon MQ's broker beside a form of cluster of one's own."""
    return MQ_SINGLE if form == "single" else MQ_CLUSTER


def clusters() -> dict[str, Nodes]:
    """The targets whose brokers a lane launches, by name, and what they are launched on."""
    return {name: record.nodes for name, record in CATALOG.items() if record.nodes}
