"""A sender whose connection the core drives: one signed request at a time, and its answer."""

from __future__ import annotations

import time
from collections.abc import Callable, MutableMapping
from ctypes import addressof

import numpy as np

from breakeven.clients.base import CALL_TIMEOUT_S, CallFailed, ConnectionLost, Outcome
from breakeven.clients.core.loading import core
from breakeven.clients.core.messages import Messages
from breakeven.clients.core.structs import End, Sending
from breakeven.clients.fast_path import Origin, SendBatch, Sent
from breakeven.clients.sqs.connection import Connection
from breakeven.clients.sqs.fast_path_connection import SIGNATURE, FastPathConnection, SignedCall
from breakeven.clients.sqs.operations import MALFORMED, Operation
from breakeven.clients.sqs.signing import Parts, behind_signature

#: SendMessage is answered with a few hundred bytes
_ANSWER_BYTES = 16_384
#: where a stamp may be in a document: in the body and, on a FIFO queue, as the message's and its group's name
_MOST_PLACES = 3
_TIMEOUT_NS = round(CALL_TIMEOUT_S * 1e9)


def is_stored(answer: bytes) -> bool:
    """Does the answer to SendMessage name the message? Without that, whoever answered was not SQS."""
    return b'"MessageId"' in answer


class FastPathSender:
    """Made by :func:`fast_path_sender`; used by the one thread that uses the sender.

    :param document: of one message
    :param places: where the stamp is in it: first of its body, then, on a FIFO queue, once or twice more
    """

    def __init__(
        self,
        connection: Connection,
        operation: Operation,
        origin: Origin,
        document: bytes,
        places: list[int],
    ) -> None:
        library = core()
        assert library is not None
        self._operation, self._document, self._places = operation, document, places
        self._struct = struct = Sending(row_size=0, rows=1, confirms=1, next_tag=1, oldest_tag=1)
        self._driven = FastPathConnection(connection, struct, library.sending_run, _ANSWER_BYTES)
        self._messages = Messages(struct, origin, 1, Outcome.CONFIRMED)
        self._call, self._parts = SignedCall(), Parts(-1, b"", b"", b"", b"")
        struct.call = addressof(self._call.struct)

    def send(self, batch: SendBatch, until_ns: int, due: MutableMapping[int, int]) -> Sent:
        """See ``SendsOnFastPath.send_on_fast_path``."""
        struct = self._struct
        self._renew()
        if not struct.in_flight:
            struct.shift = batch.first - struct.next_tag
        self._messages.asked(batch)
        end = self._driven.run(until_ns, until_ns)
        sent = self._messages.sent()
        if end not in (End.OVER, End.FULL):
            self._conclude(end, sent, due)
        elif self._messages.are_overdue(_TIMEOUT_NS):
            self._lose(end, sent, due)
        return sent

    def release(self, due: MutableMapping[int, int]) -> None:
        """Tell of the message that is unanswered, which is nobody's any more."""
        struct = self._struct
        if struct.in_flight:
            due[struct.oldest_tag + struct.shift] = self._messages.flight(struct.oldest_tag)[0]
            self._over()

    def _renew(self) -> None:
        """Write the request of this second. Raises ConnectionLost, CallFailed."""
        parts = self._operation.parts()
        if parts is self._parts or self._driven.is_writing:
            return
        document = self._document
        self._call.renew(parts, document[: self._places[0]])
        before = parts.head + bytes(SIGNATURE) + behind_signature(len(document))
        self._driven.put(before + document)
        struct, self._parts = self._struct, parts
        struct.row_size, struct.document_at = len(before) + len(document), len(before)
        struct.stamp_at, *again = (len(before) + place for place in self._places)
        struct.again_at[:] = [*again, 0, 0][:2]

    def _conclude(self, end: End, sent: Sent, due: MutableMapping[int, int]) -> None:
        """What the core has left: an answer that is not as always, or the connection's end."""
        struct = self._struct
        if not struct.in_flight:
            self._driven.drop()  # an idle connection: no message is lost by it
            return
        if end is not End.UNUSUAL:
            self._lose(end, sent, due)
            return
        tag = struct.oldest_tag
        sequence, (due_ns, sent_ns) = tag + struct.shift, self._messages.flight(tag)
        try:
            answer = self._operation.rest_of_call(self._driven.begun(sent_ns))
            if not is_stored(answer):
                raise CallFailed(MALFORMED)
        except CallFailed as error:
            sent.failed, sent.error = (sequence,), error
        except ConnectionLost as error:
            due[sequence], sent.error = due_ns, error
        else:
            _append(sent, sequence, due_ns, sent_ns, time.monotonic_ns())
        self._over()

    def _lose(self, end: End, sent: Sent, due: MutableMapping[int, int]) -> None:
        """The connection, and with it what is known of the message under way."""
        self.release(due)
        sent.error = self._driven.lost(end)

    def _over(self) -> None:
        struct = self._struct
        self._messages.flights["sent_ns"] = -1
        struct.in_flight, struct.oldest_tag = 0, struct.next_tag
        struct.room_since_ns = time.monotonic_ns()


def _append(sent: Sent, sequence: int, due_ns: int, sent_ns: int, answered_ns: int) -> None:
    """One more message that was answered."""
    sent.sequence = [*sent.sequence, sequence]
    sent.due_ns = np.append(sent.due_ns, due_ns)
    sent.sent_ns = np.append(sent.sent_ns, sent_ns)
    sent.answered_ns = np.append(sent.answered_ns, answered_ns)
    sent.by_general += 1


def fast_path_sender(
    connection: Connection, operation: Operation, origin: Origin, document: Callable[[bytes], bytes]
) -> FastPathSender | str:
    """The sender, or in words why these are no messages for the core.

    :param connection: one that the core can drive
    :param document: of a message with that body
    """
    first, second = origin.bodies(0, 1)[0], origin.bodies(1, 1)[0]
    stamp_size = origin.size - len(origin.rest)
    stamp, other = first[:stamp_size], second[:stamp_size]
    made = document(first)
    places = [at for at in range(len(made)) if made.startswith(stamp, at)]
    if not 1 <= len(places) <= _MOST_PLACES:
        return f"a message has its stamp in {len(places)} places: the core writes it in 1 to {_MOST_PLACES}"
    if made.replace(stamp, other) != document(second):
        return "messages differ by more than their stamps, which is all that the core writes"
    return FastPathSender(connection, operation, origin, made, places)
