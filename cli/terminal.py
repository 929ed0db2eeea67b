"""Tables and lines on the terminal, plain where it is none."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.exit_codes import NOT_READ

#: between two columns
BETWEEN = "  "
#: characters that a column of words has at least
LEAST = 16


class Terminal(Console):
    """Where a command prints. It ends the command where nobody reads any more, with the code that shells have
    of SIGPIPE; the library's own is 1, which is of a run that failed.
    """

    def on_broken_pipe(self) -> NoReturn:
        """Called where a line could not be written for that reason."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
        raise SystemExit(NOT_READ)


def columns(*left: str, right: tuple[str, ...]) -> Table:
    """A table with columns of words on the left and of figures on the right."""
    table = Table()
    for title in left:
        table.add_column(title)
    for title in right:
        table.add_column(title, justify="right")
    return table


def print_table(console: Console, table: Table) -> None:
    """Print a table as ``print_rows`` does."""
    rows = list(zip(*([str(each.header), *map(str, each.cells)] for each in table.columns), strict=True))
    figures = [number for number, column in enumerate(table.columns) if column.justify == "right"]
    print_rows(console, rows, figures, ["bold", *(str(row.style or "") for row in table.rows)])


def print_rows(
    console: Console, rows: Sequence[Sequence[str]], figures: Sequence[int], styles: Sequence[str] = ("bold",)
) -> None:
    """Print rows, the first of titles. No cell is cut short: on a narrow terminal words go on in a
    line below, and figures that do not fit beside the others come in a part of their own.

    :param figures: numbers of the columns that hold them
    """
    for part in _parts(rows, figures, console.width) if console.is_terminal else [range(len(rows[0]))]:
        shown = [[row[number] for number in part] for row in rows]
        right = [place for place, number in enumerate(part) if number in figures]
        widths = _widths(shown, right, console.width if console.is_terminal else None)
        for row, style in zip_longest(shown, styles[: len(shown)], fillvalue=""):
            for line in _lines(row, widths, right):
                print_styled(console, line, style)


def say(console: Console, text: str = "") -> None:
    """One line, however long; square brackets and figures are only text, and controls are spaces."""
    text = "\n".join(map(printable, text.split("\n")))
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def print_json(document: Any) -> None:
    """For ``--json``, on standard output."""
    print(json.dumps(document, indent=2))


def print_styled(console: Console, text: str, style: str = "", *, wrap: bool = False) -> None:
    """Text of suites, brokers and sources as it is, without markup and control characters."""
    console.print(Text(printable(text), style=style), soft_wrap=not wrap)


def aligned(rows: Sequence[Sequence[str]], figures: Container[int]) -> list[str]:
    """Rows as lines, columns aligned: figures to the right, words to the left.

    :param figures: numbers of the columns that hold them
    """
    widths = _widths(rows, figures)
    return [line for row in rows for line in _lines(row, widths, figures)]


def _parts(rows: Sequence[Sequence[str]], figures: Sequence[int], width: int) -> list[list[int]]:
    """Numbers of the columns that are shown together: all words, and as many figures as fit beside them."""
    words = [number for number in range(len(rows[0])) if number not in figures]
    parts = [words]
    for number in figures:
        with_it = sorted([*parts[-1], number])
        shown = [[row[each] for each in with_it] for row in rows]
        right = [place for place, each in enumerate(with_it) if each in figures]
        if _total(_widths(shown, right, width)) <= width or parts[-1] == words:
            parts[-1] = with_it
        else:
            parts.append(sorted([*words, number]))
    return parts


def _widths(rows: Sequence[Sequence[str]], figures: Container[int], most: int | None = None) -> list[int]:
    """Of each column. Where the table would be wider than ``most``, words are broken, and figures' titles."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    if most is None or _total(widths) <= most:
        return widths
    for number, (title, *cells) in enumerate(columns):
        if number in figures:
            widths[number] = max(map(len, (*title.split(), *cells)), default=0)
    words = [number for number in range(len(widths)) if number not in figures]
    while _total(widths) > most and any(widths[number] > LEAST for number in words):
        widths[max(words, key=lambda number: widths[number])] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(BETWEEN) * (len(widths) - 1)


def _lines(row: Sequence[str], widths: Sequence[int], figures: Container[int]) -> Iterator[str]:
    """One row; several lines where a cell is wider than its column."""
    broken = (wrap(cell, max(1, width)) for cell, width in zip(row, widths, strict=True))
    for cells in zip_longest(*broken, fillvalue=""):
        yield BETWEEN.join(
            cell.rjust(width) if number in figures else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()


def printable(text: str) -> str:
    """With a space in the place of what is no character to be seen."""
    return "".join(character if character.isprintable() else " " for character in text)
