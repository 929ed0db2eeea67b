"""Scaling with cores, disks and zones: rates by the size of a target's machines, relative to the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven import words
from breakeven.published.rows import Published, PublishedRow
from breakeven.report.boards.shipped_source import parameter, published_row, repeated
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.measured_capacity import INSTANCE
from breakeven.terms import TargetName

SUITE = "instance-types"
COLUMNS = ("vCPU of a node", "msg/s", "of the smallest", "95% interval", "msg/s a vCPU")
HOW = (
    "Received messages a second; sent ones of a case without consumers. The 95% interval is that of the "
    "ratio, by Welch, where both sizes were repeated."
)
PRINTED = (
    "Published ratios are worked out here from the printed rates. The source counts cores, each with two "
    "threads, which are two vCPUs. Graviton's vCPU is a core of its own."
)
ONE_SIZE = (
    "This run has no rates by size: on one machine a pair is the same processes whatever its type is "
    "called. A run on AWS measures them."
)


@dataclass(frozen=True, slots=True)
class SizeRate:
    """The mean rate of a cell's repeats on one size of a target's machines."""

    target: str
    instance: str
    place: str
    vcpu: float | None
    msg_per_s: float
    is_bound: bool
    metric: str
    cases: tuple[CaseReport, ...]


def scaling_boards(report: Report) -> tuple[Table, Table]:
    """By cores, and by disks and zones of one type; without rows where there is nothing to compare."""
    groups = list(_groups(report))
    published = repeated(report, "C", SUITE)
    cores = [row for group in groups for row in _rows(report, _one_a_type(group))]
    disks = [row for group in groups for one in _by_type(group) for row in _rows(report, one, by_place=True)]
    notes = (HOW, *((PRINTED,) if published else ()), *((ONE_SIZE,) if published and not groups else ()))
    return (
        Table(
            slug="board-cores",
            caption="Scaling with cores, relative to the smallest size",
            label_titles=("Size", "Instance type"),
            columns=COLUMNS,
            rows=(*cores, *_published_rows(published, ("cores", "full-queues"))),
            notes=notes,
        ),
        Table(
            slug="board-disks",
            caption="Effect of disk and zones, relative to the first of the same instance type",
            label_titles=("Size", "Volume and zones"),
            columns=COLUMNS,
            rows=(*disks, *_published_rows(published, ("disk",))),
            notes=notes,
        ),
    )


def _groups(report: Report) -> Iterator[list[SizeRate]]:
    """Cells of one scenario and kind of target, where that was measured on several sizes."""
    cells: dict[tuple[str, str, str], dict[str, list[CaseReport]]] = {}
    for case in report.cases:
        name = TargetName(case.target)
        if case.status == "ok" and name.size and not report.source:
            cells.setdefault((case.scenario, case.cell, name.kind), {}).setdefault(case.target, []).append(
                case
            )
    for sizes in cells.values():
        if len(rates := [rate for cases in sizes.values() if (rate := _size_rate(report, cases))]) > 1:
            yield rates


def _size_rate(report: Report, cases: Sequence[CaseReport]) -> SizeRate | None:
    first = cases[0]
    facts = report.manifest.targets.get(first.target, {})
    metric = "consume" if first.parameters.get("consumers") else "produce"
    figures = [getattr(case, metric) for case in cases]
    known = [figure.msg_per_s for figure in figures if figure and figure.msg_per_s is not None]
    if len(known) < len(cases):
        return None
    return SizeRate(
        target=first.target,
        instance=str(facts.get(INSTANCE) or words.NOTHING),
        place=_place(facts),
        vcpu=float(facts["vcpu"] or 0) or None if "vcpu" in facts else None,
        msg_per_s=sum(known) / len(known),
        is_bound=any("loader_saturated" in case.flags for case in cases),
        metric=metric,
        cases=tuple(cases),
    )


def _place(facts: Mapping[str, Any]) -> str:
    """'gp3, 2 zones'; 'io2 10000 IOPS, 2 zones': what sizes of one instance type differ in."""
    iops = facts.get("volume_iops")
    volume = " ".join(filter(None, [str(facts.get("volume_type") or ""), f"{iops} IOPS" if iops else ""]))
    zones = str(facts.get("zones") or "")
    return ", ".join(filter(None, [volume, words.plural(zones.count(",") + 1, "zone") if zones else ""]))


def _one_a_type(group: Sequence[SizeRate]) -> list[SizeRate]:
    """The first of each instance type: those that differ in disks or zones alone are in the other table."""
    first: dict[str, SizeRate] = {}
    for rate in group:
        first.setdefault(rate.instance, rate)
    return sorted(first.values(), key=lambda rate: rate.vcpu or 0)


def _by_type(group: Sequence[SizeRate]) -> Iterator[list[SizeRate]]:
    types = dict.fromkeys(rate.instance for rate in group)
    yield from ([rate for rate in group if rate.instance == name] for name in types)


def _rows(report: Report, sizes: Sequence[SizeRate], by_place: bool = False) -> Iterator[Row]:
    """Of two sizes or more, the first of which is the one that the others are relative to."""
    if len(sizes) < 2:
        return
    smallest = sizes[0]
    for one in sizes:
        yield Row(
            labels=(words.target_name(one.target), one.place if by_place else one.instance),
            cells=(
                f"{one.vcpu:g}" if one.vcpu else words.NOTHING,
                f"{'≥ ' if one.is_bound else ''}{words.figure(one.msg_per_s)}",
                _times(one.msg_per_s, smallest.msg_per_s),
                _interval(report, one, smallest),
                words.figure(one.msg_per_s / one.vcpu) if one.vcpu else words.NOTHING,
            ),
            origin=one.cases[0].provenance,
            section=words.capital(words.place(one.cases[0].scenario, one.cases[0].cell)),
        )


def _times(rate: float, of: float) -> str:
    return f"{rate / of:.2f} times" if of else words.NOTHING


def _interval(report: Report, one: SizeRate, smallest: SizeRate) -> str:
    """Of the ratio, as the comparison of the two has it, whichever of them it names first."""
    case = one.cases[0]
    for row in report.comparisons:
        if (row.scenario, row.cell, row.metric) != (case.scenario, case.cell, one.metric):
            continue
        low, high = row.interval_low, row.interval_high
        if not low or not high:
            continue
        if (row.target, row.against) == (one.target, smallest.target):
            return f"{low:.2f} to {high:.2f}"
        if (row.target, row.against) == (smallest.target, one.target):
            return f"{1 / high:.2f} to {1 / low:.2f}"
    return words.NOTHING


def _published_rows(published: Published | None, scenarios: Sequence[str]) -> Iterator[Row]:
    if published is None:
        return
    cells: dict[tuple[str, str], list[PublishedRow]] = {}
    for row in published.rows:
        if row.scenario in scenarios:
            cells.setdefault((row.scenario, parameter(row, "queues")), []).append(row)
    for (scenario, queues), rows in cells.items():
        place = words.capital(words.place(scenario, f"queues={queues}"))
        for metric in ("produce", "consume"):
            rates = [float(found.msg_per_s) for row in rows if (found := row.metric(metric))]
            if len(rates) < len(rows):
                continue
            side = "" if parameter(rows[0], "rate_of") else f", {words.OPERATIONS[metric].lower()}"
            for row, rate in zip(rows, rates, strict=True):
                yield _published_row(published, row, rate, rates[0], f"{place}{side}")


def _published_row(published: Published, row: PublishedRow, rate: float, smallest: float, place: str) -> Row:
    cores = published.machines[row.machine]["cores"] if row.machine else ""
    disk = parameter(row, "disk")
    return published_row(
        published,
        (
            f"{words.target_name(row.target)}, {disk or f'{cores} cores'}",
            disk or row.machine or words.NOTHING,
        ),
        (
            str(2 * int(cores)) if cores else words.NOTHING,
            words.figure(rate, 4),
            _times(rate, smallest),
            words.NOTHING,
            words.figure(rate / (2 * int(cores))) if cores else words.NOTHING,
        ),
        place,
    )
