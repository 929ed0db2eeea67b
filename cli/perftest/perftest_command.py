"""``breakeven perftest -- OPTIONS``: what PerfTest's command line asks for, run as a suite of ours."""

from __future__ import annotations

import argparse
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.prices.book_files import DEFAULT_REGION
from breakeven.workload.perftest.command_line import read_options
from breakeven.workload.perftest.spec_faults import in_options
from cli import plan_command
from cli.command_name import command
from cli.running import run_command
from cli.running.outcome import RUNS

EXAMPLE = command("perftest -- -x 1 -y 2 -u throughput-test-1 -a -z 30")
DESCRIPTION = (
    "Run what a command line of RabbitMQ's PerfTest asks for: its options stand behind --, as in "
    f"{EXAMPLE}. Options that are carried out in another "
    "way are named, each with the reason; docs/perftest.md lists them."
)


#: what a plan does not take into account
OF_RUNS = ("seed", "rabbitmq_url", "sqs_endpoint", "share", "live", "prefix", "profile")


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "perftest", help="run what PerfTest's command line asks for", description=DESCRIPTION
    )
    command.add_argument("--plan", action="store_true", help="print the plan; start nothing")
    run_command.add_options(command)
    command.add_argument("perftest", nargs="*", metavar="-- OPTIONS", help="PerfTest's options")
    command.set_defaults(run=run, suite="perftest", resume=None, follow=None)


def run(arguments: argparse.Namespace) -> int:
    """Run or plan it; the exit codes are those of ``breakeven run`` and ``breakeven plan``.

    :raises InputError: an option that is unknown, or cannot be carried out
    """
    if not arguments.perftest:
        remedy = f"are PerfTest's options, such as: {EXAMPLE}"
        raise InputError("breakeven perftest", "options behind --", "none", remedy)
    try:
        return _planned(arguments) if arguments.plan else run_command.run(arguments)
    except InputError as error:
        raise _in_options(error, arguments.perftest) from error


def _in_options(error: InputError, words: list[str]) -> InputError:
    """A fault of the suite that was made of the options, by the option that is at fault."""
    try:
        return in_options(error, read_options(words))
    except InputError:  # the options themselves are at fault, and are named
        return error


def _planned(arguments: argparse.Namespace) -> int:
    _check_no_run(arguments)
    usual = {"scale": 1.0, "region": DEFAULT_REGION}
    given = {name: value for name, value in vars(arguments).items() if value is not None}
    given |= {"environment": arguments.on, "runs": None if arguments.runs == RUNS else arguments.runs}
    empty = dict.fromkeys(vars(arguments))
    return plan_command.run(argparse.Namespace(**{**empty, **usual, **given}))


def _check_no_run(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of runs, which a plan would leave out of account"""
    for name in OF_RUNS:
        value = getattr(arguments, name)
        if value is None or value is False or value == []:
            continue
        # an address may hold a password, and --share has no value
        given = value if name in ("seed", "prefix", "profile") else None
        remedy = "is of a run, and --plan starts none: leave out one of the two"
        raise InputError("breakeven perftest", f"--{name.replace('_', '-')}", given, remedy)
