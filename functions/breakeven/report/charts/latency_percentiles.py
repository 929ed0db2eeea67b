"""Latency percentiles of every case, on one logarithmic scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import nan
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import OPERATIONS, chart, emulated_suffix, logarithmic, thousands
from breakeven.report.charts.drawing import GRID, MUTED, Form
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.elements import Chart

PERCENTILES = ("p50_ms", "p95_ms", "p99_ms")
MAX_CASES = 60  # more rows than this are no picture any more; the table has them
ROW_PX, HEAD_PX = 18, 110
LABEL_CHARS = 40
MARGIN = 1.15  # room for the marks of the least and the greatest


def latencies(report: Report) -> Iterator[Chart]:
    """One chart, or none where nothing was measured."""
    cases = _cases(report)[:MAX_CASES]
    if not cases:
        return
    rows = list(dict.fromkeys((case.scenario, case.cell) for case in cases))
    lanes = list(dict.fromkeys(case.target for case in cases))
    alike: dict[tuple[str, str], list[CaseReport]] = {}
    for case in cases:
        alike.setdefault((case.target, case.provenance), []).append(case)
    ticks = logarithmic([value for case in cases for name, _ in OPERATIONS for value in _points(case, name)])
    height = HEAD_PX + ROW_PX * len(rows) * max(2, len(lanes))

    yield chart(
        slug="latency",
        title=f"Latency of every case{emulated_suffix(cases)}",
        caption="From left to right p50, p95 and p99. A percentile with fewer than ten samples beyond "
        "it is not drawn.",
        description="; ".join(_spoken(case) for case in cases),
        heights=(height, 2 * height - 40),
        paint=partial(_paint, rows, lanes, alike, ticks),
    )


def _paint(
    rows: Sequence[tuple[str, str]],
    lanes: Sequence[str],
    alike: Mapping[tuple[str, str], Sequence[CaseReport]],
    ticks: Sequence[float],
    figure: Any,
    form: Form,
) -> None:
    axes = figure.subplots(2, 1, sharex=True) if form.narrow else figure.subplots(1, 2, sharey=True)
    # the narrow form has its labels inside, above the marks of their row
    middle, step = (0.14, 0.26) if form.narrow else (0.0, 0.34)
    for axis, (operation, title) in zip(axes, OPERATIONS, strict=True):
        for (target, provenance), own in alike.items():
            places = [
                rows.index((case.scenario, case.cell))
                + middle
                + (lanes.index(target) - (len(lanes) - 1) / 2) * step
                for case in own
            ]
            points = [_points(case, operation) for case in own]
            _draw(axis, marks.series(target, provenance), places, points)
        _furnish(axis, title, [_label(*key) for key in rows], form)
        axis.set_xlim(ticks[0] / MARGIN, ticks[-1] * MARGIN)
        axis.set_xticks(ticks)
    for axis in axes[-1:] if form.narrow else axes:
        axis.set_xlabel("milliseconds, logarithmic")
    marks.legend(figure, axes, 1 if form.narrow else 4)


def has_latencies(report: Report) -> bool:
    """Whether there is anything to draw."""
    return bool(_cases(report))


def _cases(report: Report) -> list[CaseReport]:
    return [
        case
        for case in report.cases
        if case.repeat == 1 and any(_points(case, name) for name, _ in OPERATIONS)
    ]


def _points(case: CaseReport, operation: str) -> list[float]:
    """The percentiles there are, in milliseconds, above zero as a logarithmic scale wants them."""
    metric: Metric | None = case.shown(operation)
    values = [getattr(metric, name) for name in PERCENTILES] if metric else []
    return [value for value in values if value]


def _draw(
    axis: Any, style: dict[str, Any], places: Sequence[float], points: Sequence[Sequence[float]]
) -> None:
    """All cases of one look as two lines with gaps: to draw an element for each took four times as long."""
    found = [(place, own) for place, own in zip(places, points, strict=True) if own]
    if not found:
        return
    line = {name: style[name] for name in ("color", "linestyle")}
    ends = [end for _, own in found for end in (own[0], own[-1], nan)]
    axis.plot(ends, [place for place, _ in found for _ in range(3)], linewidth=1.4, **line)
    axis.plot(
        [value for _, own in found for value in own],
        [place for place, own in found for _ in own],
        **style | {"linestyle": "none", "markersize": 5},
    )


def _furnish(axis: Any, title: str, labels: Sequence[str], form: Form) -> None:
    axis.set(title=title, xscale="log")
    axis.set_yticks([] if form.narrow else range(len(labels)), [] if form.narrow else labels)
    axis.set_ylim(len(labels) - 0.5, -0.5)
    axis.grid(visible=False, axis="y")
    inside = axis.get_yaxis_transform()
    between = [number - 0.5 for number in range(1, len(labels))]
    axis.hlines(between, 0, 1, transform=inside, color=GRID, linewidth=1)
    for number, label in enumerate(labels):
        if form.narrow:
            axis.text(0.01, number - 0.27, label, transform=inside, va="center", fontsize=10, color=MUTED)
    axis.minorticks_off()
    axis.xaxis.set_major_formatter(thousands)


def _label(scenario: str, cell: str) -> str:
    label = f"{scenario}, {words.cell_name(cell)}" if cell else scenario
    return label if len(label) <= LABEL_CHARS else f"{label[: LABEL_CHARS - 1]}…"


def _spoken(case: CaseReport) -> str:
    parts = []
    for operation, title in OPERATIONS:
        metric = case.shown(operation)
        if metric:
            p50, p99 = words.milliseconds(metric.p50_ms), words.milliseconds(metric.p99_ms)
            parts.append(f"{title.lower()} p50 {p50}, p99 {p99}")
    return (
        f"{words.labelled_target(case.target, case.provenance)}, {words.case_name(case)}: {', '.join(parts)}"
    )
