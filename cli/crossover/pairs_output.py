"""Every option against every other, on the terminal."""

from __future__ import annotations

from rich.console import Console

from breakeven.pricing.bill.inputs import Inputs
from breakeven.report.contract.pairs_model import Pairs
from breakeven.report.money.pairs_table import COLUMNS, first_changes, notes, sides
from cli.terminal import columns, print_table, say


def print_pairs(pairs: Pairs, inputs: Inputs, console: Console) -> None:
    """A row a pair: below which rate one is cheaper than the other, or that it is throughout."""
    table = columns("cheaper", "than", right=tuple(COLUMNS))
    for one in first_changes(pairs):
        table.add_row(*sides(one, inputs), *(cell(one) for cell in COLUMNS.values()))
    print_table(console, table)
    for note in notes(pairs, inputs):
        say(console, f"- {note}")
