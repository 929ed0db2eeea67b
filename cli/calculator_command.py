"""``breakeven calculator``: one HTML file that prices a reader's own traffic, from price books and no run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.pricing.prices.book_files import DEFAULT_REGION
from cli.terminal import print_json, say

#: beside the runs, which the repository leaves out
OUT = Path("runs/calculator.html")


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "calculator",
        help="write one HTML file that prices your own traffic, with no run at all",
        description="Write one HTML file whose controls price SQS, clusters of your own and Amazon MQ, from "
        "the shipped price books and what others have published. Nothing is measured or started; the file "
        "needs nothing else.",
    )
    command.add_argument("--out", type=Path, default=OUT, metavar="FILE", help=f"where to ({OUT})")
    command.add_argument(
        "--region", default=DEFAULT_REGION, help=f"whose prices it opens with ({DEFAULT_REGION})"
    )
    command.add_argument("--json", action="store_true", help="print where it was written as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, and say where.

    :raises InputError: no book of the region is shipped, or the file cannot be written
    """
    # which brings the charts, for which no other command should wait
    from local.stored.calculator_file import write_calculator  # noqa: PLC0415

    write_calculator(arguments.out, arguments.region)
    if arguments.json:
        print_json({"written": str(arguments.out)})
    else:
        say(Console(), f"calculator: {arguments.out}")
    return 0
