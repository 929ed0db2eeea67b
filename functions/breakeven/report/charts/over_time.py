"""The rate second by second while a queue is loaded and unloaded: does speed decay with depth?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, emulated_suffix, thousands
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.rate_model import RateCourse
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.elements import Chart

#: stage of a load-unload case -> (metrics, the first that there is being drawn; title)
STAGES = {
    "load": (("produce",), "Load: produced"),
    "unload": (("consume", "consume_cycle"), "Unload: consumed"),
}
ROUNDING = 1e-6  # a stage of 9.9999999 s had ten full seconds
FEW_POINTS = 5  # so few are marked, so that a single one is seen
#: stage -> (second, messages a second)
Lines = dict[str, list[tuple[int, float]]]


def over_time(report: Report) -> Iterator[Chart]:
    """One chart for each cell of the load-unload scenarios that has anything to draw."""
    cases = [case for case in report.cases if case.parameters.get("mode") == "load-unload"]
    cells = dict.fromkeys((case.scenario, case.cell) for case in cases)
    for number, (scenario, cell) in enumerate(cells, start=1):
        chosen = [case for case in cases if (case.scenario, case.cell) == (scenario, cell)]
        drawn = [(case, lines) for case in chosen if any((lines := _lines(case, report.rates)).values())]
        if drawn:
            yield _chart(f"rate-over-time-{number}", scenario, drawn)


def _lines(case: CaseReport, rates: Sequence[RateCourse]) -> Lines:
    """Full seconds only: in the one in which a stage ended the rate is that of a part of it."""
    lines = {}
    own = {(course.stage, course.metric): course for course in rates if course.case_id == case.case_id}
    for stage, (metrics, _) in STAGES.items():
        metric = next((metric for metric in metrics if (stage, metric) in own), metrics[0])
        full = _full_seconds(case, getattr(case, metric))
        points = list(enumerate(own[stage, metric].msg_per_s)) if (stage, metric) in own else []
        lines[stage] = points[:-1] if full is None else [point for point in points if point[0] < full]
    return lines


def _full_seconds(case: CaseReport, metric: Metric | None) -> int | None:
    """How many full seconds the stage of the metric had: messages over rate; None where that is not known."""
    messages = case.parameters.get("messages")
    if not messages or metric is None or not metric.msg_per_s:
        return None
    return int(float(messages) / metric.msg_per_s + ROUNDING)


def _chart(slug: str, scenario: str, drawn: Sequence[tuple[CaseReport, Lines]]) -> Chart:
    suffix = emulated_suffix([case for case, _ in drawn])
    return chart(
        slug=slug,
        title=f"{words.scenario_name(scenario)}: rate over time{suffix}",
        caption="Messages a second in each full second of the stage. A falling load line shows that the "
        "queue slows down as it fills.",
        description="; ".join(_spoken(case, lines) for case, lines in drawn),
        heights=(330, 520),
        paint=partial(_paint, drawn),
        scenario=scenario,
    )


def _paint(drawn: Sequence[tuple[CaseReport, Lines]], figure: Any, form: Form) -> None:
    axes = figure.subplots(2, 1) if form.narrow else figure.subplots(1, 2, sharey=True)
    for axis, (stage, (_, title)) in zip(axes, STAGES.items(), strict=True):
        for case, lines in drawn:
            style = marks.series(case.target, case.provenance) | {"markersize": 4}
            style["marker"] = style["marker"] if len(lines[stage]) <= FEW_POINTS else ""
            axis.plot([second for second, _ in lines[stage]], [rate for _, rate in lines[stage]], **style)
        axis.set(title=title, xlabel="seconds since the stage began")
        axis.yaxis.set_major_formatter(thousands)
    for axis in axes:  # once all is drawn: a limit holds for every axis that shares it, and stays
        axis.set_ylim(bottom=0)
    axes[0].set_ylabel("messages a second")
    marks.legend(figure, axes, 1 if form.narrow else 4)


def _spoken(case: CaseReport, lines: Lines) -> str:
    parts = [
        f"{stage} from {words.figure(points[0][1])} to {words.figure(points[-1][1])} messages a second"
        for stage, points in lines.items()
        if points
    ]
    return f"{words.labelled_target(case.target, case.provenance)}: {', '.join(parts)}"
