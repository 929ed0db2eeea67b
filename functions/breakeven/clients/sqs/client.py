"""The native SQS client: opens senders and receivers on queue URLs, each with a connection of its own."""

from __future__ import annotations

import math
import threading
import weakref

from breakeven.clients.base import CALL_TIMEOUT_S
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.receiver import SqsReceiver
from breakeven.clients.sqs.sender import SqsSender
from breakeven.clients.sqs.service import Service
from breakeven.workload.case import Workload


class SqsClient:
    """Retries are off, as in Boto3Client: a call that fails is seen, counted and made again by the worker.

    :param endpoint: as ``Service`` has it
    :raises botocore.exceptions.BotoCoreError: no region, or an endpoint that is none
    """

    name = "native"

    def __init__(self, workload: Workload, endpoint: str | None = None) -> None:
        self._workload, self._wait_s = workload, math.ceil(workload.wait_s)
        self._service = Service(endpoint)
        self._lock = threading.Lock()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()

    def sender(self, queue: str) -> SqsSender:
        workload = self._workload
        return SqsSender(self._service, self._connection(0), queue, workload.send_batch, workload.groups)

    def receiver(self, queue: str) -> SqsReceiver:
        return SqsReceiver(
            *(self._service, self._connection(self._wait_s), queue),
            wait_s=self._wait_s, size=self._workload.most_bytes,
            batch=self._workload.receive_batch, delete_batch=self._workload.delete_batch,
        )  # fmt: skip

    def close(self) -> None:
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            connection.close()

    def _connection(self, wait_s: int) -> Connection:
        connection = Connection(self._service.endpoint, CALL_TIMEOUT_S + wait_s, self._service.tls)
        connection.open()
        with self._lock:
            self._connections.add(connection)
        return connection
