"""Queues that an interrupted run has made on servers that are not its own: they go with the run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

from botocore.exceptions import BotoCoreError, ClientError

from breakeven.brokers.access import Access
from breakeven.errors import CaseError
from breakeven.targets.catalog import record_of
from breakeven.targets.target import open_target
from local.servers.sqs_server import client_of
from local.stored.export import Items


def delete_left_queues(items: Items, access: Access | None, sqs: str | None) -> None:
    """Delete the queues of cases that have not released theirs. Nothing may use them any more.

    :param items: the run's records
    :param access: to the nodes that were given; None: the run has its own, which go with their queues
    :param sqs: the same for the SQS-compatible server's address
    """
    for target, queues in _left(items):
        software = record_of(target).software
        if software == "sqs" and sqs:
            client = client_of(sqs)
            for queue in queues:
                with suppress(BotoCoreError, ClientError):
                    client.delete_queue(QueueUrl=queue)
        elif software == "rabbitmq" and access:
            with suppress(CaseError):
                open_target(target, access).release(queues)


def _left(items: Items) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Target and queues of each case that has some."""
    for item in items.values():
        if "queues" in item and not item.get("released"):
            yield str(item["target"]), tuple(json.loads(item["queues"]))
