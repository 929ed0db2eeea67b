"""What came of one rate of a capacity search, and which rates bound the capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from breakeven.loadgen.case_figures import ProbeReport


class Probe(ProbeReport):
    """One rate that was tried, in its stage."""

    stage: str


P = TypeVar("P", bound=ProbeReport)


def best(probes: Sequence[P]) -> P | None:
    """The one of the highest rate that was held."""
    return max((probe for probe in probes if probe.held), key=lambda probe: probe.rate, default=None)


def bound(probes: Sequence[P]) -> P | None:
    """The one of the lowest rate that was not held, of those above the highest that was: its last try."""
    held = best(probes)
    above = [probe for probe in probes if not probe.held and (held is None or probe.rate > held.rate)]
    return min(reversed(above), key=lambda probe: probe.rate, default=None)
