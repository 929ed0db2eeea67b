"""Which client a case gets."""

from __future__ import annotations

from breakeven.clients.base import Client
from breakeven.clients.boto3_client import Boto3Client
from breakeven.clients.pika_client import PikaClient
from breakeven.errors import CaseError
from breakeven.targets.base import Access
from breakeven.workload.case import Workload


def make_client(workload: Workload, access: Access | None) -> Client:
    """The client that the workload names.

    :param access: where the brokers are; None for SQS, which boto3 finds by itself
    :raises CaseError: when an AMQP client is asked for and no broker is known
    """
    if workload.client == "boto3":
        return Boto3Client(workload)
    if access is None or not access.nodes:
        raise CaseError(f"client {workload.client}: no broker node is known")
    return PikaClient(workload, access)
