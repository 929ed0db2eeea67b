"""A case's nodes over time, beside its rate and the depth of its queues: which of them was the limit?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import isnan
from operator import attrgetter
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, emulated_suffix, short
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.node_model import NodeCourse
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Chart
from breakeven.report.tables.node_limits import GAP_S

#: a shorter course has no shape, seconds
LEAST_S = 20
#: each is some 50 KB of the page
MOST_CHARTS = 6
#: of a line: a longer course is drawn as means of as many seconds as make it shorter
MOST_POINTS = 400
GIBIBYTE = 2.0**30
COLOURS = ("#1f6f8b", "#c2410c", "#5b8c2a", "#6d4aa5", "#b08900", "#8b1f4f", "#3f5f7f", "#7d2a08", "#2a7d6f")
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Panel:
    """``of`` gives the values of one node, in ``unit``s of so many."""

    title: str
    unit: str
    size: float
    of: Callable[[NodeCourse], Values]


#: those of each node; rate and depth, which are the case's, stand above
PANELS = (
    Panel("Processor", "cores used", 1.0, attrgetter("cpu_cores")),
    Panel("Memory", "GiB resident", GIBIBYTE, attrgetter("resident_bytes")),
    Panel("Written to disk", "MB/s", words.MEGABYTE, attrgetter("written_bytes_per_s")),
)


def nodes_over_time(report: Report, telling: Collection[str]) -> Iterator[Chart]:
    """At most ``MOST_CHARTS``.

    :param telling: ids of the cases on whose nodes there is something to say; they come first
    """
    by_case = chosen(report, telling)
    cases = {case.case_id: case for case in report.cases}
    for number, (case_id, courses) in enumerate(by_case.items(), start=1):
        yield _chart(f"nodes-{number}", cases[case_id], courses)


def chosen(report: Report, telling: Collection[str]) -> dict[str, list[NodeCourse]]:
    """The courses to be drawn, by case, in the report's order: of cases that are long enough and whose nodes'
    processes were counted, one a cell and target. Those that tell something go first, then the longest.
    """
    courses: dict[str, list[NodeCourse]] = {}
    for course in report.nodes:
        if course.cpu_cores and len(course.working) >= LEAST_S:
            courses.setdefault(course.case_id, []).append(course)
    cells: dict[tuple[str, str, str], str] = {}
    for case in report.cases:
        cell = (case.scenario, case.cell, case.target)
        if case.case_id in courses and (cell not in cells or _telling_first(case, cells[cell], telling)):
            cells[cell] = case.case_id
    ranked = sorted(
        cells.values(), key=lambda case_id: (case_id not in telling, -len(courses[case_id][0].working))
    )
    kept = set(ranked[:MOST_CHARTS])
    return {case.case_id: courses[case.case_id] for case in report.cases if case.case_id in kept}


def _telling_first(case: CaseReport, before: str, telling: Collection[str]) -> bool:
    return case.case_id in telling and before not in telling


def _chart(slug: str, case: CaseReport, courses: Sequence[NodeCourse]) -> Chart:
    panels = [panel for panel in PANELS if any(panel.of(course) for course in courses)]

    return chart(
        slug=slug,
        title=f"{_name(case)}: nodes over time{emulated_suffix([case])}",
        caption="On one axis, second by second: messages produced (thick) and consumed (thin), messages in "
        f"the case's queues, and of each node {_listed(panels)}. Where a line is broken, the node was not "
        "sampled.",
        description="; ".join(_spoken(course, panels) for course in courses),
        heights=(150 * (2 + len(panels)), 150 * (2 + len(panels))),
        paint=partial(_paint, case, courses, panels),
    )


def _paint(
    case: CaseReport, courses: Sequence[NodeCourse], panels: Sequence[Panel], figure: Any, form: Form
) -> None:
    axes, first = figure.subplots(2 + len(panels), 1, sharex=True), courses[0]
    style = marks.series(case.target, case.provenance) | {"marker": "", "label": None}
    axes[0].plot(*_line(first.produced_per_s), **style)
    axes[0].plot(*_line(first.consumed_per_s), **style | {"linewidth": 0.9, "alpha": 0.7})
    axes[1].plot(*_line(first.depth), **style)
    for axis, panel in zip(axes[2:], panels, strict=True):
        for course, colour in zip(courses, _colours(len(courses)), strict=True):
            axis.plot(*_line(panel.of(course), panel.size), color=colour, linewidth=1.4, label=course.node)
    titles = ("Produced and consumed", "Depth", *(panel.title for panel in panels))
    units = ("messages a second", "messages", *(panel.unit for panel in panels))
    for axis, title, unit in zip(axes, titles, units, strict=True):
        axis.set(title=title, ylabel="" if form.narrow else unit)
        axis.set_ylim(bottom=0)
        axis.yaxis.set_major_formatter(short)
    axes[-1].set_xlabel("seconds since the first stage began")
    marks.legend(figure, axes, 1 if form.narrow else 3)


def _name(case: CaseReport) -> str:
    return f"{words.capital(words.case_name(case))}, {words.target_name(case.target)}"


def _listed(panels: Sequence[Panel]) -> str:
    return words.listing([f"{panel.title.lower()} ({panel.unit})" for panel in panels])


def _colours(count: int) -> list[str]:
    return [COLOURS[number % len(COLOURS)] for number in range(count)]


def _line(values: Values, unit: float = 1.0) -> tuple[list[float], list[float]]:
    """Seconds, and values in units; means where they are too many. A time without a sample is nan,
    which breaks the line; one that is shorter than ``GAP_S`` is left out.
    """
    width = -(-len(values) // MOST_POINTS) or 1
    points = [
        (start + width / 2, _mean(values[start : start + width]) / unit)
        for start in range(0, len(values), width)
    ]
    drawn: list[tuple[float, float]] = []
    for unknown, span in groupby(points, key=lambda point: isnan(point[1])):
        each = list(span)
        if not unknown or len(each) * width >= GAP_S:
            drawn += each
    return [second for second, _ in drawn], [value for _, value in drawn]


def _mean(values: Values) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else float("nan")


def _spoken(course: NodeCourse, panels: Sequence[Panel]) -> str:
    figures: Mapping[str, float] = {
        f"{panel.title.lower()} at most {{}} {panel.unit}": max(known) / panel.size
        for panel in panels
        if (known := [value for value in panel.of(course) if value is not None])
    }
    return f"{course.node}: " + ", ".join(text.format(words.figure(value)) for text, value in figures.items())
