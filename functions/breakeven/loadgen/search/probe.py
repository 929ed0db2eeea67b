"""Outcome of one rate of a capacity search, and the rates that bound the capacity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from breakeven.loadgen.case_figures import ProbeReport


class Probe(ProbeReport):
    """One rate that was tried, in its stage."""

    stage: str


P = TypeVar("P", bound=ProbeReport)


def decisive(probes: Iterable[P]) -> list[P]:
    """Those whose rates are held or not: all but short ones, which only said where to look."""
    return [probe for probe in probes if not probe.scouts]


def best(probes: Sequence[P]) -> P | None:
    """The one of the highest rate that was held, and was not found wanting when it was to be confirmed."""
    wanting = min((probe.rate for probe in probes if probe.confirms and not probe.held), default=math.inf)
    held = (probe for probe in decisive(probes) if probe.held and probe.rate < wanting)
    return max(held, key=lambda probe: (probe.rate, bool(probe.confirms)), default=None)


def held_rate(probes: Sequence[P]) -> float | None:
    """The highest rate that was held, messages a second; None: none was searched for or held."""
    found = best(probes)
    return found.rate if found else None


def confirmed_s(probes: Sequence[P]) -> float | None:
    """How long that rate was held once it was found, seconds; None: it was not asked for, or not held."""
    found = best(probes)
    return found.for_s if found and found.confirms else None


def not_confirmed(probes: Sequence[P]) -> list[P]:
    """Those that were to confirm a rate and did not hold it, from the lowest rate on."""
    return sorted(
        (probe for probe in probes if probe.confirms and not probe.held), key=lambda probe: probe.rate
    )


def bound(probes: Sequence[P]) -> P | None:
    """The one of the lowest rate that was not held, of those above the highest that was: its last try."""
    held = best(probes)
    failed = (probe for probe in decisive(probes) if not probe.held)
    above = [probe for probe in failed if held is None or probe.rate > held.rate]
    return min(reversed(above), key=lambda probe: probe.rate, default=None)
