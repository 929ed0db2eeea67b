"""Faults of calls that are under way: which calls meet them, and how many have."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from breakeven.workload.service_faults import EXCLUSIVE, CallKind, ServiceFault, ServiceFaultKind
from local.servers.proxy.sqs_calls import COPY, Json, SqsCall

RECEIVE_COUNT = "ApproximateReceiveCount"


@dataclass(slots=True)
class Injection:
    """One fault under way on a case's queues, by their names. ``seen``: calls that could have met it, or of a
    duplicate messages that were handed out; ``injected``: those that did, or copies that were handed out.
    """

    fault: ServiceFault
    queues: frozenset[str]
    ends_s: float  # monotonic
    seen: int = 0
    injected: Counter[CallKind] = field(default_factory=Counter)
    copies: deque[tuple[str, Json]] = field(default_factory=deque)
    dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.fault.seed)  # noqa: S311  # chooses calls, nothing secret

    def concerns(self, call: SqsCall) -> bool:
        return call.kind in self.fault.calls and call.queue in self.queues and time.monotonic() < self.ends_s

    def draw(self) -> bool:
        """Does the next one meet it?"""
        self.seen += 1
        return self.dice.random() * 100 < self.fault.percent


class Injections:
    """All of a proxy's, by name. Of one thread."""

    def __init__(self) -> None:
        self._by_name: dict[str, Injection] = {}
        self._numbers = itertools.count(1)

    def __bool__(self) -> bool:
        """Is any under way, or not ended yet?"""
        return bool(self._by_name)

    def begin(self, name: str, fault: ServiceFault, queues: frozenset[str]) -> None:
        self._by_name[name] = Injection(fault, queues, time.monotonic() + fault.for_s)

    def end(self, name: str) -> Injection:
        """Copies that nobody has been handed are handed to nobody. Raises KeyError: there is none."""
        return self._by_name.pop(name)

    def delay_s(self, call: SqsCall) -> float:
        """By how much it is to be passed on later."""
        return sum((each.fault.delay_ms or 0.0) / 1e3 for each in self._met("delay", call))

    def fate(self, call: SqsCall) -> ServiceFault | None:
        """What becomes of it instead of an answer."""
        kinds = sorted(EXCLUSIVE)
        return next((each.fault for kind in kinds for each in self._met(kind, call)), None)

    def copy(self, call: SqsCall) -> Json | None:
        """A message that is to be handed out once more, to whoever made this call."""
        if call.kind != "receive":
            return None
        for each in self._concerning("duplicate", call):
            for index, (queue, message) in enumerate(each.copies):
                if queue == call.queue:
                    del each.copies[index]
                    each.injected["receive"] += 1
                    return message
        return None

    def handed_out(self, call: SqsCall, answer: Json) -> None:
        """Of these messages some are to be handed out once more."""
        if call.kind != "receive":
            return
        messages = [each for each in answer.get("Messages") or () if isinstance(each, dict)]
        for each in self._concerning("duplicate", call):
            each.copies.extend((call.queue, self._copy_of(message)) for message in messages if each.draw())

    def _met(self, kind: ServiceFaultKind, call: SqsCall) -> Iterator[Injection]:
        """Counted as it is drawn."""
        for each in self._concerning(kind, call):
            if each.draw():
                each.injected[call.kind] += 1
                yield each

    def _concerning(self, kind: ServiceFaultKind, call: SqsCall) -> list[Injection]:
        return [each for each in self._by_name.values() if each.fault.kind == kind and each.concerns(call)]

    def _copy_of(self, message: Json) -> Json:
        """As a server has it that has not heard of the first delivery: it was never received."""
        handle = f"{COPY}{next(self._numbers)}-{message.get('ReceiptHandle', '')}"
        attributes = message.get("Attributes")
        copy = {**message, "ReceiptHandle": handle}
        if isinstance(attributes, dict) and RECEIVE_COUNT in attributes:
            copy["Attributes"] = {**attributes, RECEIVE_COUNT: "1"}
        return copy
