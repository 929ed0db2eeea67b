"""Repeats: how far each cell's agree, and which target is faster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from breakeven import words
from breakeven.report.contract.report_model import Comparison, Repeats, Report
from breakeven.report.elements import Row, Section, Table, filled, paragraph
from breakeven.report.sections.subject import Subject
from breakeven.report.tables import identical_cases
from breakeven.report.tables.figures import MOST_SPAN, bound_note, interval, telling_interval

ONCE = (
    "Every cell was measured once, so that its own figures do not say how they vary, and no difference "
    "between the targets can be distinguished from chance. Two or more repeats give 95% intervals."
)
STUDENT = (
    "95% intervals of the mean by Student's t; their lower end is never below 0. Percentiles are not "
    "averaged: their least and greatest values are shown."
)
WELCH = (
    "95% intervals of the ratio by Welch's method on the logarithms of the repeats' rates. A difference "
    "is shown where the interval leaves out 1; the faster target is named first. Where none is shown, an "
    f"interval that spans more than a factor of {MOST_SPAN:g} is not either."
)
WIDE = "Spread is (greatest - least) / mean. Over 10% it is flagged: the repeats were not alike."
BOUND = "≥ and ≤ mark bounds"
ALIKE = "less than 0.5% apart"
FLAGGED = "over 10%"
#: of comparisons a consume cycle stands for consume, as it does in the tests' tables
CYCLE, CONSUME = "consume_cycle", "consume"


def section(subject: Subject) -> Section | None:
    """None of what a source published, which prints no repeats."""
    report = subject.report
    if report.source:
        return None
    tables = filled(comparison_table(report), repeats_table(report), identical_cases.table(report.cases))
    return Section("repeats", "Repeats", (*paragraph(measured_once(report)), *tables))


def measured_once(report: Report) -> str:
    """The line of a run whose cells were all measured once; empty where there are repeats."""
    return "" if report.source or report.repeats or report.comparisons else ONCE


def repeats_table(report: Report) -> Table:
    """One row a cell, target and metric, with what its repeats agree on."""
    cells: dict[tuple[str, str, str, str], dict[str, Repeats]] = {}
    for row in report.repeats:
        cells.setdefault((row.metric, row.scenario, row.cell, row.target), {})[row.figure] = row
    order = list(words.OPERATIONS)
    return Table(
        slug="repeats",
        caption="Repeats: how far they agree",
        label_titles=("Case", "Target"),
        columns=("repeats", "mean", "95% interval", "spread", "mean", "95% interval", "spread", "p50", "p95"),
        groups=(("", 1), ("Rate, msg/s", 3), ("Mean latency, ms", 3), ("Least to greatest, ms", 2)),
        rows=tuple(
            _repeats_row(figures) for _, figures in sorted(cells.items(), key=lambda c: order.index(c[0][0]))
        ),
        notes=(STUDENT, WIDE, *_bound_notes(report, [(row, row.target) for row in report.repeats])),
    )


def _repeats_row(figures: Mapping[str, Repeats]) -> Row:
    first = next(iter(figures.values()))
    rate = figures.get("msg_per_s")
    bound = "≥ " if first.loader_saturated else ""
    return Row(
        labels=(words.place(first.scenario, first.cell), words.target_name(first.target)),
        cells=(
            str(first.repeats),
            *_mean(rate, bound),
            *_mean(figures.get("mean_ms")),
            *(_range(figures.get(name)) for name in ("p50_ms", "p95_ms")),
        ),
        origin=first.provenance,
        section=words.OPERATIONS[first.metric],
    )


def _mean(row: Repeats | None, bound: str = "") -> tuple[str, str, str]:
    if row is None or row.mean is None:
        return (words.NOTHING,) * 3
    spread = words.NOTHING if row.spread is None else f"{words.figure(row.spread * 100, 2)}%"
    if row.spread_over_10_percent:
        spread = f"{spread}, {FLAGGED}"
    return f"{bound}{words.figure(row.mean)}", interval(row.interval_low, row.interval_high), spread


def _range(row: Repeats | None) -> str:
    return interval(row.least, row.greatest) if row else words.NOTHING


def comparison_table(report: Report) -> Table:
    """One row a cell, pair of targets and metric: which is faster, how much, or that none was shown to be."""
    cycled = {_key(row) for row in report.comparisons if row.metric == CYCLE}
    shown = [row for row in report.comparisons if row.metric != CONSUME or _key(row) not in cycled]
    order = list(words.OPERATIONS)
    sides = [(row, target) for row in shown for target in (row.target, row.against)]
    return Table(
        slug="differences-in-rate",
        caption="Which target is faster",
        label_titles=("Case",),
        columns=("finding", "95% interval", "repeats"),
        rows=tuple(_comparison_row(row) for row in sorted(shown, key=lambda r: order.index(r.metric))),
        notes=(WELCH, *_bound_notes(report, sides)),
    )


def _bound_notes(report: Report, rows: Sequence[tuple[Repeats | Comparison, str]]) -> tuple[str, ...]:
    """:param rows: with the target of each"""
    cells = {(row.scenario, row.cell, target) for row, target in rows}
    note = bound_note(
        BOUND, (case for case in report.cases if (case.scenario, case.cell, case.target) in cells)
    )
    return (note,) if note else ()


def _key(row: Comparison) -> tuple[str, str, str, str]:
    return row.scenario, row.cell, row.target, row.against


def _comparison_row(row: Comparison) -> Row:
    origins = {row.provenance, row.against_provenance}
    origin = "emulated" if "emulated" in origins else row.provenance
    return Row(
        labels=(words.place(row.scenario, row.cell),),
        cells=(*finding(row), f"{row.repeats} and {row.against_repeats}"),
        origin=origin,
        section=words.OPERATIONS[row.metric],
    )


def finding(row: Comparison) -> tuple[str, str]:
    """In words who is faster and how much, and the 95% interval of the ratio that the words name."""
    ours = words.labelled_target(row.target, row.provenance)
    theirs = words.labelled_target(row.against, row.against_provenance)
    if row.ratio is None or row.interval_low is None or row.interval_high is None:
        return f"{ours} and {theirs}: {row.verdict}", words.NOTHING
    ratio, low, high = row.ratio, row.interval_low, row.interval_high
    saturated = (row.loader_saturated, row.against_loader_saturated)
    if row.verdict == "lower":
        ours, theirs, saturated = theirs, ours, saturated[::-1]
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    if row.verdict not in {"higher", "lower"}:
        return f"{ours} and {theirs}: {row.verdict}", telling_interval(low, high)
    if words.figure(ratio) == words.figure(1.0) and not any(saturated):
        # as where both achieve the rate that they are offered: repeats differ by less than that, too
        return f"{ours} and {theirs}: {ALIKE}", interval(low, high)
    # however wide, the interval is what the difference rests on
    said = f"{ours} is {_bound(saturated)}{words.figure(ratio)} times as fast as {theirs}"
    return said, interval(low, high)


def _bound(saturated: Sequence[bool]) -> str:
    """A ratio of two lower bounds is neither a least nor a most; the rates themselves say so."""
    return {(True, False): "≥ ", (False, True): "≤ "}.get((saturated[0], saturated[1]), "")
