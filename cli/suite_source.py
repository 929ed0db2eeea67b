"""The suite that a command is about: a file, a shipped one or PerfTest's, at the scale that is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from breakeven.errors import InputError
from breakeven.terms import Environment
from breakeven.workload.case import MAX_RATE, Variant
from breakeven.workload.fields import LEAST_RATE, ScaleName
from breakeven.workload.perftest.command_line import read_options
from breakeven.workload.perftest.spec_suite import Wishes, brokers, options_suite, spec_suite
from breakeven.workload.problems import shown
from breakeven.workload.read import at_scale, load_suite, read_bytes
from breakeven.workload.scales import LOCAL
from breakeven.workload.suite import Suite
from cli.option_parser import number_such_as, one_of

#: how the name of a spec file ends
SPEC_SUFFIX = ".js"
#: with PerfTest's files and options only
SPEC_OPTIONS = ("target", "full_rate")


def add_spec_options(command: argparse.ArgumentParser) -> None:
    """What PerfTest's files and options do not say."""
    command.add_argument(
        "--target",
        action="append",
        help="with a spec file of PerfTest: on which brokers, by the type of queue unless given; one of "
        f"{', '.join(brokers())}; may be repeated",
    )
    command.add_argument(
        "--full-rate",
        type=number_such_as("5000"),
        metavar="MSG_PER_S",
        help="with a spec file of PerfTest: the rate that is 100% for rate-vs-latency",
    )


def add_scale_option(command: argparse.ArgumentParser) -> None:
    """How much of the suite: a share of its messages, or one of its own scales."""
    command.add_argument(
        "--scale",
        type=_scale,
        metavar="X",
        help="a number, 0.000001 to 1, shrinks message counts; local or seconds is the suite's own scale of "
        "that name; on one machine local is used where the suite has it and no --scale is given",
    )


def add_variant_option(command: argparse.ArgumentParser) -> None:
    """Which of a suite's two variants."""
    names = get_args(Variant)
    command.add_argument(
        "--variant",
        type=one_of(*names),
        metavar=f"{{{','.join(names)}}}",
        help="which variant of the suite's workloads",
    )


def scale_factor(arguments: argparse.Namespace) -> float | None:
    """What message counts are multiplied by; None: nothing is said of that."""
    return None if isinstance(arguments.scale, str) else arguments.scale


def _scale(text: str) -> float | str:
    if text in get_args(ScaleName):
        return text
    return number_such_as(f"0.1, or {' or '.join(get_args(ScaleName))}")(text)


def chosen_suite(
    source: str, arguments: argparse.Namespace, environment: Environment
) -> tuple[Suite, list[str]]:
    """The suite, and a line for each thing that it does in another way than what was given asks for.

    :param source: a suite or spec file, or a shipped suite's name; unused beside options of PerfTest
    :raises InputError: no valid suite, spec file or option
    """
    options: list[str] | None = getattr(arguments, "perftest", None)
    if options is None and Path(source).suffix != SPEC_SUFFIX:
        check_no_spec_options(arguments)
        return _at_its_scale(load_suite(source), arguments, environment)
    check_no_scale(arguments, "a spec file of PerfTest has no scales of its own; give a number")
    full_rate = arguments.full_rate
    if full_rate is not None and not LEAST_RATE <= full_rate <= MAX_RATE:
        remedy = f"must be messages a second, {LEAST_RATE:g} to {MAX_RATE:.0f}"
        raise InputError(where_of(arguments), "--full-rate", full_rate, remedy)
    wishes = Wishes(environment, tuple(arguments.target or ()), full_rate)
    if options is not None:
        return options_suite(read_options(options), wishes)
    return spec_suite(read_bytes(Path(source), source), source, wishes)


def check_no_scale(arguments: argparse.Namespace, remedy: str) -> None:
    """:raises InputError: one of a suite's own scales is asked for"""
    if isinstance(arguments.scale, str):
        raise InputError(where_of(arguments), "--scale", arguments.scale, remedy)


def _at_its_scale(
    suite: Suite, arguments: argparse.Namespace, environment: Environment
) -> tuple[Suite, list[str]]:
    asked: float | ScaleName | None = arguments.scale
    usual = LOCAL if environment == "local" and LOCAL in suite.scale else None
    name = usual if asked is None else asked
    if name is None or isinstance(name, float):
        return suite, []
    why = "" if asked else ", as on one machine unless --scale says otherwise"
    return at_scale(suite, name), [f"Scale {name} of {suite.where}{why}: --scale 1 runs it as it is written."]


def check_no_spec_options(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of spec files, where there is none"""
    for name in SPEC_OPTIONS:
        if (value := getattr(arguments, name)) is not None:
            remedy = "belongs to spec files of PerfTest, such as spec.js; leave it out"
            given = ", ".join(value) if isinstance(value, list) else value
            raise InputError(where_of(arguments), f"--{name.replace('_', '-')}", shown(given), remedy)


def where_of(arguments: argparse.Namespace) -> str:
    """The command that an error names."""
    return f"breakeven {arguments.command}"
