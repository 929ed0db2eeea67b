"""Levels of the figures over the runs of a suite, with their change points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart
from breakeven.report.charts.drawing import MUTED, Form
from breakeven.report.drift.comparable_runs import SuiteRun
from breakeven.report.drift.drift import CAPACITY
from breakeven.report.drift.trend import Series, Trend
from breakeven.report.elements import Chart

#: what is drawn, the others being in the table: a chart for each, with the metrics of its panels
DRAWN = {
    "msg_per_s": ("Rates", ("produce", "consume_cycle", CAPACITY)),
    "p99_ms": ("Latencies, p99", ("produce", "consume_cycle", "end_to_end")),
}
SHADED = " A run whose self-test failed is shaded: its levels are not to be relied on."
#: dates on the axis
MOST_DATES = 6


def trends(trend: Trend) -> Iterator[Chart]:
    """None of a single run."""
    for name, (title, metrics) in DRAWN.items():
        of_name = [one for one in trend.series if one.measure.name == name]
        panels = [
            (metric, lines)
            for metric in metrics
            if (lines := [one for one in of_name if one.measure.metric == metric])
        ]
        if panels and len(trend.runs) > 1:
            yield _chart(trend, name, title, panels)


def _chart(trend: Trend, name: str, title: str, panels: Sequence[tuple[str, list[Series]]]) -> Chart:
    dates = _names(trend.runs)

    return chart(
        slug=f"trend-{name.replace('_', '-')}",
        title=f"{title} over the runs",
        caption="The geometric mean over all cells of a target, as a percentage of the first run. A dotted "
        f"line stands before the run from which on a figure is another.{SHADED if trend.doubted else ''}",
        description="; ".join(_spoken(one) for _, lines in panels for one in lines),
        heights=(380, 260 * len(panels) + 60),
        paint=partial(_paint, trend, panels, dates),
    )


def _paint(
    trend: Trend, panels: Sequence[tuple[str, list[Series]]], dates: Sequence[str], figure: Any, form: Form
) -> None:
    step = -(-len(dates) // MOST_DATES)
    points = {(point.measure, point.run) for point in trend.points}
    shape = (len(panels), 1) if form.narrow else (1, len(panels))
    axes = figure.subplots(*shape, sharey=True, squeeze=False).flat
    for axis, (metric, lines) in zip(axes, panels, strict=True):
        for one in lines:
            percent = [level and level * 100 for level in one.levels]
            axis.plot(range(len(dates)), percent, **marks.series(one.measure.target, one.provenance))
            for run in (run for measure, run in sorted(points, key=str) if measure == one.measure):
                axis.axvline(run - 0.5, color=marks.colour(one.measure.target), linestyle=(0, (2, 3)))
        for run in (run for run in range(len(dates)) if trend.mark(run)):
            axis.axvspan(run - 0.4, run + 0.4, color=MUTED, alpha=0.2, linewidth=0)
        axis.axhline(100, color=MUTED, linewidth=0.8)
        axis.set(title=_metric(metric))
        axis.set_xticks(range(0, len(dates), step), dates[::step], rotation=45, ha="right")
    axes[0].set_ylabel("percent of the first run")
    marks.legend(figure, axes, 1 if form.narrow else 4)


def _names(runs: Sequence[SuiteRun]) -> list[str]:
    """Of the runs on the axis: their dates, and of those of one day the time, too."""
    of_day = Counter(run.date for run in runs)
    return [f"{run.age[0]:%Y-%m-%d %H:%M}" if of_day[run.date] > 1 else run.date for run in runs]


def _metric(metric: str) -> str:
    return words.capital(CAPACITY) if metric == CAPACITY else words.OPERATIONS[metric]


def _spoken(one: Series) -> str:
    levels = [level for level in one.levels if level is not None]
    name = words.labelled_target(one.measure.target, one.provenance)
    return f"{_metric(one.measure.metric)}, {name}: {words.figure(levels[-1] * 100)} percent of the first run"
