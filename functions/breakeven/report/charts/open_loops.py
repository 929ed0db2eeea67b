"""Rate, backlog and latency of open loops second by second: does a target keep up with what arrives?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import isnan
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, emulated_suffix, thousands
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.rate_model import RateCourse
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Chart

#: what the latency is of, the first that there is
LATENCIES = ("end_to_end", "produce")
THIN = {"linewidth": 0.9, "alpha": 0.7, "label": None}


@dataclass(frozen=True, slots=True)
class Course:
    """One case by the full seconds of its measured stage. Rates in messages a second; ``backlog``: sent and
    not yet received at the end of each second, messages; ``mean_ms`` and ``max_ms``: nan where nothing came.
    """

    case: CaseReport
    sent: Sequence[float]
    received: Sequence[float]
    backlog: Sequence[float]
    mean_ms: Sequence[float]
    max_ms: Sequence[float]
    latency_of: str


def open_loops(report: Report) -> Iterator[Chart]:
    """One chart for each cell of open loops; searches for a capacity have a table of their own."""
    cases = [case for case in report.cases if case.parameters.get("rate") and not case.probes]
    courses = [course for case in cases if (course := course_of(case, report.rates))]
    cells = dict.fromkeys((course.case.scenario, course.case.cell) for course in courses)
    for number, (scenario, cell) in enumerate(cells, start=1):
        drawn = [course for course in courses if (course.case.scenario, course.case.cell) == (scenario, cell)]
        yield _chart(f"open-loop-{number}", scenario, cell, drawn)


def course_of(case: CaseReport, rates: Sequence[RateCourse]) -> Course | None:
    """None where no full second of the measured stage was recorded."""
    own = [course for course in rates if course.case_id == case.case_id]
    measured = {course.metric: course for course in own if course.stage == "measure"}
    seconds = range(int(float(case.parameters.get("measure_s") or 0)))
    if not seconds or "produce" not in measured:
        return None
    of = next((metric for metric in LATENCIES if metric in measured), LATENCIES[-1])
    sent, received = (
        [_rate(measured.get(metric), second) for second in seconds] for metric in ("produce", "consume")
    )
    before = sum(
        sum(course.msg_per_s) * {"produce": 1, "consume": -1}.get(course.metric, 0)
        for course in own
        if course.stage == "warmup"
    )
    growth = (one - other for one, other in zip(sent, received, strict=True))
    return Course(
        case=case,
        sent=sent,
        received=received,
        backlog=list(accumulate(growth, initial=before))[1:],
        mean_ms=[_number(measured[of].mean(second)) for second in seconds],
        max_ms=[_number(measured[of].longest(second)) for second in seconds],
        latency_of=of,
    )


def _rate(course: RateCourse | None, second: int) -> float:
    return course.rate(second) if course else 0.0


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _chart(slug: str, scenario: str, cell: str, drawn: Sequence[Course]) -> Chart:
    suffix = emulated_suffix([course.case for course in drawn])
    name = words.scenario_name(words.place(scenario, cell))
    latency = words.OPERATIONS[drawn[0].latency_of].lower()
    return chart(
        slug=slug,
        title=f"{name}: rate, backlog and latency over time{suffix}",
        caption="In each full second. Rate: sent (thick) and received (thin); grey: offered. Backlog: sent "
        f"and not received yet. Latency, {latency}: the mean (thick) and the longest (thin) of what was "
        "completed in that second. A backlog that grows shows that the target does not keep up.",
        description="; ".join(_spoken(course) for course in drawn),
        heights=(330, 760),
        paint=partial(_paint, drawn),
        scenario=scenario,
    )


def _paint(drawn: Sequence[Course], figure: Any, form: Form) -> None:
    axes = figure.subplots(3, 1) if form.narrow else figure.subplots(1, 3)
    for course in drawn:
        style = marks.series(course.case.target, course.case.provenance) | {"marker": ""}
        seconds = range(1, len(course.sent) + 1)
        axes[0].plot(seconds, course.sent, **style)
        axes[0].plot(seconds, course.received, **style | THIN)
        axes[1].plot(seconds, course.backlog, **style)
        axes[2].plot(seconds, course.mean_ms, **style)
        axes[2].plot(seconds, course.max_ms, **style | THIN)
    offered = {float(rate) for c in drawn if (rate := c.case.parameters.get("rate"))}
    if len(offered) == 1 and not any(course.case.parameters.get("profile") for course in drawn):
        axes[0].axhline(offered.pop(), color="0.6", linewidth=0.8, zorder=0)
    titles = ("Sent and received", "Backlog", "Latency")
    units = ("messages a second", "messages", "milliseconds")
    for axis, title, unit in zip(axes, titles, units, strict=True):
        axis.set(title=title, xlabel="seconds of the measured stage", ylabel=unit)
        axis.set_ylim(bottom=min(0, axis.get_ylim()[0]))
        axis.yaxis.set_major_formatter(thousands)
    marks.legend(figure, axes, 1 if form.narrow else 4)


def _spoken(course: Course) -> str:
    longest = max((value for value in course.max_ms if not isnan(value)), default=None)
    return (
        f"{words.labelled_target(course.case.target, course.case.provenance)}: sent from "
        f"{words.figure(course.sent[0])} to {words.figure(course.sent[-1])} messages a second, backlog at "
        f"the end {words.figure(course.backlog[-1])}, longest latency {words.milliseconds(longest)}"
    )
