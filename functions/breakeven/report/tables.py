"""What a table of the report is: text, made once and set by the page and by Markdown alike."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven.report import words
from breakeven.report.model import CaseReport, Metric
from breakeven.report.published import Published

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

    @property
    def starts(self) -> frozenset[int]:
        """Columns at which a group begins."""
        widths = [width for _, width in self.groups]
        return frozenset(sum(widths[:number]) for number in range(len(widths)))


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


def rate(case: CaseReport, metric: Metric | None) -> str:
    """The rate to three figures; a lower bound says so."""
    if metric is None or metric.msg_per_s is None:
        return words.NOTHING
    bound = "≥ " if "loader_saturated" in case.flags else ""
    return f"{bound}{words.figure(metric.msg_per_s)}"


def printed(value: float | None) -> str:
    """A published figure as it was printed, with thousands separated."""
    if value is None:
        return words.NOTHING
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def lane(case: CaseReport) -> str:
    name = words.target_name(case.target)
    return f"{name}, repeat {case.repeat}" if case.repeat > 1 else name


def statistics(metric: Metric | None) -> tuple[str, ...]:
    """The metric's latencies in the order of ``STATISTICS``."""
    return tuple(words.figure(getattr(metric, name)) if metric else words.NOTHING for name in STATISTICS)
