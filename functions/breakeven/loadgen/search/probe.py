"""What came of one rate of a capacity search."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven.loadgen.case_figures import ProbeReport


class Probe(ProbeReport):
    """One rate that was tried, in its stage."""

    stage: str


def best(probes: Iterable[Probe]) -> Probe | None:
    """The one of the highest rate that was held."""
    return max((probe for probe in probes if probe.held), key=lambda probe: probe.rate, default=None)


def bound(probes: Iterable[Probe]) -> Probe | None:
    """The one of the lowest rate that was not held."""
    return min((probe for probe in probes if not probe.held), key=lambda probe: probe.rate, default=None)
