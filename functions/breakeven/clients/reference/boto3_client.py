"""The reference client of SQS: boto3, one kept-alive connection a sender or receiver.

Retries are off: a call that fails is seen, counted and made again by the worker. Region, endpoint and
credentials come from where boto3 reads them (``AWS_ENDPOINT_URL_SQS`` points to another server).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from typing import Any

import boto3
from botocore.config import Config

from breakeven.clients.base import (
    CALL_TIMEOUT_S,
    STAMP_BYTES,
    Answers,
    CallFailed,
    ConnectionLost,
    Deliveries,
    Outcome,
    Settled,
)
from breakeven.clients.columns import together
from breakeven.clients.sqs.batches import BatchSends, Entry, parts, settled_in_batches
from breakeven.clients.sqs.both_clients import (
    ANY_CREDENTIALS,
    ANY_REGION,
    RECEIVE_COUNT,
    is_redelivered,
    message_ids,
    service_errors,
    settled_one_by_one,
)
from breakeven.workload.case import Workload


class Boto3Sender:
    """SendMessage, or SendMessageBatch; the reply is the durable answer. ``submit`` returns when all are
    answered.

    Messages a call, and a FIFO queue's groups, are as the case has them.
    """

    def __init__(self, sqs: Any, queue: str, workload: Workload) -> None:
        self._sqs, self._queue, self._batch = sqs, queue, workload.send_batch
        self._ids = message_ids(queue, workload.groups)
        self._answered: list[tuple[int, int, int]] = []
        self._batches, self._of_batches = BatchSends(self._ids, self._call_batch), list[Answers]()

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        if self._batch == 1:
            self._submit_one_by_one(sequences, bodies)
            return
        taken = 0
        try:
            for part in parts(bodies, self._batch):
                self._of_batches.append(self._batches.send(sequences[part], bodies[part]))
                taken = part.stop
        except CallFailed as error:
            raise CallFailed(error.code, taken, error.said) from error

    def _submit_one_by_one(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        for taken, (sequence, body) in enumerate(zip(sequences, bodies, strict=True)):
            sent_ns = time.monotonic_ns()
            with service_errors(taken):
                text = body.decode("ascii")
                reply = self._sqs.send_message(QueueUrl=self._queue, MessageBody=text, **self._ids(text))
            if "MessageId" not in reply:  # boto3 takes an answer that broke off for one of success
                raise ConnectionLost("the answer to SendMessage broke off")
            self._answered.append((sequence, sent_ns, time.monotonic_ns()))

    def poll(self, timeout_s: float) -> Answers:
        if self._of_batches:
            answers, self._of_batches = together(Answers, self._of_batches), []
            return answers
        answered, self._answered = self._answered, []
        sequence, sent, replied = zip(*answered, strict=True) if answered else ((),) * 3
        return Answers(sequence, (Outcome.CONFIRMED,) * len(answered), sent, replied)

    def close(self) -> None:
        self._sqs.close()

    def _call_batch(self, entries: list[Entry]) -> dict[str, Any]:
        with service_errors():
            reply: dict[str, Any] = self._sqs.send_message_batch(QueueUrl=self._queue, Entries=entries)
        return reply


class Boto3Receiver:
    """ReceiveMessage, waiting as long as the case says; DeleteMessage or DeleteMessageBatch settles.

    SQS takes whole seconds to wait: a fraction is rounded up. A message received before, as its
    ``ApproximateReceiveCount`` tells, is redelivered.
    """

    def __init__(self, sqs: Any, queue: str, workload: Workload) -> None:
        self._sqs, self._queue, self._wait_s = sqs, queue, math.ceil(workload.wait_s)
        self._batch, self._delete_batch = workload.receive_batch, workload.delete_batch

    def receive(self, timeout_s: float) -> Deliveries:
        """One ask. ``timeout_s`` has no say: how long an ask waits is part of what is measured."""
        asked_ns = time.monotonic_ns()
        with service_errors():
            reply = self._sqs.receive_message(
                QueueUrl=self._queue,
                MaxNumberOfMessages=self._batch,
                WaitTimeSeconds=self._wait_s,
                MessageSystemAttributeNames=[RECEIVE_COUNT],
            )
        in_hand_ns = time.monotonic_ns()
        messages = reply.get("Messages", [])
        if not messages:
            return Deliveries((), (), (), (), (), empty=((asked_ns, in_hand_ns),))
        return Deliveries(
            stamp=[message["Body"][:STAMP_BYTES].encode() for message in messages],
            asked_ns=[asked_ns] * len(messages),
            in_hand_ns=[in_hand_ns] * len(messages),
            redelivered=[is_redelivered(message) for message in messages],
            handle=[message["ReceiptHandle"] for message in messages],
            calls=(in_hand_ns,) if self._batch > 1 else (),
        )

    def settle(self, handles: Sequence[object]) -> Settled:
        if self._delete_batch == 1:
            return settled_one_by_one(handles, self._delete_one)
        return settled_in_batches(handles, self._delete_batch, self._call_batch)

    def _delete_one(self, handle: object) -> None:
        with service_errors():
            self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=str(handle))

    def _call_batch(self, entries: list[Entry]) -> dict[str, Any]:
        with service_errors():
            reply: dict[str, Any] = self._sqs.delete_message_batch(QueueUrl=self._queue, Entries=entries)
        return reply

    def close(self) -> None:
        """What is unsettled comes back when its visibility timeout has passed."""
        self._sqs.close()


class Boto3Client:
    """Opens senders and receivers on queue URLs. About 10 ms each: they share the service model.

    :param endpoint: of a server that is not the service and takes any credentials: it gets made-up ones
    """

    name = "boto3"

    def __init__(self, workload: Workload, endpoint: str | None = None) -> None:
        self._workload, self._endpoint = workload, endpoint
        self._session = boto3.Session(*ANY_CREDENTIALS, None, ANY_REGION) if endpoint else boto3.Session()
        self._config = Config(
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=1,
            connect_timeout=CALL_TIMEOUT_S,
            read_timeout=CALL_TIMEOUT_S + workload.wait_s,
            tcp_keepalive=True,
            parameter_validation=False,
            proxies={},  # one that the environment names would be measured too
        )
        self._lock = threading.Lock()
        self._connections: list[Any] = []

    def sender(self, queue: str) -> Boto3Sender:
        return Boto3Sender(self._connection(), queue, self._workload)

    def receiver(self, queue: str) -> Boto3Receiver:
        return Boto3Receiver(self._connection(), queue, self._workload)

    def close(self) -> None:
        with self._lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            connection.close()

    def _connection(self) -> Any:
        with self._lock:  # a session makes one client at a time
            connection = self._session.client("sqs", endpoint_url=self._endpoint, config=self._config)
            self._connections.append(connection)
            return connection
