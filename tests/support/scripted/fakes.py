"""An in-memory broker with programmable faults, a client for it, and a short case to run on it."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from breakeven.clients.base import (
    STAMP_BYTES,
    Answers,
    CallFailed,
    ConnectionLost,
    Deliveries,
    Outcome,
    Settled,
)
from breakeven.loadgen.ledger.stamp import StampReader
from breakeven.workload.case import Case
from tests.support.cases import case_with, workload_with

TAG = "test"
#: one message: producer, sequence
Origin = tuple[int, int]


def make_case(
    *, loaders: int = 1, limit_s: float = 60.0, start_deadline_s: float = 10.0, **workload: Any
) -> Case:
    """A short case; keywords are the workload's fields."""
    short = {"message_bytes": 64, "warmup_s": 0.05, "measure_s": 0.3, "drain_s": 10.0}
    return case_with(
        workload_with(**{**short, **workload}),
        case_id="scenario.cell.target.r1",
        tag=TAG,
        loaders=loaders,
        start_deadline_s=start_deadline_s,
        expected_s=10.0,
        limit_s=limit_s,
    )


@dataclass
class Faults:
    """What goes wrong, by message. Each happens once."""

    drop: set[Origin] = field(default_factory=set)  # confirmed, never stored
    duplicate: set[Origin] = field(default_factory=set)  # stored twice
    reorder: set[Origin] = field(default_factory=set)  # stored after the same producer's next message
    outcome: dict[Origin, Outcome] = field(default_factory=dict)  # answered so, and not stored
    fail: dict[Origin, str] = field(default_factory=dict)  # the call fails with this code; not stored
    cut: set[Origin] = field(default_factory=set)  # stored, then the connection is lost before the answer
    settle_fails: list[str] = field(default_factory=list)  # codes of the next settlements
    receive_fails: list[Exception] = field(default_factory=list)  # raised by the next asks


@dataclass
class _Message:
    body: bytes
    redelivered: bool = False


class FakeBroker:
    """Queues in memory. ``down``: nobody can connect, and every connection is gone. ``silent``: nobody hears
    what became of a publish.
    """

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults()
        self.down, self.silent = threading.Event(), threading.Event()
        self.unsettled = 0
        self._queues: dict[str, deque[_Message]] = {}
        self._held: dict[int, tuple[str, bytes]] = {}
        self._reader = StampReader(TAG)
        self._lock = threading.Lock()

    def put(self, queue: str, body: bytes) -> Outcome:
        """A publish. Raises what the faults say."""
        origin = self._reader.read(body[:STAMP_BYTES])
        with self._lock:
            if origin is None:
                self._store(queue, body)
                return Outcome.CONFIRMED
            return self._publish(queue, body, origin)

    def take(self, queue: str) -> _Message | None:
        with self._lock:
            waiting = self._queues.get(queue)
            if not waiting:
                return None
            self.unsettled += 1
            return waiting.popleft()

    def give_back(self, queue: str, messages: Sequence[_Message]) -> None:
        with self._lock:
            for message in reversed(messages):
                message.redelivered = True
                self._queues[queue].appendleft(message)
            self.unsettled -= len(messages)

    def settled(self) -> None:
        with self._lock:
            self.unsettled -= 1

    def depth(self) -> int:
        with self._lock:
            return sum(len(waiting) for waiting in self._queues.values()) + self.unsettled

    def _publish(self, queue: str, body: bytes, origin: Origin) -> Outcome:
        faults = self.faults
        if code := faults.fail.pop(origin, None):
            raise CallFailed(code)
        if outcome := faults.outcome.pop(origin, None):
            return outcome
        if origin in faults.drop:
            return Outcome.CONFIRMED
        if origin in faults.reorder:
            self._held[origin[0]] = (queue, body)
            return Outcome.CONFIRMED
        self._store(queue, body)
        if origin in faults.duplicate:
            self._store(queue, body)
        if held := self._held.pop(origin[0], None):
            self._store(*held)
        if origin in faults.cut:
            faults.cut.discard(origin)
            raise ConnectionLost("cut by the test")
        return Outcome.CONFIRMED

    def _store(self, queue: str, body: bytes) -> None:
        self._queues.setdefault(queue, deque()).append(_Message(body))


