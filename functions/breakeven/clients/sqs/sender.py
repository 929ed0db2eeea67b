"""SendMessage, or SendMessageBatch; the reply is the durable answer."""

from __future__ import annotations

import json
import time
from collections.abc import MutableMapping, Sequence
from typing import Any

from breakeven.clients.base import Answers, CallFailed, Outcome
from breakeven.clients.columns import together
from breakeven.clients.core.messages import COLUMNS
from breakeven.clients.fast_path import Origin, SendBatch, Sent
from breakeven.clients.sqs.batches import BatchSends, Entry, parts
from breakeven.clients.sqs.both_clients import is_fifo, message_ids
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.fast_path_connection import obstacle
from breakeven.clients.sqs.fast_path_sender import FastPathSender, fast_path_sender, is_stored
from breakeven.clients.sqs.operations import MALFORMED, Operation, prefix, quoted
from breakeven.clients.sqs.service import Service
from breakeven.terms import Groups

Answered = tuple[int, Outcome, int, int]  # sequence, outcome, sent_ns, answered_ns


class SqsSender:
    """``submit`` returns when all are answered.

    :param batch: messages a call, 1 to 10; 1 is SendMessage
    :param groups: of a FIFO queue, what is a group of its own
    """

    def __init__(
        self, service: Service, connection: Connection, queue: str, batch: int, groups: Groups | None = None
    ) -> None:
        self._connection, self._batch, self._ids = connection, batch, message_ids(queue, groups)
        self._send = Operation("SendMessage" if batch == 1 else "SendMessageBatch", service, connection)
        self._prefix, self._is_fifo = prefix(queue), is_fifo(queue)
        self._answered: list[Answered] = []
        self._batches, self._of_batches = BatchSends(self._ids, self._call_batch), list[Answers]()
        self._fast_path: FastPathSender | None = None
        self.fallback: str | None = None
        self._due: MutableMapping[int, int] = {}

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        taken = 0
        try:
            for part in parts(bodies, self._batch):
                if self._batch == 1:
                    self._send_one(sequences[part], bodies[part])
                else:
                    self._of_batches.append(self._batches.send(sequences[part], bodies[part]))
                taken = part.stop
        except CallFailed as error:
            raise CallFailed(error.code, taken, error.said) from error

    def poll(self, timeout_s: float) -> Answers:
        if self._of_batches:
            answers, self._of_batches = together(Answers, self._of_batches), []
            return answers
        answered, self._answered = self._answered, []
        sequence, outcome, sent_ns, answered_ns = zip(*answered, strict=True) if answered else ((),) * 4
        return Answers(sequence, outcome, sent_ns, answered_ns)

    def prepare(self, origin: Origin) -> int:
        if self._batch == 1:
            found = obstacle(self._connection) or fast_path_sender(
                self._connection, self._send, origin, self._message
            )
            self._fast_path, self.fallback = (None, found) if isinstance(found, str) else (found, None)
        return COLUMNS if self._fast_path else 0

    def send_on_fast_path(
        self, batch: SendBatch, until_ns: int, due: MutableMapping[int, int]
    ) -> Sent | None:
        assert self._fast_path is not None
        self._due = due
        return self._fast_path.send(batch, until_ns, due)

    def release(self) -> None:
        if self._fast_path is not None:
            self._fast_path.release(self._due)

    def close(self) -> None:
        self._connection.close()

    def _send_one(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        sent_ns = time.monotonic_ns()
        reply = self._send.call(self._message(bodies[0]))
        answered_ns = time.monotonic_ns()
        if not is_stored(reply):
            raise CallFailed(MALFORMED)
        self._answered.append((sequences[0], Outcome.CONFIRMED, sent_ns, answered_ns))

    def _message(self, content: bytes) -> bytes:
        body = content.decode()
        if not self._is_fifo:
            return b'%b"MessageBody":%b}' % (self._prefix, quoted(body))
        members = {"MessageBody": body, **self._ids(body)}
        return self._prefix + json.dumps(members).encode()[1:]

    def _call_batch(self, entries: list[Entry]) -> dict[str, Any]:
        payload = self._prefix + b'"Entries":' + json.dumps(entries).encode() + b"}"
        return self._send.call_for_document(payload)
