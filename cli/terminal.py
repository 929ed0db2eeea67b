"""Tables and lines on the terminal, plain where it is none."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


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
