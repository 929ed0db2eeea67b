"""What came of one rate of a capacity search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Probe:
    """One rate that was tried. Rates are messages a second; ``reason``: why it was not held."""

    number: int
    stage: str
    rate: float
    offered: int
    achieved: int
    backlog_per_s: float | None
    backlog_per_s_high: float | None
    end_to_end_p99_ms: float | None
    held: bool
    reason: str | None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Probe:
        return cls(**document)


def best(probes: Iterable[Probe]) -> Probe | None:
    """The one of the highest rate that was held."""
    return max((probe for probe in probes if probe.held), key=lambda probe: probe.rate, default=None)


def bound(probes: Iterable[Probe]) -> Probe | None:
    """The one of the lowest rate that was not held."""
    return min((probe for probe in probes if not probe.held), key=lambda probe: probe.rate, default=None)
