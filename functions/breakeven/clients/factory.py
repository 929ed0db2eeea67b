"""Choice of the client that a case gets."""

from __future__ import annotations

from collections.abc import Callable

from breakeven.brokers.access import Access
from breakeven.clients.amqp.client import NativeAmqpClient
from breakeven.clients.base import Client
from breakeven.clients.pool.pooled_client import PooledClient
from breakeven.clients.reference.boto3_client import Boto3Client
from breakeven.clients.reference.pika_client import PikaClient
from breakeven.clients.sqs.client import SqsClient
from breakeven.errors import CaseError
from breakeven.workload.case import Workload


def make_client(
    workload: Workload,
    access: Access | None,
    endpoint: str | None = None,
    leader_of: Callable[[str], str] | None = None,
) -> Client:
    """The client that the workload names.

    :param access: where the brokers are; None for SQS, which is found as boto3 finds it
    :param endpoint: of a server that stands for SQS and takes any credentials
    :param leader_of: of a queue, as ``connections.AmqpClient`` has it
    :raises CaseError: when the client does not speak to that target, or no broker is known
    """
    if access is None:
        client = _sqs_client(workload, endpoint)
        if not workload.is_pooled:
            return client
        batches = {"send_batch": workload.send_batch, "delete_batch": workload.delete_batch}
        return PooledClient(client, workload.in_flight, **batches)
    if workload.client == "boto3":
        raise CaseError("client boto3: not one for RabbitMQ")
    if not access.nodes:
        raise CaseError(f"client {workload.client}: no broker node is known")
    if workload.client == "native":
        return NativeAmqpClient(workload, access, leader_of=leader_of)
    return PikaClient(workload, access, leader_of)


def _sqs_client(workload: Workload, endpoint: str | None) -> Client:
    """One that makes a call at a time."""
    if workload.client == "native":
        return SqsClient(workload, endpoint=endpoint)
    if workload.client == "boto3":
        return Boto3Client(workload, endpoint=endpoint)
    raise CaseError(f"client {workload.client}: no broker node is known")
