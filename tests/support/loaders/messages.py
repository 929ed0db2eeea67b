"""Messages by number, sent and received through a client."""

from __future__ import annotations

import time
from collections.abc import Sequence

from breakeven.clients.base import Deliveries, Outcome, Receiver, Sender
from tests.support.workflow.processes import eventually

#: seconds in which a test's broker answers: more than any needs, so that only what never comes is missed
PATIENCE_S = 60.0


def body(number: int, size: int = 16) -> bytes:
    return (b"%016d" % number).ljust(size, b".")


def send(sender: Sender, numbers: Sequence[int], size: int = 16) -> dict[int, Outcome]:
    """Submit at once, and wait until all are answered."""
    before = time.monotonic_ns()
    sender.submit(numbers, [body(number, size) for number in numbers])
    outcomes: dict[int, Outcome] = {}
    while len(outcomes) < len(numbers):
        answers = sender.poll(PATIENCE_S)
        assert answers.sequence, "an answer in time"
        for sequence, outcome, sent, answered in zip(
            answers.sequence, answers.outcome, answers.sent_ns, answers.answered_ns, strict=True
        ):
            assert before <= sent <= answered <= time.monotonic_ns()
            assert sequence not in outcomes
            outcomes[sequence] = outcome
    return outcomes


def receive(receiver: Receiver) -> Deliveries:
    """Ask until something is there."""
    found: list[Deliveries] = []
    assert eventually(lambda: found.append(receiver.receive(1.0)) or found[-1].handle, PATIENCE_S)
    return found[-1]
