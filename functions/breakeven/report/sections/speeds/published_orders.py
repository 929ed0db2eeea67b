"""Published orders: what a source's charts show without figures, held against the run's own figures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from breakeven import words
from breakeven.published.rows import SOURCES, Published, PublishedOrder, Side, load_shipped
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.elements import Row, Section, Table, filled
from breakeven.report.sections.subject import Subject
from breakeven.terms import Flag, TargetName

#: by which the higher of two rates that are alike may be above the other
ALIKE = 1.1
EQUAL = (
    "Figures whose 95% intervals overlap count as equal, and as not “far” from each other; alike are those "
    "at most 10% apart. “Measured once”: without repeats there are no intervals, and the two figures are "
    "compared as they are."
)
HOLDS, NOT, SAME = "holds", "does not hold", "equal within the intervals"
UNCLEAR, ONCE = "not shown: the intervals are too wide", "measured once"
#: flags that may be why an order does not hold, and what each says of the figures
CAUSES: dict[Flag, str] = {
    "loader_saturated": "a loader was the limit of a figure, which is a lower bound",
    "busy_host": "a host was busy with something else",
    "shared_host": "loaders and brokers shared one machine, whose processors may be the limit of both",
    "emulated": "a service was emulated",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """What of a metric is compared, as query results call it, and its unit."""

    name: Literal["msg_per_s", "mean_ms"]
    unit: str
    slug: str


RATE, LATENCY = Figure("msg_per_s", "msg/s", "orders"), Figure("mean_ms", "mean ms", "orders-of-latency")


@dataclass(frozen=True, slots=True)
class Measured:
    """One cell's figure, with its 95% interval; the figure itself, where there is none."""

    value: float
    low: float
    high: float
    cases: tuple[CaseReport, ...]

    @property
    def has_interval(self) -> bool:
        return self.low < self.high

    def shown(self, figure: Figure) -> str:
        """The figure; a rate that is a lower bound says so."""
        saturated = figure is RATE and any("loader_saturated" in case.flags for case in self.cases)
        return f"{'≥ ' if saturated else ''}{words.figure(self.value)}"


def section(subject: Subject) -> Section | None:
    """None where no source has an order that the run's suite repeats."""
    report = subject.report
    if report.source:
        return None
    tables = (
        _table(report, published, figure)
        for published in _sources()
        for figure in (RATE, LATENCY)
        if _orders(report, published, figure)
    )
    return Section("orders", "Published orders", filled(*tables))


def holds(order: PublishedOrder, first: Measured, second: Measured) -> str:
    """Whether the figures are as the source says, in words."""
    overlap = first.low <= second.high and second.low <= first.high
    if order.relation == "alike":
        if max(first.value, second.value) <= ALIKE * min(first.value, second.value):
            return HOLDS
        return UNCLEAR if overlap else NOT
    if overlap:
        return NOT if order.relation == "apart" else SAME
    return HOLDS if first.value > second.value else NOT


@cache
def _sources() -> tuple[Published, ...]:
    return tuple(load_shipped(name) for name in SOURCES.values())


def _figure(order: PublishedOrder) -> Figure:
    return LATENCY if order.metric == "end_to_end" else RATE


def _orders(report: Report, published: Published, figure: Figure) -> list[PublishedOrder]:
    return [order for order in published.orders if order.suite == report.suite and _figure(order) is figure]


@dataclass(frozen=True, slots=True)
class Compared:
    """An order with the figures of both its sides; ``targets``: of whom they are."""

    order: PublishedOrder
    targets: tuple[str, str]
    first: Measured
    second: Measured

    @property
    def result(self) -> str:
        return holds(self.order, self.first, self.second)

    @property
    def cases(self) -> tuple[CaseReport, ...]:
        return (*self.first.cases, *self.second.cases)

    def row(self, figure: Figure) -> Row:
        names = dict.fromkeys(words.target_name(target) for target in self.targets)
        once = "" if self.first.has_interval and self.second.has_interval else f", {ONCE}"
        return Row(
            labels=(self.order.says, " and ".join(names)),
            cells=(self.first.shown(figure), self.second.shown(figure), f"{self.result}{once}"),
            origin=_origin(self.cases),
        )


def _table(report: Report, published: Published, figure: Figure) -> Table:
    found = [
        each for order in _orders(report, published, figure) for each in _compared(report, order, figure)
    ]
    return Table(
        slug=f"{figure.slug}-{published.id}",
        caption=f"Orders of “{published.title}” ({published.label})",
        label_titles=("The source says", "Target"),
        columns=(f"first, {figure.unit}", f"second, {figure.unit}", "in this run"),
        rows=tuple(each.row(figure) for each in found),
        notes=(EQUAL, *_why_not(found, published)),
    )


def _why_not(found: Sequence[Compared], published: Published) -> Iterator[str]:
    """What differs from the source where an order does not hold; nothing where all hold."""
    flags = {flag for each in found if each.result == NOT for case in each.cases for flag in case.flags}
    if not any(each.result == NOT for each in found):
        return
    here = [said for flag, said in CAUSES.items() if flag in flags]
    setup = {name: text for name, text in published.setup.items() if name in ("machines", "rabbitmq")}
    there = "; ".join(f"{words.setup_name(name).lower()}: {text}" for name, text in setup.items())
    differs = "; ".join([*here, "other machines and releases than the source had"])
    yield f"Where an order does not hold: {differs}. The source's {there}."


def _compared(report: Report, order: PublishedOrder, figure: Figure) -> Iterator[Compared]:
    for targets in _pairs(report, order):
        sides = zip((order.first, order.second), targets, strict=True)
        first, second = (_measured(report, order, side, target, figure) for side, target in sides)
        if first and second:
            yield Compared(order, targets, first, second)


def _pairs(report: Report, order: PublishedOrder) -> Iterator[tuple[str, str]]:
    """The targets of both sides: the same one for both, unless the order names them."""
    targets = list(dict.fromkeys(case.target for case in report.cases))
    first, second = (
        [target for target in targets if side.target in (None, target, TargetName(target).kind)]
        for side in (order.first, order.second)
    )
    if order.first.target == order.second.target:
        yield from zip(first, second, strict=True)
    else:
        yield from itertools.product(first, second)


def _measured(
    report: Report, order: PublishedOrder, side: Side, target: str, figure: Figure
) -> Measured | None:
    """The figure of the side's cell on a target; None where no case of it was measured."""
    found = [
        (case, value)
        for case in report.cases
        if case.status == "ok"
        and case.target == target
        and side.covers(case)
        and (value := _value(case, order, figure))
    ]
    if not found:
        return None
    cases = tuple(case for case, _ in found)
    for row in report.repeats:
        cell = (row.scenario, row.cell, row.target, row.metric, row.figure)
        if cell == (cases[0].scenario, cases[0].cell, target, order.metric, figure.name) and row.mean:
            return Measured(row.mean, row.interval_low or 0.0, row.interval_high or row.mean, cases)
    mean = sum(value for _, value in found) / len(found)
    return Measured(mean, mean, mean, cases)


def _origin(cases: Sequence[CaseReport]) -> str:
    return "emulated" if any(case.provenance == "emulated" for case in cases) else cases[0].provenance


def _value(case: CaseReport, order: PublishedOrder, figure: Figure) -> float | None:
    metric: Metric | None = getattr(case, order.metric)
    value: float | None = getattr(metric, figure.name) if metric else None
    return value
