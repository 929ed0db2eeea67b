"""Tables and lines on the terminal, plain where it is none."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text


def columns(console: Console, *left: str, right: tuple[str, ...]) -> Table:
    """Plain columns, with a rule under the titles on a terminal."""
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for title in left:
        table.add_column(title, no_wrap=True)
    for title in right:
        table.add_column(title, no_wrap=True, justify="right")
    return table


def print_table(console: Console, table: Table) -> None:
    """As wide as it needs to be: an id that is cut short names nothing. No blanks end a line."""
    needed = Measurement.get(console, console.options.update(max_width=10_000), table).maximum
    console.width = max(needed, console.width)
    with console.capture() as printed:
        console.print(table, markup=False, highlight=False)
    console.file.writelines(f"{line.rstrip()}\n" for line in printed.get().splitlines())


def say(console: Console, text: str = "") -> None:
    """One line, however long; square brackets and figures are only text."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def print_json(document: Any) -> None:
    """For ``--json``, on standard output."""
    print(json.dumps(document, indent=2))


def print_styled(console: Console, text: str, style: str = "", *, wrap: bool = False) -> None:
    """Text of suites, brokers and sources as it is, without markup and control characters."""
    console.print(Text(printable(text), style=style), soft_wrap=not wrap)


def print_verdict(console: Console, verdict: str) -> None:
    """Its paragraphs, of which the first one is the answer."""
    for number, paragraph in enumerate(verdict.split("\n\n")):
        print_styled(console, paragraph, "" if number else "bold", wrap=console.is_terminal)


def aligned(rows: Sequence[Sequence[str]], figures: Container[int]) -> list[str]:
    """Rows as lines, columns aligned: figures to the right, words to the left.

    :param figures: numbers of the columns that hold them
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if number in figures else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def printable(text: str) -> str:
    """With a space in the place of what is no character to be seen."""
    return "".join(character if character.isprintable() else " " for character in text)
