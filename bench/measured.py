"""Figures of one run of one contender."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Microseconds. ``p999_us`` is None where nobody asked for it, or too few samples lie beyond."""

    p50_us: float
    p99_us: float
    p999_us: float | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one window after the warm-up. A message here is one published and, where there is a consumer,
    received and acknowledged.

    ``per_s``: messages a second. ``cpu_us``: microseconds of CPU, user and system, of the contender's
    process alone, for each ``unit`` (a message, or a call).
    """

    per_s: float
    cpu_us: float
    confirm: Percentiles | None = None
    end_to_end: Percentiles | None = None
