"""What one loader is given to do."""

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

    def share(self, producer: int) -> int:
        """How many of the messages to load are that producer's."""
        each, rest = divmod(self.case.workload.messages or 0, self.case.workload.producers)
        return each + (producer < rest)
