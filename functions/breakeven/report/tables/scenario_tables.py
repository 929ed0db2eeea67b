"""The tables of each scenario, with the figures that the source published beneath the measured ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table, trimmed
from breakeven.report.tables.figures import (
    COMPARED,
    STATISTIC_TITLES,
    STATISTICS,
    bound_note,
    lane,
    printed,
    rate,
    scenarios,
    shown_figure,
)
from breakeven.report.tables.machine_tables import by_machine, machines_table, slug_of

MATRIX_UNITS = "Mean and p95 in milliseconds."
MATRIX_PRINTED = "Means in milliseconds; a dash where the source prints none."
MATRIX_STATISTICS = ("mean_ms", "p95_ms")
MATRIX_CELLS = 5  # cells side by side in one table; more go into a further table


def comparison_tables(report: Report, published: Published | None) -> list[Table]:
    """One table a scenario (more when it has many cells), published figures beneath the measured."""
    tables = []
    for scenario, cases in scenarios(report.cases).items():
        if by_machine(cases):
            tables.append(machines_table(scenario, cases, _notes(report, scenario, cases, published)))
        elif cases[0].parameters.get("mode") == "load-unload":
            tables.append(_statistics_table(report, scenario, cases, published))
        else:
            tables.extend(_matrix_tables(report, scenario, cases, published))
    return [trimmed(table) for table in tables] if report.source else tables


def _caption(scenario: str, cases: Sequence[CaseReport]) -> str:
    emulated = sorted({words.target_name(case.target) for case in cases if case.provenance == "emulated"})
    suffix = f" · {words.listing(emulated)}: EMULATED, not the service" if emulated else ""
    return f"{words.scenario_name(scenario)}{suffix}"


def _notes(
    report: Report, scenario: str, cases: Sequence[CaseReport], published: Published | None
) -> tuple[str, ...]:
    notes = [
        f"{words.labelled_target(c.target, c.provenance)}, {words.cell_name(c.cell)}, failed: {c.reason}"
        for c in cases
        if c.reason
    ]
    if bound := bound_note("≥ marks a lower bound", cases):
        notes.append(bound)
    if published and scenario in published.notes:
        notes.append(f"{published.label}: {published.notes[scenario]}")
    if report.source and scenario in report.source.notes:
        notes.append(report.source.notes[scenario])
    return tuple(notes)


def _statistics_table(
    report: Report, scenario: str, cases: Sequence[CaseReport], published: Published | None
) -> Table:
    """Every statistic side by side, as source A prints its load-unload test."""
    several = len({case.cell for case in cases}) > 1
    rows = [
        row
        for operation in COMPARED
        for case in cases
        for row in _rows(
            operation,
            case,
            [case],
            STATISTICS,
            published,
            cell=words.cell_name(case.cell) if several else "",
            tone="failed" if case.status == "failed" else "",
        )
    ]
    return Table(
        slug=slug_of(scenario),
        caption=_caption(scenario, cases),
        label_titles=("Target",),
        columns=("msg/s", *STATISTIC_TITLES),
        groups=(("Rate", 1), ("Latency, ms", len(STATISTICS))),
        rows=tuple(rows),
        notes=_notes(report, scenario, cases, published),
        scenario=scenario,
    )


def _matrix_tables(
    report: Report, scenario: str, cases: Sequence[CaseReport], published: Published | None
) -> list[Table]:
    """Cells side by side, targets beneath one another, as source A prints its parallel test."""
    cells = list(dict.fromkeys(case.cell for case in cases))
    chunks = [cells[i : i + MATRIX_CELLS] for i in range(0, len(cells), MATRIX_CELLS)]
    lanes: dict[tuple[str, int], dict[str, CaseReport]] = {}
    for case in cases:
        lanes.setdefault((case.target, case.repeat), {})[case.cell] = case
    return [
        Table(
            slug=slug_of(scenario, number if len(chunks) > 1 else None),
            caption=_caption(scenario, cases) + (f" ({number} of {len(chunks)})" if len(chunks) > 1 else ""),
            label_titles=("Target",),
            columns=("msg/s", "mean", "p95") * len(chunk),
            groups=tuple((words.cell_name(cell), 3) for cell in chunk),
            rows=tuple(
                row
                for operation in COMPARED
                for row in _matrix_rows(operation, chunk, lanes.values(), published)
            ),
            notes=(
                *_units(report, cases),
                *_notes(report, scenario, [case for case in cases if case.cell in chunk], published),
            ),
            scenario=scenario,
        )
        for number, chunk in enumerate(chunks, start=1)
    ]


def _units(report: Report, cases: Sequence[CaseReport]) -> tuple[str, ...]:
    if not report.source:
        return (MATRIX_UNITS,)
    return (MATRIX_PRINTED,) if any(name.endswith(".mean_ms") for c in cases for name in c.printed) else ()


def _matrix_rows(
    operation: str,
    cells: Sequence[str],
    lanes: Iterable[Mapping[str, CaseReport]],
    published: Published | None,
) -> list[Row]:
    """:param lanes: of each target and repeat its cases, by cell"""
    rows: list[Row] = []
    for by_cell in lanes:
        first = next(iter(by_cell.values()))
        side_by_side = [by_cell.get(cell) for cell in cells]
        rows += _rows(operation, first, side_by_side, MATRIX_STATISTICS, published)
    return rows


def _rows(
    operation: str,
    first: CaseReport,
    cases: Sequence[CaseReport | None],
    figures: Sequence[str],
    published: Published | None,
    cell: str = "",
    tone: str = "",
) -> Iterator[Row]:
    """What was measured of cases of one lane, side by side, and beneath it what the source printed."""
    label, section = (f"{lane(first)}, {cell}" if cell else lane(first),), words.OPERATIONS[operation]
    cells = [text for case in cases for text in _measured(case, operation, figures)]
    yield Row(label, tuple(cells), first.provenance, section, tone)
    if published and first.repeat == 1:
        cells = [text for case in cases for text in _published(case, operation, figures, published)]
        if any(text != words.NOTHING for text in cells):
            yield Row(label, tuple(cells), "published", section, published=published.label)


def _measured(case: CaseReport | None, operation: str, figures: Sequence[str]) -> tuple[str, ...]:
    if case is None:
        return (words.NOTHING,) * (1 + len(figures))
    if case.status == "failed":
        return ("failed", *(words.NOTHING,) * len(figures))
    return (rate(case, operation), *(shown_figure(case, operation, name) for name in figures))


def _published(
    case: CaseReport | None, operation: str, figures: Sequence[str], published: Published
) -> tuple[str, ...]:
    row = published.row(case) if case else None
    found = row.metric(operation) if row else None
    return tuple(printed(getattr(found, name, None)) for name in ("msg_per_s", *figures))
