"""Worth of rates that were measured once, by how far apart two runs' rates of the same cells are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, stdev

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.drift.drift import LEAST_CELLS, Drift, Figure
from breakeven.report.drift.significance import LEAST_DEVIATION, quantile

#: what every closed loop sends is counted here; what it receives follows from it
METRIC, NAME = "produce", "msg_per_s"


@dataclass(frozen=True, slots=True)
class SingleRates:
    """Rates of one target's cells, each measured once in either run.

    :param factor: within which a rate is of what it would be on average, 95 times of 100
    :param apart: cells whose two rates are further apart than such rates are, 95 times of 100
    """

    target: str
    cells: int
    factor: float
    apart: tuple[Figure, ...]


def single_rates(drift: Drift, after: Report) -> list[SingleRates]:
    """Of each target with cells enough. Rates that were offered follow the offer, and are left out.

    That a whole run is faster than the other moves all of a target's cells alike, and is taken out.
    """
    offered = {(case.target, case.scenario, case.cell) for case in after.cases if case.parameters.get("rate")}
    rates = [
        one
        for one in drift.figures
        if (one.measure.metric, one.measure.name) == (METRIC, NAME)
        and len(one.before) == len(one.after) == 1
        and (one.measure.target, one.scenario, one.cell) not in offered
    ]
    ordered = sorted(rates, key=lambda one: one.measure.target)
    groups = [(target, list(of)) for target, of in groupby(ordered, lambda one: one.measure.target)]
    return [_of_target(target, of) for target, of in groups if len(of) >= LEAST_CELLS]


def _of_target(target: str, figures: Sequence[Figure]) -> SingleRates:
    """By Student's t: the difference of two rates varies by twice the variance of one."""
    logs = [math.log(one.ratio) for one in figures]
    middle, deviation = fmean(logs), max(stdev(logs) / math.sqrt(2), LEAST_DEVIATION)
    beyond = quantile(len(logs) - 1) * deviation
    apart = (one for one, log in zip(figures, logs, strict=True) if abs(log - middle) > beyond * math.sqrt(2))
    return SingleRates(target, len(figures), math.exp(beyond), tuple(apart))


def rate_sentences(drift: Drift, after: Report) -> list[str]:
    """A sentence a target."""
    return [_sentence(drift, one) for one in single_rates(drift, after)]


def _sentence(drift: Drift, one: SingleRates) -> str:
    name = words.labelled_target(one.target, "emulated" if one.target in drift.emulated else "measured")
    said = (
        f"{name}: as {words.plural(one.cells, 'cell')} differ between the two runs, a rate that was measured "
        f"once is within a factor of {words.figure(one.factor)} of what it would be on average (95%)"
    )
    if not one.apart:
        return f"{said}."
    places = words.listing([words.place(figure.scenario, figure.cell) for figure in one.apart])
    return f"{said}; further apart than that: {places}."
