"""The targets there are, by name."""

from __future__ import annotations

from breakeven.errors import CaseError
from breakeven.targets.base import Access, Target
from breakeven.targets.instrument import InstrumentTarget
from breakeven.targets.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.targets.sqs_standard import SqsStandard
from breakeven.workload.case import KIND_NAMES, KindName, TargetName, kind_of

#: in the order in which reports show them
TARGETS: tuple[KindName, ...] = KIND_NAMES


def open_target(name: TargetName, access: Access | None, nodes_down: int = 0) -> Target:
    """The target of that name.

    :param access: where its brokers are, all of them; None for a managed service
    :param nodes_down: how many of them, the last ones, a case has stopped
    :raises CaseError: when brokers are needed and none are known
    """
    kind = kind_of(name)
    if kind == "sqs-standard":
        return SqsStandard()
    if kind == "instrument":
        return InstrumentTarget()
    if access is None or not access.nodes:
        raise CaseError(f"{name}: no broker node is known")
    return RabbitMQMirroredPair(access, nodes_down)
