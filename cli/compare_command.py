"""``breakeven compare``: what changed between two runs of a suite, and which figures moved beyond chance."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich.console import Console

from breakeven import words
from breakeven.report.drift.drift import (
    CAPACITY,
    FALSE_ALARMS,
    FIGURES,
    Drift,
    Measure,
    Move,
    Shift,
    drift_between,
    sentences,
)
from cli.report_command import find, read
from cli.terminal import columns, print_json, print_styled, print_table, say

NAMES = {"msg_per_s": "rate", "p50_ms": "p50", "p99_ms": "p99"}


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "compare",
        help="what changed between two runs, and which figures moved",
        description="Compare two runs of a suite: first what changed around them (releases, machines, "
        "prices), then which figures moved beyond chance, over all cells of a target and in single ones.",
    )
    command.add_argument(
        "before", metavar="RUN", help="the run that the other is held against: an id, or a path"
    )
    command.add_argument("after", metavar="RUN", help="a run's id, latest, or a path")
    command.add_argument("--runs", type=Path, default=Path("runs"), help="folder of results (runs)")
    command.add_argument("--json", action="store_true", help="print the comparison as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the comparison; returns the exit code, which is 0 whatever has moved.

    :raises InputError: there is no such run, its file is damaged, or the two are not comparable
    """
    before, after = (read(find(name, arguments.runs)) for name in (arguments.before, arguments.after))
    drift = drift_between(before, after)
    if arguments.json:
        print_json(document(drift))
        return 0
    console = Console()
    print_styled(console, f"{drift.after} held against {drift.before}", "bold")
    _print_changes(console, drift)
    say(console)
    for sentence in sentences(drift):
        say(console, sentence)
    _print_shifts(console, drift.shifts)
    _print_moves(console, drift.moves)
    return 0


def document(drift: Drift) -> dict[str, Any]:
    """The comparison as JSON."""
    return {**asdict(drift), "false_alarms": FALSE_ALARMS, "sentences": sentences(drift)}


def _print_changes(console: Console, drift: Drift) -> None:
    say(console)
    say(console, "What changed around them:" if drift.changes else "Nothing of their manifests changed.")
    for change in drift.changes:
        say(console, f"  {change.describe()}")


def _print_shifts(console: Console, shifts: Sequence[Shift]) -> None:
    table = columns("target", "figure", right=("cells", "change", "p"))
    for one in shifts:
        table.add_row(*_named(one.measure), str(one.cells), _change(one.ratio), words.figure(one.p, 2))
    if shifts:
        say(console)
        print_table(console, table)


def _print_moves(console: Console, moves: Sequence[Move]) -> None:
    table = columns("target", "figure", "cell", right=("before", "after", "change", "p"))
    for one in moves:
        table.add_row(
            *_named(one.figure.measure),
            words.place(one.figure.scenario, one.figure.cell),
            words.figure(geometric_mean(one.figure.before)),
            words.figure(geometric_mean(one.figure.after)),
            _change(one.figure.ratio),
            words.figure(one.p, 2),
        )
    if moves:
        say(console)
        print_table(console, table)


def _named(measure: Measure) -> tuple[str, str]:
    metric = words.capital(CAPACITY) if measure.metric == CAPACITY else words.OPERATIONS[measure.metric]
    figure = f"{metric} {NAMES[measure.name]}, {FIGURES[measure.name]}"
    return words.short_target_name(measure.target), figure


def _change(ratio: float) -> str:
    return f"{ratio - 1:+.1%}"
