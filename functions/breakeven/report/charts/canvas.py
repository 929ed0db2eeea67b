"""Parts that charts have in common: how each comes to be, and its ticks."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Any

from breakeven import words
from breakeven.report.charts.artist import svgs_of
from breakeven.report.charts.drawing import Drawing, Painter
from breakeven.report.contract.report_model import CaseReport
from breakeven.report.elements import Chart

MAX_TICKS = 7  # more round numbers than this do not fit on a phone
#: the metrics of a case that have a panel each, and how they are called there
OPERATIONS = (("produce", "Produce"), ("consume_cycle", "Consume cycle"))


def chart(
    *,
    slug: str,
    title: str,
    caption: str,
    description: str,
    heights: tuple[float, float],
    paint: Painter,
    scenario: str = "",
) -> Chart:
    """Draw both forms, or have them drawn. ``heights`` are of the wide and the narrow one, in CSS pixels."""
    return Chart(slug, title, caption, svgs_of(Drawing(slug, description, heights, paint)), scenario)


def emulated_suffix(cases: Sequence[CaseReport]) -> str:
    """For a chart's title: which of its targets are emulated."""
    names = sorted({words.target_name(case.target) for case in cases if case.provenance == "emulated"})
    return f" ({words.listing(names)}: emulated)" if names else ""


def thousands(value: float, _position: int) -> str:
    """Tick labels: 3,000; 0.5."""
    return f"{value:,.0f}" if value >= 1 and value == int(value) else f"{value:,g}"


def short(value: float, _position: int) -> str:
    """Tick labels where there is little room: 1,000; 10k; 100k."""
    return f"{value / 1000:,.0f}k" if value >= 10_000 else thousands(value, _position)


def logarithmic(values: Sequence[float]) -> tuple[float, ...]:
    """Round ticks (1, 2, 5 of a decade, or decades where it spans many) that enclose positive ``values``."""
    for steps in ((1, 2, 5), (1,)):
        exponents = range(floor(log10(min(values))), ceil(log10(max(values))) + 1)
        ticks = [step * 10.0**exponent for exponent in exponents for step in steps]
        below = max((tick for tick in ticks if tick <= min(values)), default=ticks[0])
        above = min((tick for tick in ticks if tick >= max(values)), default=ticks[-1])
        found = tuple(tick for tick in ticks if below <= tick <= above)
        if len(found) <= MAX_TICKS:
            break
    return found


def rates(axis: Any, *, narrow: bool) -> None:
    """The axis of every chart about money: messages a second, logarithmic."""
    axis.set(xscale="log", xlabel="messages a second, monthly mean")
    axis.minorticks_off()
    axis.xaxis.set_major_formatter(short if narrow else thousands)


def usd(value: float, _position: int) -> str:
    """Tick labels in dollars: $1,000; $0.10."""
    return f"${value:,.0f}" if value >= 1 else f"${value:,.2f}"
