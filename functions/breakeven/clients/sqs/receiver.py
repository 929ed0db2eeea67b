"""ReceiveMessage, and DeleteMessage or DeleteMessageBatch, which settle."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from breakeven.clients.base import STAMP_BYTES, CallFailed, Deliveries, Settled
from breakeven.clients.fast_path import Ours, Received
from breakeven.clients.sqs.both_clients import RECEIVE_COUNT, is_redelivered, settled_in_parts
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.fast_path_connection import obstacle
from breakeven.clients.sqs.fast_path_receiver import FastPathReceiver
from breakeven.clients.sqs.operations import (
    MALFORMED,
    MAX_BATCH,
    Operation,
    document_of,
    entries,
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
    :param batch: messages an ask at most, and messages a deletion, 1 to 10; 1 is DeleteMessage
    """

    def __init__(
        self,
        service: Service,
        connection: Connection,
        queue: str,
        *,
        wait_s: int,
        batch: int,
        size: int,
    ) -> None:
        self._connection, self._wait_s, self._batch, self._size = connection, wait_s, batch, size
        self._fast_path: FastPathReceiver | None = None
        self.fallback: str | None = None
        self._receive = Operation("ReceiveMessage", service, connection)
        self._delete = Operation("DeleteMessage" if batch == 1 else "DeleteMessageBatch", service, connection)
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
        if self._batch > 1:
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
        count = len(messages)
        return Deliveries(stamps, (asked_ns,) * count, (in_hand_ns,) * count, redelivered, handles)

    def settle(self, handles: Sequence[object]) -> Settled:
        return settled_in_parts(_parts(handles, self._batch), self._deleted)

    def close(self) -> None:
        """What is unsettled comes back when its visibility timeout has passed."""
        self._connection.close()

    def _deleted(self, handles: Sequence[object]) -> Sequence[object]:
        """Those that are deleted now. Raises CallFailed when none is."""
        if self._batch == 1:
            self._delete.call(b"%b%b}" % (self._prefix + _HANDLE, quoted(str(handles[0]))))
            return handles
        wanted = [{"Id": str(index), "ReceiptHandle": str(handle)} for index, handle in enumerate(handles)]
        payload = self._prefix + b'"Entries":' + json.dumps(wanted).encode() + b"}"
        return _successful(handles, self._delete.call_for_document(payload))


def _successful(handles: Sequence[object], reply: dict[str, Any]) -> Sequence[object]:
    done = {entry["Id"] for entry in entries(reply, "Successful")}
    deleted = [handle for index, handle in enumerate(handles) if str(index) in done]
    if not deleted:
        codes = [str(entry.get("Code")) for entry in entries(reply, "Failed")]
        raise CallFailed(codes[0] if codes else MALFORMED)
    return deleted


def _parts(handles: Sequence[object], most: int) -> Iterator[Sequence[object]]:
    return (handles[start : start + most] for start in range(0, len(handles), min(most, MAX_BATCH)))
