"""Settings that every contender of a section has alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from breakeven.targets.catalog import PAIR, TRIO
from breakeven.terms import TargetName


@dataclass(frozen=True, slots=True)
class Times:
    """Whole seconds. ``warmup_s`` (of what runs on Java) is a multiple of ``window_s``."""

    warmup_s: int
    window_s: int
    repeats: int


@dataclass(frozen=True, slots=True)
class Ours:
    """Our loader as a contender. ``checkout``: another checkout whose code is to run; None for this one's."""

    client: Literal["native", "pika"] = "native"
    checkout: Path | None = None


#: contender -> which of ours it is; None for PerfTest
Contenders = Mapping[str, Ours | None]

FULL = Times(warmup_s=16, window_s=8, repeats=7)
QUICK = Times(warmup_s=15, window_s=5, repeats=3)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a section runs: on so many nodes of the RabbitMQ that a target is meant for.

    ``arguments``: with which the queue is declared.
    """

    nodes: int
    target: TargetName
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def declared(self, load: Load) -> dict[str, Any]:
        """With which the queue of such a load is declared; whoever declares it again must say the same."""
        return {**self.arguments, **({"x-max-length": load.max_length} if load.max_length else {})}


CLASSIC, MIRRORED = Setting(1, PAIR), Setting(2, PAIR)
#: the queue's leader is on the node to which every contender connects
QUORUM = Setting(
    3,
    TRIO,
    {
        "x-queue-type": "quorum",
        "x-quorum-initial-group-size": 3,
        "x-queue-leader-locator": "client-local",
    },
)


@dataclass(frozen=True, slots=True)
class Load:
    """One producer, and one consumer where ``consumes``, on one queue of RabbitMQ.

    ``window``: messages without an answer, and the consumer's prefetch. ``rate``: msg/s, None for as fast as
    it goes; ``warm_rate``: of the warm-up before. ``max_length``: of a queue that nobody consumes from.
    """

    consumes: bool = True
    confirms: bool = True
    rate: int | None = None
    warm_rate: int = 0
    max_length: int | None = None
    window: int = 200
    message_bytes: int = 1024
