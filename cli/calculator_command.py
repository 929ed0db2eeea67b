"""``breakeven calculator``: one HTML file that prices a reader's own traffic, from price books and no run."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from breakeven.pricing.prices.book_files import DEFAULT_REGION, load_book
from cli.out_file import check_out, write_out
from cli.terminal import Terminal, print_json, say

WHERE = "breakeven calculator"
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
    command.add_argument(
        "--out", type=Path, metavar="FILE", help=f"where to, in a folder that is there ({OUT})"
    )
    command.add_argument(
        "--region", default=DEFAULT_REGION, help=f"whose prices it opens with ({DEFAULT_REGION})"
    )
    command.add_argument("--json", action="store_true", help="print where it was written as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file, and say where.

    :raises InputError: no book of the region is shipped, or the file cannot be written
    """
    if arguments.out:
        check_out(arguments.out, WHERE)
    load_book(arguments.region)  # before anything is made
    out: Path = arguments.out or _usual()
    check_out(out, WHERE)
    # which brings the charts, for which no other command should wait
    from local.stored.calculator_file import calculator_page  # noqa: PLC0415

    write_out(out, calculator_page(arguments.region), WHERE)
    if arguments.json:
        print_json({"written": str(out)})
    else:
        say(Terminal(), f"calculator: {out}")
    return 0


def _usual() -> Path:
    """Where the file goes unless another is named; its folder is made, as a run makes it."""
    with suppress(OSError):  # which is said of the file
        OUT.parent.mkdir(exist_ok=True)
    return OUT
