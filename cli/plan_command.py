"""``breakeven plan SUITE``: the cases of a suite, how long they take, and what they cost on AWS."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from breakeven.errors import InputError
from breakeven.planning.budget.estimate import CostLine, Estimate
from breakeven.planning.budget.planning_assumptions import BUILDER_S, SNAPSHOT_S
from breakeven.planning.plan import DEFAULT_MAX_USD, LEAST_MAX_USD, Plan, make_plan
from breakeven.planning.self_test import counted
from breakeven.pricing.prices.book_files import DEFAULT_REGION
from breakeven.workload.case import Case
from breakeven.workload.sizes import format_size
from cli.input_flags import in_flags
from cli.option_parser import number_such_as, one_of
from cli.suite_source import (
    add_scale_option,
    add_spec_options,
    add_variant_option,
    chosen_suite,
    scale_factor,
    where_of,
)
from cli.terminal import Terminal, columns, print_table, say
from local.hardware import hardware
from local.stored import kept_advice

OK, REFUSED = 0, 2
#: where results of this machine are, unless an option says otherwise
RUNS = Path("runs")
#: of a run whose plan does not know whether the image is there
BAKES = (
    "Where the deployment has not baked the brokers' image yet, a run on AWS takes about {minutes:.0f} "
    "minutes more, and some cents."
)
ASSUMED = (
    "Times and messages are estimates from the rates in docs/suites.md. Free tiers are not deducted; what "
    "results cost to keep is in docs/costs.md. Where an earlier run of the suite on AWS was limited by a "
    "loader, its next one there takes more."
)


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "plan",
        help="print a suite's cases, minutes, and dollars on AWS",
        description="Print a suite's cases, their expected time, and dollars on AWS. Nothing is started.",
    )
    command.add_argument(
        "suite", help="a suite file, a shipped suite's name (breakeven, quick), or PerfTest's spec.js"
    )
    add_spec_options(command)
    add_scale_option(command)
    add_variant_option(command)
    command.add_argument("--region", default=DEFAULT_REGION, help=f"whose prices ({DEFAULT_REGION})")
    command.add_argument(
        "--environment",
        type=one_of("aws", "local"),
        metavar="{aws,local}",
        default="aws",
        help="where it would run, as --on of run (aws)",
    )
    command.add_argument(
        "--max-usd", type=number_such_as("20"), help=f"on AWS: refuse above this ({DEFAULT_MAX_USD:g})"
    )
    command.add_argument(
        "--runs",
        type=Path,
        help="with --environment local: folder of earlier runs, from which loader counts follow (runs)",
    )
    command.add_argument("--json", action="store_true", help="print the whole plan as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; 2 when something of it is refused.

    :raises InputError: a suite or an option that makes no plan
    """
    local = arguments.environment == "local"
    max_usd = _max_usd(arguments)
    runs = _runs(arguments)
    suite, differs = chosen_suite(arguments.suite, arguments, arguments.environment)
    # what runs on AWS found is in their own bucket, where their own plan reads it
    advice, warnings = kept_advice.known(runs, suite.suite) if local else (None, [])
    factor = scale_factor(arguments)
    plan = make_plan(
        suite,
        run_id="plan",
        environment=arguments.environment,
        variant=arguments.variant,
        scale=1.0 if factor is None else factor,
        region=arguments.region,
        max_usd=max_usd,
        advice=advice,
        hardware=hardware() if local else None,
    )
    if arguments.json:
        print(plan.model_dump_json(indent=2))
    else:
        print_plan(plan, Terminal())
    for line in (*differs, *warnings, *refusal_lines(plan, arguments.command)):
        print(line, file=sys.stderr)
    return REFUSED if plan.refusals else OK


def _max_usd(arguments: argparse.Namespace) -> float:
    """:raises InputError: it is no limit, or of a run that costs nothing"""
    usd: float | None = arguments.max_usd
    if usd is None:
        return DEFAULT_MAX_USD
    if not LEAST_MAX_USD <= usd < float("inf"):
        # nothing is above "not a number": it would refuse no run at all
        remedy = f"give US dollars, at least {LEAST_MAX_USD:g}, such as {DEFAULT_MAX_USD:g}"
        raise InputError(where_of(arguments), "--max-usd", usd, remedy)
    if arguments.environment == "local":
        remedy = "nothing is billed on one machine: give --environment aws, or leave it out"
        raise InputError(where_of(arguments), "--max-usd", usd, remedy)
    return usd


