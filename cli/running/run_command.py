"""``breakeven run``: the whole workflow on this machine, followed to its end."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from breakeven.clients.core.loading import check_switch
from breakeven.errors import BreakevenError, InputError
from breakeven.planning.plan import DEFAULT_ALLOWANCE, Plan
from breakeven.planning.self_test import counted
from breakeven.pricing.prices.book_files import DEFAULT_REGION, load_book
from breakeven.results.items import RUN
from breakeven.steps.run.costs import ask_about
from breakeven.steps.run.plan_run import check_run_id, plan_of, usual_message_bytes
from breakeven.steps.run.resume_run import Earlier, plan_resumed
from breakeven.steps.run.run_input import DEFAULT_SUITE, LOCAL_SUITE, RunInput, parse_run_input, suite_of
from breakeven.words import plural
from cli.option_parser import number_such_as, one_of, whole_number
from cli.running import deployed
from cli.running.live import NoPage, Page, live_page
from cli.running.outcome import RUNS, conclude, given, new_run_id, resume_command
from cli.running.progress import View, snapshot, view_for
from cli.suite_source import (
    add_scale_option,
    add_spec_options,
    add_variant_option,
    check_no_scale,
    check_no_spec_options,
    chosen_suite,
    scale_factor,
)
from cli.terminal import Terminal
from local import run_lock
from local.available_targets import available
from local.hardware import hardware
from local.servers.endpoints import Endpoints
from local.session import Session
from local.stored import kept_advice
from local.stored.export import UnwritableError, check_folder
from local.stored.resumed_run import earlier_run

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GOES_ON = "a run that is resumed has the scale that it was started with; leave it out"
FOLLOW_S = 2.0  # the server that answers shares the cores with what is measured


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "run",
        help="run a suite on this machine, or on AWS",
        description="Run a suite through the whole workflow, on this machine or (--on aws) on the deployed "
        "stack, and follow it to its end.",
    )
    command.add_argument(
        "suite",
        nargs="?",
        help=f"a suite file, a shipped suite's name ({LOCAL_SUITE}; with --on aws {DEFAULT_SUITE}), or "
        "PerfTest's spec.js",
    )
    command.add_argument(
        "--resume",
        metavar="RUN",
        help="go on with that run of the folder of runs (or latest): its settled cases are not run again",
    )
    command.add_argument(
        "--follow", metavar="RUN", help="on AWS: start nothing, follow a run that was started before"
    )
    add_options(command)
    command.set_defaults(run=run)


def live_port(text: str) -> int:
    """A port from the command line, where ``--live`` may be followed by a suite, too."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(
            f"{text!r}: must be a port from 1 to 65535, or nothing for any that is free; "
            "the suite goes before --live"
        )
    return int(text)


