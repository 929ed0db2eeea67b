"""The capacity searches: every rate that was tried, and between which two the capacity lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from statistics import fmean

from breakeven import words
from breakeven.loadgen.case_figures import ProbeReport
from breakeven.loadgen.search.probe import bound
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Section, Table, filled
from breakeven.report.money.capacity_interval import interval_of
from breakeven.report.sections.subject import Subject

HELD = (
    "Held: 99% of what was due was handed over, the backlog did not grow (upper 95% bound at most "
    "0.5% of the rate), and 99 of 100 messages arrived within the objective."
)
IN_BRACKETS = "In brackets: a short probe, which only said near which rate to look: no capacity rests on it."
COUNTED_ON = (
    "Clusters are priced by their capacity with one node down; only a rate that was measured on AWS is used."
)
ONE_MACHINE = "Measured on one machine that loader and brokers share: it says nothing about an EC2 instance."


def section(subject: Subject) -> Section | None:
    """None where no capacity was searched for."""
    return Section("capacity", "Capacity", filled(capacity_table(subject.report)))


def capacity_table(report: Report) -> Table:
    """One row a rate that was tried, the highest that was held marked."""
    cases = [case for case in report.cases if case.probes]
    return Table(
        slug="capacity",
        caption="Capacity: the highest rate that is held",
        label_titles=("Rate offered, msg/s",),
        columns=tuple(COLUMNS),
        rows=tuple(
            _row(case, probe) for case in cases for probe in sorted(case.probes, key=attrgetter("rate"))
        ),
        notes=(
            *(HELD, *_of_short_ones(cases)),
            *(_outcome(case) for case in cases),
            *_capacities(cases),
            *_cautions(report, cases),
        ),
    )


def _of_short_ones(cases: Sequence[CaseReport]) -> Iterator[str]:
    if any(probe.scouts for case in cases for probe in case.probes):
        yield IN_BRACKETS


def _capacities(cases: Sequence[CaseReport]) -> Iterator[str]:
    """One line a cell: the mean of its repeats, and their interval."""
    cells: dict[str, list[CaseReport]] = {}
    for case in cases:
        if case.status == "ok" and case.held_rate is not None:
            cells.setdefault(_cell(case), []).append(case)
    for name, repeats in cells.items():
        rate = words.figure(fmean(case.held_rate or 0.0 for case in repeats))
        yield f"{name}: capacity {rate} msg/s, interval {interval_of(repeats).describe()}."


def _cautions(report: Report, cases: Sequence[CaseReport]) -> Iterator[str]:
    if any("nodes_down" in case.flags for case in cases):
        yield COUNTED_ON
    if report.environment == "local":
        yield ONE_MACHINE


def _row(case: CaseReport, probe: ProbeReport) -> Row:
    return Row(
        labels=(words.figure(probe.rate),),
        cells=tuple(cell(probe) for cell in COLUMNS.values()),
        origin=case.provenance,
        section=_name(case),
        tone="" if probe.held or probe.scouts else "bad",
    )


def _held(probe: ProbeReport) -> str:
    said = "yes" if probe.held else "no"
    return f"({said})" if probe.scouts else said


COLUMNS: dict[str, Callable[[ProbeReport], str]] = {
    "for, s": lambda probe: words.figure(probe.for_s),
    "held": _held,
    "handed over": lambda probe: f"{probe.achieved / probe.offered:.1%}" if probe.offered else words.NOTHING,
    "backlog grew, msg/s": lambda probe: words.figure(probe.backlog_per_s),
    "at most": lambda probe: words.figure(probe.backlog_per_s_high),
    "p99 end to end, ms": lambda probe: words.figure(probe.end_to_end_p99_ms),
    "why not": lambda probe: probe.reason or words.NOTHING,
}


def _name(case: CaseReport) -> str:
    return f"{_cell(case)}, repeat {case.repeat}"


def _cell(case: CaseReport) -> str:
    return f"{words.place(case.scenario, case.cell)}, {words.target_name(case.target)}"


def _outcome(case: CaseReport) -> str:
    failed = bound(case.probes)
    at_least = "at least " if case.is_lower_bound else ""
    above = "" if failed is None else f", {words.figure(failed.rate)} was not"
    confirmed = f", confirmed for {case.confirmed_s:g} s" if case.confirmed_s else ""
    return f"{_name(case)}: {at_least}{words.figure(case.held_rate)} msg/s was held{confirmed}{above}."
