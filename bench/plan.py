"""What is asked of every contender of a section alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Times:
    """Whole seconds. ``warmup_s`` (of what runs on Java) is a multiple of ``window_s``."""

    warmup_s: int
    window_s: int
    repeats: int


FULL = Times(warmup_s=20, window_s=10, repeats=7)
QUICK = Times(warmup_s=15, window_s=5, repeats=3)


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
