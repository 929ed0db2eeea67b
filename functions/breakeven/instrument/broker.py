"""Queues that treat each message as the program says, whatever protocol it came by."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from breakeven.instrument.fates import Fate, fates
from breakeven.instrument.latencies import shuffled_ns
from breakeven.instrument.notes import Notes
from breakeven.instrument.pace import Pacer, Stalls
from breakeven.instrument.program import Program

#: of the ledger's stamp, which every body begins with: run tag and producer
PRODUCER_BYTES = 7
#: a message that waits for a later one of its producer goes by itself once nothing was published for so long
QUIET_NS = 200_000_000


@dataclass(slots=True, eq=False)
class Message:
    """``number``: of its arrival, from 0; ``properties``: what its protocol keeps beside the body."""

    number: int
    body: bytes
    properties: bytes
    is_copy: bool = False
    receives: int = 0


class Consumer(Protocol):
    """Waits for messages: a consumer to push to, or a poll that is still open.

    ``key``: whose order counts; the same for all polls of one receiver.
    """

    @property
    def key(self) -> object: ...

    @property
    def wants(self) -> bool:
        """Is there room for one more message?"""

    def hand(self, message: Message) -> None:
        """Take a message, to be delivered when its time has come."""


class Published(NamedTuple):
    """What becomes of a message, and when its sender is to be answered."""

    fate: Fate | None
    due_ns: int


class Queue:
    """First in, first out, but for those that are to come behind a later one of their producer.

    Such a one is *held* until a later one has been delivered, and is then the next delivery to that same
    consumer: so it is out of order for it, however many consumers there are.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._ready: deque[Message] = deque()
        self._held: dict[bytes, list[Message]] = {}
        self._behind: dict[object, deque[Message]] = {}
        self._waiting: list[Consumer] = []
        self._changed_ns = 0

    def __len__(self) -> int:
        others = (*self._held.values(), *self._behind.values())
        return len(self._ready) + sum(map(len, others))

    def add(self, message: Message, fate: Fate | None, now_ns: int) -> None:
        self._changed_ns = now_ns
        if fate is Fate.REORDERED:
            self._held.setdefault(message.body[:PRODUCER_BYTES], []).append(message)
            return
        self._ready.append(message)
        if fate is Fate.DUPLICATED:
            self._ready.append(Message(message.number, message.body, message.properties, is_copy=True))
        self.pump()

    def take(self, key: object) -> Message | None:
        """The next message for a receiver; None when there is none now."""
        if behind := self._behind.get(key):
            message = behind.popleft()
            self._notes.did(Fate.REORDERED)
        elif self._ready:
            message = self._ready.popleft()
            if message.is_copy and not message.receives:
                self._notes.did(Fate.DUPLICATED)
            elif self._held and not message.receives:
                self._bring_behind(message, key)
        elif self._held and time.monotonic_ns() - self._changed_ns > QUIET_NS:
            self._release_held()
            return self.take(key)
        else:
            return None
        message.receives += 1
        return message

    def put_back(self, message: Message) -> None:
        """To where it was, as far as those before it are still there."""
        later = (index for index, other in enumerate(self._ready) if other.number > message.number)
        self._ready.insert(next(later, len(self._ready)), message)
        self.pump()

    def wait(self, consumer: Consumer) -> None:
        """Hand messages to the consumer whenever there are any and it wants them."""
        self._waiting.append(consumer)
        self.pump()

    def forget(self, consumer: Consumer) -> None:
        """The consumer waits no more."""
        self._waiting = [other for other in self._waiting if other is not consumer]

    def leave(self, key: object) -> None:
        """The receiver is gone: what only it was to get goes to anyone."""
        if behind := self._behind.pop(key, None):
            self._ready.extendleft(reversed(behind))
            self.pump()

    def pump(self) -> None:
        """One message to each that waits, in turn, as long as there are any."""
        moved = bool(self._waiting)
        while moved:
            moved = False
            for consumer in tuple(self._waiting):
                if consumer.wants and (message := self.take(consumer.key)):
                    consumer.hand(message)
                    moved = True

    def _bring_behind(self, message: Message, key: object) -> None:
        producer = message.body[:PRODUCER_BYTES]
        held = self._held.get(producer, ())
        earlier = [one for one in held if one.number < message.number]
        if not earlier:
            return
        self._behind.setdefault(key, deque()).extend(earlier)
        later = [one for one in held if one.number > message.number]
        if later:
            self._held[producer] = later
        else:
            del self._held[producer]

    def _release_held(self) -> None:
        """Nothing came for them to be put behind: they are delivered, and not counted as reordered."""
        self._ready.extend(sorted((m for held in self._held.values() for m in held), key=lambda m: m.number))
        self._held.clear()


class Broker:
    """All queues of one program; one that nobody declared is there all the same."""

    def __init__(self, program: Program) -> None:
        self.notes = Notes()
        self.stalls = Stalls(program.stalls)
        self._fates = fates(program)
        self._queues: dict[str, Queue] = {}
        self._published = 0
        self._confirms = Pacer(
            self.stalls,
            program.messages_per_s,
            shuffled_ns(program.publish, program.messages, f"{program.seed}/publish"),
        )
        self._deliveries = Pacer(
            self.stalls,
            program.messages_per_s,
            shuffled_ns(program.deliver, program.deliveries, f"{program.seed}/deliver"),
        )

    def queue(self, name: str) -> Queue:
        found = self._queues.get(name)
        if found is None:
            found = self._queues[name] = Queue(self.notes)
        return found

    def delete(self, name: str) -> int:
        """How many messages went with it."""
        return len(self._queues.pop(name, ()))

    def leave(self, key: object) -> None:
        """A receiver is gone from all queues."""
        for queue in self._queues.values():
            queue.leave(key)

    def publish(self, queue: str, body: bytes, properties: bytes, now_ns: int) -> Published:
        """A message that arrived now."""
        if not self._published:
            self.stalls.start(now_ns)
        number, self._published = self._published, self._published + 1
        fate = self._fates.get(number)
        due_ns = self._confirms.due_ns(now_ns)
        if fate in (Fate.LOST, Fate.RETURNED, Fate.NACKED):
            self.notes.did(fate)
        else:
            self.queue(queue).add(Message(number, body, properties), fate, now_ns)
        return Published(fate, due_ns)

    def delivery_due_ns(self, now_ns: int) -> int:
        """When a message that was asked for (or could be pushed) now is to be delivered."""
        return self._deliveries.due_ns(now_ns)