def add_options(command: argparse.ArgumentParser) -> None:
    """What a run is given, whatever is run."""
    add_spec_options(command)
    add_variant_option(command)
    add_scale_option(command)
    command.add_argument("--seed", type=whole_number, help="of the random order of targets and cases")
    command.add_argument(
        "--region",
        help="whose price book is used (us-east-1, unless given); with --on aws where the stack is",
    )
    command.add_argument(
        "--on",
        type=one_of("local", "aws"),
        metavar="{local,aws}",
        default="local",
        help="this machine, or the deployed stack (local)",
    )
    deployed.add_options(command)
    command.add_argument(
        "--max-usd", type=number_such_as("20"), help="on AWS: refuse a run that would cost more (20)"
    )
    command.add_argument(
        "--rabbitmq-url",
        action="append",
        default=[],
        metavar="amqp://USER:PASSWORD@HOST:PORT/VHOST",
        help="use a RabbitMQ that runs already; give it once for each node of its cluster. "
        "BREAKEVEN_RABBITMQ_PASSWORD has the password of a USER without one",
    )
    command.add_argument(
        "--sqs-endpoint", metavar="http://HOST:PORT", help="use an SQS-compatible server that runs already"
    )
    command.add_argument(
        "--share",
        action="store_true",
        help="start beside a run that is under way on this machine: flags every case",
    )
    command.add_argument(
        "--live",
        nargs="?",
        type=live_port,
        const=0,
        metavar="PORT",
        help="on this machine: a page that shows the run while it is under way, at that port of loopback, "
        "or at one that is free",
    )
    command.add_argument("--runs", type=Path, default=RUNS, help="folder for results (runs)")
    command.add_argument(
        "--json", action="store_true", help="print the outcome as JSON, progress on standard error"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.on == "aws":
        from cli.running import run_on_aws  # noqa: PLC0415

        if arguments.live is not None:
            remedy = "belongs to runs on this machine: leave it out, or --on aws"
            raise InputError("breakeven run", "--live", arguments.live or None, remedy)
        return run_on_aws.run(arguments)
    for option, value in given(arguments, "prefix", "profile", "follow", "max_usd").items():
        remedy = "belongs to runs on AWS: give --on aws, too, or leave it out"
        raise InputError("breakeven run", f"--{option.replace('_', '-')}", value, remedy)
    return _run_here(arguments)


def _run_here(arguments: argparse.Namespace) -> int:
    check_switch()
    run_id = new_run_id()
    if arguments.resume is None:
        wanted = _wanted(arguments, suite=LOCAL_SUITE, scale=1.0, region=DEFAULT_REGION)
        suite = suite_of(wanted)
        advice, warnings = kept_advice.known(arguments.runs, suite.suite)
        plan = plan_of(wanted, suite, run_id, advice)
        plan.raise_if_refused()
        # the workflow's first state asks them of the same book, which may lack a price that they need
        ask_about(plan.cases, usual_message_bytes(plan.cases), load_book(wanted.region))
    else:
        check_run_id(arguments.resume, field="resume")
        earlier = earlier_run(arguments.runs, arguments.resume)
        # only what is given: the run's plan has the rest
        wanted, suite = _wanted(arguments, resume_run_id=earlier.run_id), suite_of(earlier.wanted)
        plan, warnings = plan_resumed(earlier, wanted, run_id, DEFAULT_ALLOWANCE), [_goes_on(earlier)]
    endpoints = Endpoints(tuple(arguments.rabbitmq_url), arguments.sqs_endpoint)
    endpoints.check(suite, plan.cases)
    with (
        live_page(arguments.live, run_id, plan, arguments.runs) as page,
        run_lock.held(run_id, arguments.runs, share=arguments.share),
    ):
        check_folder(arguments.runs)  # makes it: a run that is refused leaves nothing
        return _run_session(run_id, wanted, plan, endpoints, warnings, page, arguments)


def _run_session(
    run_id: str,
    wanted: RunInput,
    plan: Plan,
    endpoints: Endpoints,
    warnings: Sequence[str],
    page: Page | NoPage,
    arguments: argparse.Namespace,
) -> int:
    endpoints.set_up(plan.cases)
    console = Terminal(stderr=arguments.json)
    view = page.beside(view_for(console, plain=arguments.json))
    # asked now: a terminal that has gone does not say that it was one
    terminals = [stream.fileno() for stream in (sys.stdout, sys.stderr) if stream.isatty()]
    for number in ENDING:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores it
            signal.signal(number, partial(_interrupt, terminals))
    try:
        for line in (*warnings, *wanted.surroundings.notes, *plan.notes):
            view.say(line)
        folder, outcome = _follow(run_id, wanted, plan, endpoints, arguments.runs, view)
    finally:
        view.close()
    page.end(outcome)
    return conclude(folder, outcome, console, as_json=arguments.json)


def _wanted(arguments: argparse.Namespace, **usual: Any) -> RunInput:
    """:param usual: what is wanted where an option says nothing"""
    document = {**usual, **given(arguments, "suite", "variant", "seed", "region")}
    if (factor := scale_factor(arguments)) is not None:
        document["scale"] = factor
    notes: list[str] = []
    if "suite" in document:
        suite, notes = chosen_suite(document["suite"], arguments, "local")
        if not arguments.rabbitmq_url:
            suite, left_out = available(suite)
            notes += left_out
        document |= {"suite": suite.document(), "suite_source": suite.where}
    else:
        check_no_spec_options(arguments)
        check_no_scale(arguments, GOES_ON)
    surroundings = {"name": "local", "hardware": hardware(), "shared": arguments.share, "notes": notes}
    return parse_run_input({**document, "surroundings": surroundings}, where="breakeven run")


def _goes_on(earlier: Earlier) -> str:
    found = earlier.to_json()
    return f"resumes {found['run_id']}: {found['settled']} of its {found['cases']} cases are settled"


def _interrupt(terminals: Sequence[int], number: int, _: object) -> None:
    if number == signal.SIGHUP:
        _leave(terminals)
    _end_undisturbed()
    raise KeyboardInterrupt


def _end_undisturbed() -> None:
    """From now on the run is brought to its end, whatever signals say.

    A second Ctrl-C must not cut the clean-up short, nor the second SIGTERM of `timeout`, which sends one to
    the process and one to its group. What is ignored here would be ignored by what the clean-up starts, too.
    """
    for ending in ENDING:
        signal.signal(ending, lambda *_: None)


def _leave(terminals: Sequence[int]) -> None:
    """Print to nobody where the terminal has gone: to write there fails, and would cut the clean-up short."""
    nobody = os.open(os.devnull, os.O_WRONLY)
    for descriptor in terminals:
        os.dup2(nobody, descriptor)


def _follow(
    run_id: str, wanted: RunInput, plan: Plan, endpoints: Endpoints, runs: Path, view: View
) -> tuple[Path, str]:
    """Run to the end, or until interrupted; returns the run's folder and how it ended.

    :raises BreakevenError: the folder of runs takes no more
    """
    ids = {one.case_id for legs in plan.rounds for leg in legs for one in leg.cases}
    to_run = counted(case for case in plan.cases if case.case_id in ids)
    view.say(f"{to_run}, about {plural(max(1, round(plan.estimate.seconds / 60)), 'minute')}")
    try:
        with Session(runs, view.say, endpoints, run_id, plan.suite, plan.cases) as session:
            try:
                session.start(wanted)
                while session.running():
                    view.show(snapshot(session.records(), plan.cases, plan=plan))
                    time.sleep(FOLLOW_S)
                view.show(snapshot(session.records(), plan.cases, plan=plan))
                outcome = str(session.state.get(RUN).get("status", "failed"))
            except KeyboardInterrupt:
                view.say("interrupted: stopping what was started, keeping what was measured")
                outcome = "interrupted"
                session.interrupt()
            _end_undisturbed()
            return session.export(), outcome
    except UnwritableError as error:
        raise BreakevenError(f"{error}: the run was stopped; {_kept(runs / run_id)}") from error


def _kept(folder: Path) -> str:
    if not (folder / "state.json").exists():
        return "nothing was kept"
    return f"settled cases are kept; make room, then: {resume_command(folder)}"