def _runs(arguments: argparse.Namespace) -> Path:
    """:raises InputError: it is no folder, or nothing of it is asked"""
    runs: Path | None = arguments.runs
    if runs is None:
        return RUNS
    if arguments.environment != "local":
        remedy = "is read by plans for this machine only: give --environment local, or leave it out"
        raise InputError(where_of(arguments), "--runs", str(runs), remedy)
    if not runs.is_dir():
        raise InputError(
            "breakeven plan", "--runs", str(runs), "no such folder; name the one that has the runs"
        )
    return runs


def print_plan(plan: Plan, console: Console) -> None:
    """Everything but the refusals' reasons, which belong on standard error."""
    say(console, f"{plan.suite}: {plan.title}")
    say(console, f"{plan.variant}, {plan.environment}, prices of {plan.estimate.price_book}")
    say(console, "")
    print_table(console, _cases(plan))
    for note in plan.notes:
        say(console, note)
    say(console, _time(plan))
    if plan.environment == "aws":
        say(console, "")
        print_table(console, _dollars(plan.estimate))
        say(console, ASSUMED)
        if any(case.machines for case in plan.cases):
            say(console, BAKES.format(minutes=(BUILDER_S + SNAPSHOT_S) / 60))
        say(console, "")
        print_table(console, _sources(plan.estimate))
    else:
        say(console, "Nothing is billed on one machine.")


def refusal_lines(plan: Plan, command: str = "plan") -> Iterator[str]:
    """One line a refusal: case, file, field, value and remedy."""
    for refusal in plan.refusals:
        case = f"{refusal.case_id}: " if refusal.case_id else ""
        error = InputError(plan.where, refusal.field, refusal.value, refusal.remedy)
        yield f"refused: {case}{in_flags(error, command)}"


def duration(seconds: float) -> str:
    """Seconds below two minutes, then minutes, then hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def _cases(plan: Plan) -> Table:
    refused = {refusal.case_id for refusal in plan.refusals}
    table = columns("case", "target", right=("workers", "queues", "size", "loaders", "expected"))
    for case in plan.cases:
        note = " refused" if case.case_id in refused else ""
        table.add_row(*_cells(case), duration(case.expected_s) + note, style="red" if note else None)
    return table


def _cells(case: Case) -> tuple[str, ...]:
    workload = case.workload
    workers = f"{workload.producers}:{workload.consumers}"
    size = format_size(workload.message_bytes)
    return case.case_id, case.target, workers, str(workload.queues), size, str(case.loaders)


def _time(plan: Plan) -> str:
    lanes = ", ".join(f"{target} {duration(seconds)}" for target, seconds in plan.estimate.lanes.items())
    order = "side by side" if plan.lanes_at_once > 1 else "one after another"
    minutes = plan.estimate.seconds / 60
    return f"{counted(plan.cases)}, about {minutes:.1f} minutes in all ({lanes}, {order})"


def _dollars(expected: Estimate) -> Table:
    table = columns("on AWS", "priced as", right=("quantity", "unit", "USD a unit", "USD"))
    for line in expected.lines:
        usd = f"{line.usd:.4f}" if line.usd is not None else "not known"
        price = f"{line.unit_usd:.6g}" if line.unit_usd is not None else "not known"
        table.add_row(line.what, _item(line), f"{line.quantity:,.6g}", line.unit, price, usd)
    least = "at least " if expected.unpriced else ""
    table.add_row("total", "", "", "", "", f"{least}{expected.usd:.2f}", style="bold")
    return table


def _sources(expected: Estimate) -> Table:
    """Where each price was read, and of what day that is; or why there is none."""
    table = columns("price", "as of", "source", right=())
    for line in expected.lines:
        table.add_row(_item(line), line.as_of, line.reason or line.source)
    return table


def _item(line: CostLine) -> str:
    return f"{line.service}/{line.item}"
