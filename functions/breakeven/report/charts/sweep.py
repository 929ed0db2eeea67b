"""Rates over what a scenario varies: threads, or the size of a message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.charts import marks
from breakeven.report.charts.canvas import OPERATIONS, chart, emulated_suffix, thousands
from breakeven.report.charts.drawing import Form
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Chart
from breakeven.report.tables.figures import scenarios

#: workload field that may vary -> (what the chart is by, the axis' title)
VARIED = {
    "producers": ("threads", "producers and as many consumers"),
    "message_bytes": ("size", "message size"),
}
MIN_VALUES = 3  # a line through fewer says no more than the table
SHAPE = ("producers", "consumers", "queues", "message_bytes")
#: what else a scenario may vary: each line would go back and forth between its values
BESIDES = (
    *("nodes_down", "leaders", "connect_to", "queue_mode", "group_size", "groups"),
    *("prefetch", "send_batch", "receive_batch", "delete_batch", "linger_ms", "prefill"),
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A scenario whose settled cases differ in one field alone."""

    scenario: str
    field: str
    cases: tuple[CaseReport, ...]
    published: Published | None

    @property
    def values(self) -> list[int]:
        return sorted({self.value(case) for case in self.cases})

    def value(self, case: CaseReport) -> int:
        return int(case.parameters[self.field] or 0)

    def lanes(self) -> Iterable[list[CaseReport]]:
        """Cases by target, each in the order of the field's values."""
        for target in dict.fromkeys(case.target for case in self.cases):
            yield sorted((case for case in self.cases if case.target == target), key=self.value)


def sweeps(report: Report, published: Published | None) -> Iterator[Chart]:
    """A chart for each scenario that varies threads or size alone, over enough values to show a course."""
    for number, (scenario, cases) in enumerate(scenarios(report.cases).items(), start=1):
        settled = tuple(case for case in cases if case.repeat == 1 and case.status == "ok")
        field = _varied(settled)
        if field is None:
            continue
        sweep = Sweep(scenario, field, settled, published)
        if len(sweep.values) >= MIN_VALUES:
            yield _chart(f"rate-by-{field}-{number}", sweep)


def _varied(cases: Sequence[CaseReport]) -> str | None:
    """The one field of ``VARIED`` that differs between the cases."""
    if any(case.parameters.get("mode") != "parallel" for case in cases):
        return None
    for lane in {case.target for case in cases}:  # targets differ in these without having been varied
        own = [case for case in cases if case.target == lane]
        if any(len({case.parameters.get(name) for case in own}) > 1 for name in BESIDES):
            return None
    differing = {name for name in SHAPE if len({case.parameters.get(name) for case in cases}) > 1}
    if differing == {"producers", "consumers"}:
        alike = all(case.parameters["producers"] == case.parameters["consumers"] for case in cases)
        return "producers" if alike else None
    return "message_bytes" if differing == {"message_bytes"} else None


def _chart(slug: str, sweep: Sweep) -> Chart:
    by, _ = VARIED[sweep.field]
    ticks = [words.size(value) if sweep.field == "message_bytes" else f"{value:,}" for value in sweep.values]

    return chart(
        slug=slug,
        title=f"{words.scenario_name(sweep.scenario)}: rate by {by}{emulated_suffix(sweep.cases)}",
        caption=_caption(sweep),
        description="; ".join(_spoken(case) for case in sweep.cases),
        heights=(360, 600),
        paint=partial(_paint, sweep, ticks),
        scenario=sweep.scenario,
    )


def _paint(sweep: Sweep, ticks: Sequence[str], figure: Any, form: Form) -> None:
    axes = figure.subplots(2, 1) if form.narrow else figure.subplots(1, 2)
    for axis, (operation, title) in zip(axes, OPERATIONS, strict=True):
        for lane in sweep.lanes():
            _plot(axis, sweep, lane, operation)
        axis.set(title=title, xscale="log", ylim=(0, None))
        axis.set_xticks(sweep.values, ticks)
        axis.minorticks_off()
        axis.set_xlabel(f"{VARIED[sweep.field][1]}, logarithmic")
        axis.margins(x=0.08)
        axis.yaxis.set_major_formatter(thousands)
    axes[0].set_ylabel("messages a second")
    marks.legend(figure, axes, 1 if form.narrow else 2)


def _caption(sweep: Sweep) -> str:
    """Each sentence only where what it is about is drawn."""
    origins = {case.provenance for case in sweep.cases}
    emulated = " Hollow marks on dashed lines are emulated." if "emulated" in origins else ""
    published = (
        " Small marks on dotted lines are published."
        if sweep.published and "published" not in origins
        else ""
    )
    return f"Rates of the measured stage.{emulated}{published}"


def _plot(axis: Any, sweep: Sweep, lane: Sequence[CaseReport], operation: str) -> None:
    """One target's line, over the published one where there is one."""
    target = lane[0].target
    printed = {
        sweep.value(case): float(figures.msg_per_s)
        for case in lane
        if sweep.published and (row := sweep.published.row(case)) and (figures := row.metric(operation))
    }
    if printed and sweep.published:
        axis.plot(list(printed), list(printed.values()), **marks.published(target, sweep.published.label))
    seen = {
        sweep.value(case): metric.msg_per_s
        for case in lane
        if (metric := case.shown(operation)) and metric.msg_per_s is not None
    }
    axis.plot(list(seen), list(seen.values()), **marks.series(target, lane[0].provenance))


def _spoken(case: CaseReport) -> str:
    produced, consumed = case.produce, case.shown("consume_cycle")
    return (
        f"{words.labelled_target(case.target, case.provenance)}, {words.cell_name(case.cell)}: "
        f"produce {words.figure(produced.msg_per_s if produced else None)}, "
        f"consume cycle {words.figure(consumed.msg_per_s if consumed else None)} messages a second"
    )
