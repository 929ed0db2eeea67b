"""Weather of SQS: what ``sqs_proxy`` does to calls of the server that stands for it, as Amazon's may answer.

Each kind, which is counted by queue, and where it is documented:

* ``empty receive``: a short poll finds nothing in a queue that is not empty, as it asks some of the servers
  only. "Amazon SQS short and long polling", Amazon SQS Developer Guide.
* ``duplicate``: a message is delivered once more, whether it was deleted or not. "At-least-once delivery",
  same guide; counted when the second copy is handed out whole.
* ``hidden``: the answer to a receive is lost, and its messages are not seen again before their visibility
  timeout is over. "Amazon SQS visibility timeout", same guide; each message counts.
* ``stale count``: the three approximate numbers are those of some seconds ago. GetQueueAttributes, Amazon SQS
  API Reference: they may not be consistent for a minute.
* ``unknown queue``: a queue is not there for the second after it was made. CreateQueue, same reference.
* ``throttled``, ``broken``: a receive or a deletion is not carried out. "Common errors", same reference.
* ``refused send``: the same of a send; its message was never there.
* ``lost send``, ``lost delete``: carried out, and reset in the middle of the answer.
* ``failed entry``: an entry of a batch is not carried out, which is the service's fault; of every few such
  calls, one entry. ``refused entry``: the same, and the sender's; only of sends. Both in ``BATCH_KINDS``.
  "SendMessageBatch" and "BatchResultErrorEntry", same reference.
* ``closed``: the connection is closed after an answer, with ``Connection: close``.
* ``idle close``: one that nobody has used for a second is closed without a word.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from tests.support.weather.weather import Chances

EMPTY, DUPLICATE, HIDDEN, STALE = "empty receive", "duplicate", "hidden", "stale count"
NO_QUEUE, THROTTLED, BROKEN = "unknown queue", "throttled", "broken"
REFUSED_SEND, LOST_SEND, LOST_DELETE = "refused send", "lost send", "lost delete"
CLOSED, IDLE = "closed", "idle close"
FAILED_ENTRY, REFUSED_ENTRY = "failed entry", "refused entry"
KINDS = frozenset(
    {EMPTY, DUPLICATE, HIDDEN, STALE, NO_QUEUE, THROTTLED, BROKEN}
    | {REFUSED_SEND, LOST_SEND, LOST_DELETE, CLOSED, IDLE}
)
BATCH_KINDS = frozenset({FAILED_ENTRY, REFUSED_ENTRY})
SEND = {"SendMessage", "SendMessageBatch"}
DELETE = {"DeleteMessage", "DeleteMessageBatch"}
RECEIVE, RECEIVE_COUNT = "ReceiveMessage", "ApproximateReceiveCount"
UNKNOWN_S, STALE_S, IDLE_S = 1.0, 5.0, 1.0
#: answers with messages from one that is delivered again to the next
COPY_EVERY = 5
#: of the receipt handles of copies, which the server behind knows nothing of
COPY = "copy-"
#: code, status, and the name that older clients are given ("query mode")
REFUSALS = {
    NO_QUEUE: ("QueueDoesNotExist", 400, "AWS.SimpleQueueService.NonExistentQueue;Sender"),
    THROTTLED: ("ThrottlingException", 400, "RequestThrottled;Sender"),
    BROKEN: ("ServiceUnavailable", 503, "ServiceUnavailable;Receiver"),
}
ENTRY_CODES = {FAILED_ENTRY: "InternalError", REFUSED_ENTRY: "InvalidMessageContents"}
COUNTS = "ApproximateNumberOfMessages"
Json = dict[str, Any]


class SqsWeather(Chances):
    """What befalls queues, by their names.

    :param most: of each kind that loses messages for a while, on each queue
    """

    def __init__(self, seed: int, kinds: Collection[str] = KINDS, share: float = 0.02, most: int = 3) -> None:
        super().__init__(seed, kinds, share)
        self._most = most
        self._made: dict[str, float] = {}
        self._copies: dict[str, list[Json]] = defaultdict(list)
        self._answers: Counter[str] = Counter()
        self._hidden: set[str] = set()
        self._read: dict[str, list[tuple[float, Json]]] = defaultdict(list)

    def idle_s(self) -> float | None:
        """Seconds after which a connection is closed that nobody uses."""
        return IDLE_S if IDLE in self._kinds else None

    def refusal(self, operation: str, queue: str) -> str | None:
        """The kind of it, where the call is not to be carried out."""
        if time.monotonic() < self._made.get(queue, 0.0) and operation not in {"CreateQueue", "TagQueue"}:
            self.count(NO_QUEUE, queue)
            return NO_QUEUE
        if operation in SEND:
            return THROTTLED if self.befalls(REFUSED_SEND, queue, self._most) else None
        if operation in DELETE | {RECEIVE}:
            return next((kind for kind in (THROTTLED, BROKEN) if self.befalls(kind, queue)), None)
        return None

    def failing(self, operation: str, entries: list[Json], queue: str) -> list[Json]:
        """Entries of an answer's ``Failed``, which are not to be carried out: at most one of each batch."""
        for kind in (FAILED_ENTRY, REFUSED_ENTRY):
            if kind is REFUSED_ENTRY and operation not in SEND:
                continue
            if self.befalls(kind, queue):
                fault, code = kind is REFUSED_ENTRY, ENTRY_CODES[kind]
                return [{"Id": entries[0]["Id"], "Code": code, "SenderFault": fault}]
        return []

    def comes_up_empty(self, asked: Json, queue: str) -> bool:
        return not asked.get("WaitTimeSeconds") and self.befalls(EMPTY, queue)

    def made(self, queue: str) -> None:
        if NO_QUEUE in self._kinds and queue not in self._made:
            self._made[queue] = time.monotonic() + UNKNOWN_S

    def copy(self, queue: str) -> Json | None:
        """The answer to a receive that is one message once more, where one is due."""
        with self._lock:
            if not self._copies[queue]:
                return None
            message = self._copies[queue].pop()
        self.count(DUPLICATE, queue)
        handle, attributes = COPY + message["ReceiptHandle"], message.get("Attributes", {})
        first = {name: "1" if name == RECEIVE_COUNT else value for name, value in attributes.items()}
        return {"Messages": [{**message, "ReceiptHandle": handle, "Attributes": first}]}

    def received(self, answer: Json, queue: str) -> None:
        """Note what is to be delivered again: of every few answers with messages one, as long as it may."""
        messages = answer.get("Messages") or []
        if not messages or DUPLICATE not in self._kinds:
            return
        with self._lock:
            self._answers[queue] += 1
            number, rest = divmod(self._answers[queue] - 1, COPY_EVERY)
            if not rest and number < self._most:
                self._copies[queue].append(messages[0])

    def loses(self, operation: str, answer: Json, queue: str) -> bool:
        """Whether the connection is reset in the middle of this answer."""
        if operation in SEND:
            return self.befalls(LOST_SEND, queue, self._most)
        if operation in DELETE:
            return self.befalls(LOST_DELETE, queue)
        messages = {str(message["MessageId"]) for message in answer.get("Messages") or []}
        # once each, so that as many come again as were hidden
        if operation != RECEIVE or not messages or messages & self._hidden:
            return False
        if not self.befalls(HIDDEN, queue, self._most):
            return False
        with self._lock:
            self._hidden |= messages
            self.counts[queue][HIDDEN] += len(messages) - 1
        return True

    def counted(self, answer: Json, queue: str) -> Json:
        """GetQueueAttributes: the newest reading that is old enough, or the first that there was."""
        now, attributes = time.monotonic(), answer.get("Attributes", {})
        if STALE not in self._kinds or not any(name.startswith(COUNTS) for name in attributes):
            return answer
        with self._lock:
            readings = self._read[queue]
            readings.append((now, attributes))
            old = [each for at, each in readings if now - at >= STALE_S]
            stale = old[-1] if old else readings[0][1]
            if stale != attributes:
                self.counts[queue][STALE] += 1
        return {**answer, "Attributes": stale}
