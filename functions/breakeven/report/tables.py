"""What a table of the report is: text, made once and set by the page and by Markdown alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.model import CaseReport, Metric

#: the operations set beside the published ones; a consume cycle is what source A calls consume
COMPARED = ("produce", "consume_cycle")
STATISTICS = ("mean_ms", "min_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms")
STATISTIC_TITLES = ("mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max")


@dataclass(frozen=True, slots=True)
class Row:
    """``labels`` say what the row is of, ``origin`` where its figures come from, ``badge`` says so."""

    labels: tuple[str, ...]
    cells: tuple[str, ...]
    origin: str
    badge: str
    section: str = ""
    tone: str = ""  # "failed", "bad"


@dataclass(frozen=True, slots=True)
class Table:
    """``groups`` span ``columns`` from the left, as (title, number of columns); empty: no such row."""

    slug: str
    caption: str
    label_titles: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    scenario: str = ""  # of a comparison: the scenario that it is of
    sourced: bool = True  # whether each row says where it comes from; else the table's own words do

    @property
    def starts(self) -> frozenset[int]:
        """Columns at which a group begins."""
        widths = [width for _, width in self.groups]
        return frozenset(sum(widths[:number]) for number in range(len(widths)))


def trimmed(table: Table) -> Table:
    """The table without the columns that hold nothing in any row."""
    kept = [
        number
        for number in range(len(table.columns))
        if any(row.cells[number] != words.NOTHING for row in table.rows)
    ]
    ends = list(accumulate(width for _, width in table.groups))
    groups = [
        (title, sum(end - width <= number < end for number in kept))
        for (title, width), end in zip(table.groups, ends, strict=True)
    ]
    return replace(
        table,
        columns=tuple(table.columns[number] for number in kept),
        groups=tuple(group for group in groups if group[1]),
        rows=tuple(replace(row, cells=tuple(row.cells[number] for number in kept)) for row in table.rows),
    )


def badge(origin: str, published: Published | None = None) -> str:
    """How a row says where it comes from. Emulated stands out: it must never pass for measured."""
    if origin == "emulated":
        return "EMULATED"
    if origin == "published" and published:
        return f"published {published.label}"
    return origin


def shown(case: CaseReport, operation: str) -> Metric | None:
    """The metric to compare: where there is no consume cycle, consume stands for it."""
    if operation == "consume_cycle":
        return case.consume_cycle or case.consume
    metric: Metric | None = getattr(case, operation)
    return metric


def shown_figure(case: CaseReport, operation: str, figure: str) -> str:
    """A figure of a metric that ``shown`` gives: to three figures, a published one as it was printed."""
    metric = shown(case, operation)
    name = "consume" if operation == "consume_cycle" and case.consume_cycle is None else operation
    if f"{name}.{figure}" in case.printed:
        return printed(case.printed[f"{name}.{figure}"])
    return words.figure(getattr(metric, figure)) if metric else words.NOTHING


def rate(case: CaseReport, operation: str) -> str:
    """The rate; a lower bound says so."""
    text = shown_figure(case, operation, "msg_per_s")
    return f"≥ {text}" if "loader_saturated" in case.flags and text != words.NOTHING else text


def printed(value: float | str | None) -> str:
    """A published figure as it was printed, with thousands separated; text that is no number as it is."""
    if value is None:
        return words.NOTHING
    if isinstance(value, str):
        whole, point, rest = value.partition(".")
        return f"{int(whole):,}{point}{rest}" if whole.isdecimal() else value
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def lane(case: CaseReport) -> str:
    name = words.target_name(case.target)
    return f"{name}, repeat {case.repeat}" if case.repeat > 1 else name


def statistics(case: CaseReport, operation: str) -> tuple[str, ...]:
    """The metric's latencies in the order of ``STATISTICS``."""
    return tuple(shown_figure(case, operation, name) for name in STATISTICS)
