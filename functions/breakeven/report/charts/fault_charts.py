"""A case's rate second by second, with the time marked in which a fault kept a node away, or befell calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from breakeven import words
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import chart, emulated_suffix, short
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.fault_model import FaultReport
from breakeven.report.contract.rate_model import RateCourse
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Chart

#: each is some 15 KB of the page
MOST_CHARTS = 12
#: of a line: a longer stage is drawn as means of as many seconds as make it shorter
MOST_POINTS = 600
AWAY, AGAIN = "#8b1f4f", "#5b6675"
Lines = Mapping[str, Sequence[float]]


def rates_around_faults(report: Report) -> Iterator[Chart]:
    """One a case of which a fault was done in its measured stage, ``MOST_CHARTS`` at most."""
    for number, (case, faults) in enumerate(charted(report)[:MOST_CHARTS], start=1):
        yield _chart(f"faults-{number}", case, faults, _lines(case, report.rates))


def charted(report: Report) -> list[tuple[CaseReport, list[FaultReport]]]:
    """The cases that have a chart, with what was done to their nodes, in the report's order."""
    done: dict[str, list[FaultReport]] = {}
    for fault in report.faults:
        if fault.done_s is not None and fault.span_end_s is not None:
            done.setdefault(fault.case_id, []).append(fault)
    return [(case, done[case.case_id]) for case in report.cases if case.case_id in done]


def _lines(case: CaseReport, rates: Sequence[RateCourse]) -> Lines:
    """By metric, one value a whole second of the measured stage."""
    own = {
        course.metric: course.msg_per_s
        for course in rates
        if (course.case_id, course.stage) == (case.case_id, "measure")
    }
    measured = int(float(case.parameters.get("measure_s") or 0))
    length = measured or max((len(values) - 1 for values in own.values()), default=0)
    lines = {metric: [0.0] * length for metric in ("produce", "consume")}
    for metric, line in lines.items():
        values = own.get(metric, [])[:length]
        line[: len(values)] = values
    return lines


def _chart(slug: str, case: CaseReport, faults: Sequence[FaultReport], lines: Lines) -> Chart:
    name = f"{words.capital(words.case_name(case))}, {words.target_name(case.target)}"
    return chart(
        slug=slug,
        title=f"{name}: rate around {'a fault' if len(faults) == 1 else 'faults'}{emulated_suffix([case])}",
        caption="Messages produced (thick) and consumed (thin) in each second. Shaded: from when a fault was "
        "done to a node until its process ran again or its alarm was cleared, or while calls met it. Dotted: "
        "publishing was back at 90% of the rate before.",
        description="; ".join(_spoken(fault) for fault in faults),
        heights=(300, 300),
        paint=partial(_paint, case, faults, lines),
    )


def _paint(case: CaseReport, faults: Sequence[FaultReport], lines: Lines, figure: Any, form: Form) -> None:
    axis = figure.subplots(1, 1)
    style = marks.series(case.target, case.provenance) | {"marker": "", "drawstyle": "steps-post"}
    axis.plot(*_points(lines["produce"]), **style | {"label": "produced"})
    thin = {"linewidth": 0.9, "alpha": 0.7, "label": "consumed"}
    axis.plot(*_points(lines["consume"]), **style | thin)
    for fault in faults:
        _mark(axis, fault, len(lines["produce"]))
    axis.set(xlabel="seconds of the measured stage", ylabel="" if form.narrow else "messages a second")
    axis.set_xlim(0, max(1, len(lines["produce"])))
    axis.set_ylim(bottom=0)
    axis.yaxis.set_major_formatter(short)
    marks.legend(figure, [axis], 2 if form.narrow else 4)


def _mark(axis: Any, fault: FaultReport, length: int) -> None:
    done_s = fault.done_s or 0.0
    until_s = length if fault.back_s is None else min(fault.back_s, length)
    label = f"{fault.kind} of calls" if fault.is_of_calls else "fault"
    axis.axvspan(done_s, until_s, color=AWAY, alpha=0.14, linewidth=0, label=label)
    axis.axvline(done_s, color=AWAY, linewidth=1.2)
    if fault.produce_recovery_s:
        again = done_s + fault.produce_recovery_s
        axis.axvline(again, color=AGAIN, linewidth=1.2, linestyle=(0, (2, 2)), label="back at 90%")


def _points(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """When each second begins, and its rate; the last rate once more, where its second ends."""
    width = -(-len(values) // MOST_POINTS) or 1
    means = [
        sum(part) / len(part)
        for start in range(0, len(values), width)
        if (part := values[start : start + width])
    ]
    return [*(float(width * number) for number in range(len(means))), float(len(values))], [
        *means,
        *means[-1:],
    ]


def _spoken(fault: FaultReport) -> str:
    return (
        f"fault {fault.number} at {fault.done_s:.1f} s: produced from "
        f"{words.figure(fault.produced_before_per_s)} to {words.figure(fault.produced_lowest_per_s)} "
        f"messages a second, consumed from {words.figure(fault.consumed_before_per_s)} to "
        f"{words.figure(fault.consumed_lowest_per_s)}"
    )
