"""Tables fit the terminal that they are printed on, and no cell is cut short."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from rich.console import Console

from cli import plan_command, report_command
from cli.crossover import crossover_command
from cli.main import main
from cli.terminal import columns, print_table

CASE = "load-unload.threads-40.rabbitmq-mirrored-pair.r1"
FIGURES = ("12,345.67", "0.01", "9,876")


def printed(width: int, *, terminal: bool, count: int = 3) -> list[str]:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None)
    titles = [f"{number} messages a second" for number in range(count)]
    table = columns("case", "said of it", right=tuple(titles))
    table.add_row(CASE, "words that may be broken", *itertools.islice(itertools.cycle(FIGURES), count))
    print_table(console, table)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_terminal_gets_lines_that_fit_with_all_that_they_have_to_say(width: int) -> None:
    lines = printed(width, terminal=True)
    assert max(map(len, lines)) <= width
    together = "".join(line[: line.find("  ")] if "  " in line else line for line in lines)
    assert CASE in together.replace(" ", "") or width == 60
    assert all(any(figure in line for line in lines) for figure in FIGURES)


def test_what_fits_is_a_line_a_row() -> None:
    assert len(printed(200, terminal=True)) == 2


def test_elsewhere_a_row_is_one_line_however_long() -> None:
    lines = printed(40, terminal=False)
    assert len(lines) == 2
    assert CASE in lines[1]


def test_figures_that_do_not_fit_beside_the_others_come_below_them() -> None:
    lines = printed(80, terminal=True, count=12)
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("case ") for line in lines) > 1
    assert sum(line.count("12,345.67") for line in lines) == 4


COMMANDS = {
    "plan quick": plan_command,
    "plan sqs-vs-rabbitmq-2012": plan_command,
    "crossover": crossover_command,
    "report --published A --runs {runs}": report_command,
    "report --published D --runs {runs}": report_command,
}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("line", COMMANDS)
def test_tables_of_the_commands_fit_80_columns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    """A sentence is broken by the terminal itself; a row of a table has two blanks between cells."""
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(COMMANDS[line], "Terminal", lambda: console)
    assert main(line.format(runs=tmp_path).split()) in {0, 2}
    rows = [text for text in out.getvalue().splitlines() if "  " in text.strip()]
    assert len(rows) > 3
    assert [row for row in rows if len(row) > 80] == []
