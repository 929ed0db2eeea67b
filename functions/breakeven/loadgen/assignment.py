"""Work of one loader, as its event gives it."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.workload.case import Case


@dataclass(frozen=True, slots=True)
class Assignment:
    """``loader``: this one's number, from 0; ``queues``: what the client knows the case's queues by."""

    case: Case
    attempt: int
    loader: int
    queues: tuple[str, ...]

    def mine(self, workers: int) -> range:
        """The numbers of this loader's workers among all of the case's: every n-th is its own.

        Producers and consumers of one number share a loader and a queue, so that with several queues, too,
        a loader gets messages of its own back: only of these it can tell the latency end to end.
        """
        return range(self.loader, workers, self.case.loaders)

    def queue(self, number: int) -> str:
        """The queue of the worker with that number."""
        return self.queues[number % len(self.queues)]

    def prefill(self, number: int) -> int:
        """How many messages the worker with that number loads beforehand.

        Each queue gets as many as the next, and each of its workers that send loads as many as the next; what
        is left over goes to the first.
        """
        work, queues = self.case.workload, len(self.queues)
        place, number_there = number % queues, number // queues
        of_queue = _part(work.prefill, queues, place)
        return _part(of_queue, len(range(place, work.senders, queues)), number_there)

    def share(self, producer: int) -> int:
        """How many of the messages to load are that producer's."""
        return _part(self.case.workload.messages or 0, self.case.workload.producers, producer)


def _part(whole: int, parts: int, place: int) -> int:
    """Of a whole that is divided into parts which differ by one at most, the first of them the larger."""
    each, rest = divmod(whole, parts)
    return each + (place < rest)
