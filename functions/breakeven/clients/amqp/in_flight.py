"""Messages that were published and are not answered, in publishing order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from breakeven.clients.amqp.events import ProtocolError
from breakeven.clients.base import STAMP_BYTES


@dataclass(slots=True)
class Run:
    """Messages that were sent together, with consecutive tags and sequences.

    ``bodies`` are the batch's, whose index ``offset`` is the first of these.
    """

    tag: int
    sequence: int
    count: int
    sent_ns: int
    bodies: Sequence[bytes]
    offset: int

    def stamps(self) -> list[bytes]:
        return [self.bodies[self.offset + index][:STAMP_BYTES] for index in range(self.count)]

    def split(self, count: int) -> Run:
        """Cut off the first ``count`` messages, which are returned."""
        first = Run(self.tag, self.sequence, count, self.sent_ns, self.bodies, self.offset)
        self.tag += count
        self.sequence += count
        self.offset += count
        self.count -= count
        return first


class InFlight:
    """Tags count from 1, as a channel's delivery tags do. Answers come mostly in order, not always.

    What is kept is a run for each batch, so that an answer to many costs as much as one to a few.
    """

    def __init__(self) -> None:
        self.next = 1  # the next message's tag
        self._runs: deque[Run] = deque()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def oldest_ns(self) -> int | None:
        """When the oldest of them was sent; None when there are none."""
        return self._runs[0].sent_ns if self._runs else None

    def add(self, sequences: Sequence[int], sent_ns: int, bodies: Sequence[bytes]) -> None:
        """A batch; ``bodies`` (or the beginnings of them) are kept until all of it is answered."""
        count = len(sequences)
        if isinstance(sequences, range) and sequences.step == 1:
            self._runs.append(Run(self.next, sequences.start, count, sent_ns, bodies, 0))
        else:
            for index, sequence in enumerate(sequences):
                self._runs.append(Run(self.next + index, sequence, 1, sent_ns, bodies, index))
        self.next += count
        self._count += count

    def runs(self) -> Sequence[Run]:
        """All of them, in the order of their tags."""
        return tuple(self._runs)

    def clear(self) -> None:
        """Somebody else keeps them from now on."""
        self._runs.clear()
        self._count = 0

    def put_back(self, runs: Iterable[Run], next_tag: int) -> None:
        """What somebody else kept meanwhile, in the order of their tags; nothing is kept here."""
        self._runs.extend(runs)
        self._count = sum(run.count for run in self._runs)
        self.next = next_tag

    def take(self, tag: int, multiple: bool) -> Sequence[Run]:
        """The messages that an answer is about: one, or with ``multiple`` all up to its tag (0: all).

        :raises ProtocolError: the tag was never published, or is answered already
        """
        runs = self._runs
        if runs and (run := runs[0]).tag + run.count - 1 == tag and (multiple or run.count == 1):
            self._count -= run.count  # by far the most answers are to a whole batch, the oldest
            return (runs.popleft(),)
        if multiple and tag == 0:
            tag = self.next - 1
        if tag >= self.next:
            raise ProtocolError(f"a confirm of message {tag}, which was not published")
        taken = list(self._up_to(tag)) if multiple else [self._one(tag)]
        for run in taken:
            self._count -= run.count
        return taken

    def _up_to(self, tag: int) -> Iterator[Run]:
        runs = self._runs
        while runs and runs[0].tag <= tag:
            count = tag - runs[0].tag + 1
            yield runs[0].split(count) if count < runs[0].count else runs.popleft()

    def _one(self, tag: int) -> Run:
        for index, run in enumerate(self._runs):
            if run.tag <= tag < run.tag + run.count:
                return self._cut(index, run, tag - run.tag)
            if run.tag > tag:
                break
        raise ProtocolError(f"a second confirm of message {tag}")

    def _cut(self, index: int, run: Run, before: int) -> Run:
        """Take out one message of a run, which ``before`` others of it precede."""
        if before:
            self._runs.insert(index, run.split(before))
            index += 1
        if run.count > 1:
            return run.split(1)
        del self._runs[index]
        return run
