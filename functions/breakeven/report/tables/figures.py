"""A case's figures as text, as every table sets them, and the cases by scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Metric
from breakeven.report.elements import Row

#: of a table by case: title -> what it shows
Columns = Mapping[str, Callable[[CaseReport], str]]
#: cases that a note names, of those that a loader limited
MOST_BOUNDS = 3
#: between the ends of an interval, as a factor: a wider one says no more than that it is not known
MOST_SPAN = 100.0
TOO_FEW = "too few repeats for an interval"
#: what a source prints of money
DOLLARS = "usd_per_month_per_1000_msg_per_s"
#: the operations set beside the published ones; a consume cycle is what source A calls consume
COMPARED = ("produce", "consume_cycle")
STATISTICS = ("mean_ms", "min_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms")
#: percentile -> its rank of a thousand
RANKS = {"p50_ms": 500, "p90_ms": 900, "p95_ms": 950, "p99_ms": 990, "p999_ms": 999}
STATISTIC_TITLES = ("mean", "min", "p50", "p90", "p95", "p99", "p99.9", "max")


def shown_figure(case: CaseReport, operation: str, figure: str) -> str:
    """A figure of a metric that ``shown`` gives: to three figures, a published one as it was printed."""
    metric = case.shown(operation)
    name = "consume" if operation == "consume_cycle" and case.consume_cycle is None else operation
    if f"{name}.{figure}" in case.printed:
        return printed(case.printed[f"{name}.{figure}"])
    if metric is None:
        return words.NOTHING
    text = words.figure(getattr(metric, figure))
    return f"≥ {text}" if text != words.NOTHING and is_at_least(metric, figure) else text


def is_at_least(metric: Metric, figure: str) -> bool:
    """Is that latency a lower bound? Those that had no end of their own are taken for the longest."""
    if not metric.unfinished or not metric.operations:
        return False
    ended = metric.operations - metric.unfinished
    if figure in RANKS:
        return -(-metric.operations * RANKS[figure] // 1000) > ended
    return figure in ("mean_ms", "max_ms") or (figure == "min_ms" and not ended)


def rate(case: CaseReport, operation: str) -> str:
    """The rate; a lower bound says so."""
    text = shown_figure(case, operation, "msg_per_s")
    return f"≥ {text}" if "loader_saturated" in case.flags and text != words.NOTHING else text


def interval(low: float | None, high: float | None) -> str:
    """Such as '2.50 to 5.00'."""
    if low is None or high is None:
        return words.NOTHING
    return f"{words.figure(low)} to {words.figure(high)}"


def telling_interval(low: float, high: float) -> str:
    """The same of positive figures; of one that tells nothing, as of two uneven repeats, it is said why."""
    return interval(low, high) if high <= MOST_SPAN * low else TOO_FEW


def bound_note(marks: str, cases: Iterable[CaseReport]) -> str:
    """What ``marks`` mean beside the rates of these cases, with what was found; empty where no loader
    was the limit.
    """
    found = [
        f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}: "
        f"{case.why('loader_saturated') or 'its rows do not say why'}"
        for case in cases
        if "loader_saturated" in case.flags
    ]
    if not found:
        return ""
    return (
        f"{marks}, as a loader was itself the limit and the target could do more than was measured: "
        f"{'; '.join(found[:MOST_BOUNDS])}{_others(len(found) - MOST_BOUNDS)}."
    )


def _others(number: int) -> str:
    return f"; and {words.plural(number, 'case')} more, as Validity lists" if number > 0 else ""


def printed(value: float | str | None) -> str:
    """A published figure as it was printed, with thousands separated; text that is no number as it is."""
    if value is None:
        return words.NOTHING
    if isinstance(value, str):
        whole, point, rest = value.partition(".")
        return f"{int(whole):,}{point}{rest}" if whole.isdecimal() else value
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def case_row(case: CaseReport, cells: Iterable[str], tone: str = "") -> Row:
    """A row of a table by case: the target in front, the case above."""
    return Row((words.target_name(case.target),), tuple(cells), case.provenance, words.case_name(case), tone)


def case_rows(
    cases: Iterable[CaseReport], columns: Columns, bad: Callable[[CaseReport], bool]
) -> tuple[Row, ...]:
    """A row for each case, with what each column shows of it; ``bad`` ones stand out."""
    return tuple(
        case_row(case, (cell(case) for cell in columns.values()), "bad" if bad(case) else "")
        for case in cases
    )


def lane(case: CaseReport) -> str:
    name = words.target_name(case.target)
    return f"{name}, repeat {case.repeat}" if case.repeat > 1 else name


def statistics(case: CaseReport, operation: str) -> tuple[str, ...]:
    """The metric's latencies in the order of ``STATISTICS``."""
    return tuple(shown_figure(case, operation, name) for name in STATISTICS)


def scenarios(cases: Iterable[CaseReport]) -> dict[str, list[CaseReport]]:
    """Cases by scenario, both in the order in which they first appear."""
    found: dict[str, list[CaseReport]] = {}
    for case in cases:
        found.setdefault(case.scenario, []).append(case)
    return found
