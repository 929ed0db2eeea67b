"""The end of a run in the terminal: a table of the cases, what failed, the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.leading import leading, warning
from breakeven.report.money.size_board_table import cheapest_lines
from breakeven.report.sections.answer import answer_in_detail
from breakeven.report.tables.fault_findings import finding
from breakeven.report.tables.figures import rate, shown_figure
from breakeven.report.tables.flag_tables import doubtful, flag_lines
from cli.terminal import aligned, print_styled, printable

COLUMNS = ("case", "target", "produce/s", "p50 ms", "p95 ms", "consume/s", "p50 ms", "p95 ms", "status")
FIGURES = range(2, 8)
#: what the titles leave open
OF_WHAT = (
    "p50 and p95 are of the operation before them: produce, from the call to the durable answer, and the "
    "whole cycle of consume, from the request until the message is settled."
)
OF_CONSUME = "consume/s is of the whole cycle, from the request until the message is settled."
#: of figures that are not there
DASH = (
    f"{words.NOTHING}: no such figure. The case failed or has no such work, its consumers are pushed to and "
    "make no request, or fewer than ten calls lie beyond that percentile."
)
#: without latencies, for a terminal on which whole names would not fit beside them
NARROW = (0, 1, 2, 5, 8)
#: lines on flags, and on faults that were not carried out: the report has the rest
MOST_FLAGS = MOST_FAULTS = 12
IN_DETAIL = f"The report has the rest, by subject, under “{answer_in_detail.TITLE}”."


def print_summary(report: Report, console: Console) -> None:
    """Print the table and the verdict; aligned plain text where ``console`` is no terminal.

    Text from suites and brokers is printed as it is, without markup and control characters.
    """
    rows = [_row(case) for case in report.cases]
    shown: Sequence[int] = range(len(COLUMNS))
    console.print()
    if console.is_terminal:
        table = _table(rows)
        fits = Measurement.get(console, console.options.update(max_width=10_000), table).maximum
        if fits > console.width:
            shown, table = NARROW, _table(rows, NARROW)
        console.print(table)
        if shown is NARROW:
            print_styled(
                console, "Latencies are left out, as this terminal is narrow: the report has them.", "dim"
            )
    else:
        for line in aligned([COLUMNS, *rows], FIGURES):
            print_styled(console, line)
    for line in _legend(rows, shown):
        print_styled(console, line, "dim", wrap=console.is_terminal)
    console.print()
    for case in report.cases:
        if case.status == "failed":
            name = f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"
            print_styled(console, f"failed: {name}: {case.reason}", "bold red")
    _print_omitted(report, console)
    _print_flags(report, console)
    print_answer(report, console)
    for line in cheapest_lines(report):
        print_styled(console, line, wrap=console.is_terminal)
    console.print()


def _legend(rows: Sequence[Sequence[str]], shown: Sequence[int]) -> Iterator[str]:
    """:param shown: numbers of the columns that are there"""
    if rows:
        yield OF_CONSUME if shown is NARROW else OF_WHAT
    if any(row[number] == words.NOTHING for row in rows for number in shown if number in FIGURES):
        yield DASH


def print_answer(report: Report, console: Console) -> None:
    """What leads the report, and where the rest of it is: the headline first, but for a failed self-test."""
    if warned := warning(report):
        print_styled(console, warned, "bold red", wrap=console.is_terminal)
    for number, paragraph in enumerate(leading(report)):
        print_styled(console, paragraph, "" if number else "bold", wrap=console.is_terminal)
    if report.detail:
        print_styled(console, IN_DETAIL, "dim", wrap=console.is_terminal)


def _print_omitted(report: Report, console: Console) -> None:
    """Faults that were not carried out: what their cases show is of no fault."""
    cases = {case.case_id: case for case in report.cases}
    omitted = [fault for fault in report.faults or () if not fault.was_done]
    for fault in omitted[:MOST_FAULTS]:
        case = cases.get(fault.case_id)
        name = f"{words.case_name(case)} on {words.target_name(case.target)}" if case else fault.case_id
        line = f"fault not carried out: {name}: {finding(fault)}"
        print_styled(console, line, "bold yellow", wrap=console.is_terminal)
    if len(omitted) > MOST_FAULTS:
        rest = words.plural(len(omitted) - MOST_FAULTS, "fault")
        print_styled(console, f"and {rest} more not carried out: the report has them.", "dim")


def _print_flags(report: Report, console: Console) -> None:
    lines = flag_lines(report)
    for line in lines[:MOST_FLAGS]:
        print_styled(console, line, "yellow", wrap=console.is_terminal)
    if len(lines) > MOST_FLAGS:
        rest = words.plural(len(lines) - MOST_FLAGS, "flag")
        print_styled(console, f"and {rest} more: the report has them.", "dim")


def cases_of(report: Report) -> list[dict[str, str | bool | None]]:
    """What became of each case, for ``--json``; null where it has no ledger."""
    return [
        {
            **{name: getattr(case, name) for name in ("case_id", "status", "reason")},
            "ledger_closed": case.ledger.closed if case.ledger else None,
        }
        for case in report.cases
    ]


def _row(case: CaseReport) -> tuple[str, ...]:
    status = " ".join([case.status, *doubtful(case)])
    figures = [
        text
        for operation in ("produce", "consume_cycle")
        for text in (
            rate(case, operation),
            shown_figure(case, operation, "p50_ms"),
            shown_figure(case, operation, "p95_ms"),
        )
    ]
    emulated = " (emulated)" if case.provenance == "emulated" else ""
    target = f"{words.short_target_name(case.target)}{emulated}"
    return tuple(printable(text) for text in (words.case_name(case), target, *figures, status))


def _table(rows: Sequence[Sequence[str]], shown: Sequence[int] = range(len(COLUMNS))) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", row_styles=("", "dim"))
    for number in shown:
        figure = number in FIGURES
        table.add_column(COLUMNS[number], justify="right" if figure else "left", no_wrap=figure)
    for row in rows:
        style = "red" if row[-1].startswith("failed") else ""
        table.add_row(*(Text(row[number]) for number in shown), style=style)
    return table