class _Connection:
    def __init__(self, broker: FakeBroker, queue: str) -> None:
        self.broker, self.queue = broker, queue
        self.check()

    def check(self) -> None:
        if self.broker.down.is_set():
            raise ConnectionLost("the fake broker is down")


class FakeSender(_Connection):
    def __init__(self, client: FakeClient, queue: str) -> None:
        super().__init__(client.broker, queue)
        self._client = client
        self._answers: list[tuple[int, Outcome, int, int]] = []

    def submit(self, sequences: Sequence[int], bodies: Sequence[bytes]) -> None:
        self.check()
        for taken, (sequence, body) in enumerate(zip(sequences, bodies, strict=True)):
            sent_ns = time.monotonic_ns()
            time.sleep(self._client.answer_s)
            try:
                outcome = self.broker.put(self.queue, body)
            except CallFailed as error:
                raise CallFailed(error.code, taken) from error
            if not self._client.confirms:
                outcome = Outcome.UNKNOWN
            self._answers.append((sequence, outcome, sent_ns, time.monotonic_ns()))

    def poll(self, timeout_s: float) -> Answers:
        self.check()
        if self.broker.silent.is_set() or not self._answers:
            time.sleep(min(timeout_s, 0.001))
            self.check()
            return Answers((), (), (), ())
        answers, self._answers = self._answers, []
        sequence, outcome, sent_ns, answered_ns = zip(*answers, strict=True) if answers else ((),) * 4
        return Answers(sequence, outcome, sent_ns, answered_ns)

    def close(self) -> None:
        self._client.closed += 1


class FakeReceiver(_Connection):
    def __init__(self, client: FakeClient, queue: str) -> None:
        super().__init__(client.broker, queue)
        self._client = client
        self._in_hand: dict[object, _Message] = {}
        self._handles = itertools.count()

    def receive(self, timeout_s: float) -> Deliveries:
        self.check()
        if self.broker.faults.receive_fails:
            raise self.broker.faults.receive_fails.pop()
        asked_ns = -1 if self._client.push else time.monotonic_ns()
        time.sleep(self._client.answer_s)
        message = self.broker.take(self.queue)
        if message is None:
            if self._client.push:
                time.sleep(min(timeout_s, 0.005))
                return Deliveries((), (), (), (), ())
            return Deliveries((), (), (), (), (), empty=((asked_ns, time.monotonic_ns()),))
        handle = next(self._handles)
        self._in_hand[handle] = message
        stamp = message.body[:STAMP_BYTES]
        return Deliveries((stamp,), (asked_ns,), (time.monotonic_ns(),), (message.redelivered,), (handle,))

    def settle(self, handles: Sequence[object]) -> Settled:
        self.check()
        if self.broker.faults.settle_fails:
            raise CallFailed(self.broker.faults.settle_fails.pop())
        called_ns = time.monotonic_ns()
        for handle in handles:
            del self._in_hand[handle]
            self.broker.settled()
        replied_ns = time.monotonic_ns() if self._client.replies else -1
        return Settled(tuple(handles), (called_ns,) * len(handles), (replied_ns,) * len(handles))

    def close(self) -> None:
        self._client.closed += 1
        self.broker.give_back(self.queue, list(self._in_hand.values()))


class FakeClient:
    """``replies``: settlements are answered, as SQS does; ``answer_s``: how long a call takes."""

    name = "fake"

    def __init__(
        self,
        broker: FakeBroker,
        *,
        push: bool = False,
        replies: bool = False,
        confirms: bool = True,
        answer_s: float = 0.0005,
    ) -> None:
        self.broker, self.push, self.replies = broker, push, replies
        self.confirms, self.answer_s = confirms, answer_s
        self.opened = self.closed = 0

    def sender(self, queue: str) -> FakeSender:
        sender = FakeSender(self, queue)
        self.opened += 1
        return sender

    def receiver(self, queue: str) -> FakeReceiver:
        receiver = FakeReceiver(self, queue)
        self.opened += 1
        return receiver

    def close(self) -> None:
        return
