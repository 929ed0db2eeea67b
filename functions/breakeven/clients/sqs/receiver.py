"""ReceiveMessage, and DeleteMessage or DeleteMessageBatch, which settle."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from breakeven.clients.base import STAMP_BYTES, CallFailed, Deliveries, Settled
from breakeven.clients.fast_path import Ours, Received
from breakeven.clients.sqs.batches import Entry, settled_in_batches
from breakeven.clients.sqs.both_clients import RECEIVE_COUNT, is_redelivered, settled_one_by_one
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.fast_path_connection import obstacle
from breakeven.clients.sqs.fast_path_receiver import FastPathReceiver
from breakeven.clients.sqs.operations import (
    MALFORMED,
    Operation,
    document_of,
    prefix,
    quoted,
)
from breakeven.clients.sqs.service import Service

#: the member of a deletion that names the message
_HANDLE = b'"ReceiptHandle":'


class SqsReceiver:
    """Waits in an ask as long as the case says. A message received before, as its receive count tells,
    is redelivered.

    :param wait_s: whole seconds, as SQS takes them
    :param size: of a message's body, bytes
    :param batch: messages an ask brings at most, 1 to 10
    :param delete_batch: messages a deletion is of at most, 1 to 10; 1 is DeleteMessage
    """

    def __init__(
        self,
        service: Service,
        connection: Connection,
        queue: str,
        *,
        wait_s: int,
        batch: int,
        delete_batch: int,
        size: int,
    ) -> None:
        self._connection, self._wait_s, self._size = connection, wait_s, size
        self._batch, self._delete_batch = batch, delete_batch
        self._fast_path: FastPathReceiver | None = None
        self.fallback: str | None = None
        self._receive = Operation("ReceiveMessage", service, connection)
        name = "DeleteMessage" if delete_batch == 1 else "DeleteMessageBatch"
        self._delete = Operation(name, service, connection)
        self._prefix = prefix(queue)
        asked = {
            "MaxNumberOfMessages": batch,
            "WaitTimeSeconds": wait_s,
            "MessageSystemAttributeNames": [RECEIVE_COUNT],
        }
        self._ask = self._prefix + json.dumps(asked).encode()[1:]

    def receive(self, timeout_s: float) -> Deliveries:
        """One ask. ``timeout_s`` has no say: how long an ask waits is part of what is measured."""
        asked_ns = time.monotonic_ns()
        return self._taken(self._receive.call(self._ask), asked_ns)

    def expect(self, ours: Ours) -> bool:
        if max(self._batch, self._delete_batch) > 1:
            return False
        self.fallback = obstacle(self._connection)
        if self.fallback:
            return False
        before = self._prefix + _HANDLE + b'"'
        self._fast_path = FastPathReceiver(
            *(self._connection, self._receive, self._delete, ours),
            ask=self._ask, before=before, wait_s=self._wait_s, size=self._size, taken=self._taken,
        )  # fmt: skip
        return True

    def receive_on_fast_path(self, until_ns: int) -> Received | None:
        assert self._fast_path is not None
        return self._fast_path.receive(until_ns)

    def _taken(self, answer: bytes, asked_ns: int) -> Deliveries:
        """What a whole answer to an ask brings. Raises CallFailed."""
        reply = document_of(answer)
        messages = reply.get("Messages") or ()
        try:
            stamps = [message["Body"][:STAMP_BYTES].encode() for message in messages]
            handles = [message["ReceiptHandle"] for message in messages]
            redelivered = [is_redelivered(message) for message in messages]
        except (KeyError, TypeError, ValueError):
            raise CallFailed(MALFORMED) from None
        in_hand_ns = time.monotonic_ns()
        if not messages:
            return Deliveries((), (), (), (), (), empty=((asked_ns, in_hand_ns),))
        count, calls = len(messages), (in_hand_ns,) if self._batch > 1 else ()
        return Deliveries(
            stamps, (asked_ns,) * count, (in_hand_ns,) * count, redelivered, handles, calls=calls
        )

    def settle(self, handles: Sequence[object]) -> Settled:
        if self._delete_batch == 1:
            return settled_one_by_one(handles, self._delete_one)
        return settled_in_batches(handles, self._delete_batch, self._call_batch)

    def close(self) -> None:
        """What is unsettled comes back when its visibility timeout has passed."""
        self._connection.close()

    def _delete_one(self, handle: object) -> None:
        self._delete.call(b"%b%b}" % (self._prefix + _HANDLE, quoted(str(handle))))

    def _call_batch(self, entries: list[Entry]) -> dict[str, Any]:
        payload = self._prefix + b'"Entries":' + json.dumps(entries).encode() + b"}"
        return self._delete.call_for_document(payload)
