"""``breakeven plan SUITE``: the cases of a suite, how long they take, and what they cost on AWS."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from breakeven.errors import InputError
from breakeven.planning.plan import DEFAULT_MAX_USD, make_plan
from breakeven.pricing.prices.book import DEFAULT_REGION
from breakeven.workload.read import load_suite
from cli.plan_output import print_plan, refusal_lines
from local.hardware import hardware
from local.stored import kept_advice

OK, REFUSED = 0, 2


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "plan",
        help="print a suite's cases, minutes, and dollars on AWS",
        description="Print a suite's cases, their expected time, and dollars on AWS. Nothing is started.",
    )
    command.add_argument("suite", help="a suite file, or a shipped suite's name (quick)")
    command.add_argument("--scale", type=float, default=1.0, help="shrink message counts: 0 < scale <= 1")
    command.add_argument("--variant", choices=["equal-guarantees", "as-published"])
    command.add_argument("--region", default=DEFAULT_REGION, help=f"whose prices ({DEFAULT_REGION})")
    command.add_argument("--environment", choices=["aws", "local"], default="aws", help="where it would run")
    command.add_argument(
        "--max-usd", type=float, default=DEFAULT_MAX_USD, help=f"refuse above this ({DEFAULT_MAX_USD:g})"
    )
    command.add_argument(
        "--runs", type=Path, default=Path("runs"), help="results, for local loader counts (runs)"
    )
    command.add_argument("--json", action="store_true", help="print the whole plan as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; 2 when something of it is refused.

    :raises InputError: a suite or an option that makes no plan
    """
    if not 0 < arguments.max_usd < float("inf"):
        # nothing is above "not a number": it would refuse no run at all
        remedy = f"give US dollars above 0, such as {DEFAULT_MAX_USD:g}"
        raise InputError("breakeven plan", "--max-usd", arguments.max_usd, remedy)
    suite, local = load_suite(arguments.suite), arguments.environment == "local"
    # what runs on AWS found is in their own bucket, where their own plan reads it
    advice, warnings = kept_advice.known(arguments.runs, suite.suite) if local else (None, [])
    plan = make_plan(
        suite,
        run_id="plan",
        environment=arguments.environment,
        variant=arguments.variant,
        scale=arguments.scale,
        region=arguments.region,
        max_usd=arguments.max_usd,
        advice=advice,
        hardware=hardware() if local else None,
    )
    if arguments.json:
        print(plan.model_dump_json(indent=2))
    else:
        print_plan(plan, Console())
    for line in (*warnings, *refusal_lines(plan)):
        print(line, file=sys.stderr)
    return REFUSED if plan.refusals else OK
