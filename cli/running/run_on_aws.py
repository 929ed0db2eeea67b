"""``breakeven run --on aws``: an execution of the deployed stack, followed as a run on this machine is."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError
from rich.console import Console

from breakeven.errors import InputError, SelfTestFailedError
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.plan import Plan
from breakeven.planning.self_test import counted
from breakeven.pricing.prices.book_files import regions
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.steps.run.plan_run import check_run_id, plan_of
from breakeven.steps.run.run_input import DEFAULT_SUITE, parse_run_input, suite_of
from breakeven.workload.read import shipped_suites
from cli.command_name import command
from cli.exit_codes import INTERRUPTED, NOT_FOLLOWED
from cli.running.deployed import (
    Deployed,
    Line,
    LostError,
    aws_errors_in_words,
    connect,
    find,
    is_about_credentials,
    is_passing,
)
from cli.running.outcome import conclude, given, new_run_id
from cli.running.progress import View, snapshot, view_for
from cli.suite_source import (
    SPEC_OPTIONS,
    check_no_scale,
    check_no_spec_options,
    chosen_suite,
    scale_factor,
)
from cli.terminal import Terminal, say
from local.stored.export import check_folder, export_run

WHERE = "breakeven run --on aws"
FOLLOW_S = 5.0
#: how long Step Functions may not know what it has just started: what it says is "eventually consistent" (its
#: API reference, DescribeExecution)
KNOWN_WITHIN_S = 30.0
RUNNING = "RUNNING"
#: a case's raw results and document stay in the bucket: no report and no query needs them
STAYS = ("raw", "cases")
#: states before which nothing was started
BEFORE_ANYTHING = {"Plan", "TakeLock"}
#: the deployment has its own limits, which its plan knows
ANY = Allowance(max_msg_per_s=1e12, max_sqs_usd=1e12)


def run(arguments: argparse.Namespace) -> int:
    """Start, or only follow, an execution; the exit codes are those of a run on this machine.

    :raises InputError: bad input, no installation that could run it, or a run under way
    """
    _check_options(arguments)
    document = None if arguments.follow else _document(arguments)
    check_folder(arguments.runs)

    def installation() -> Deployed:
        return find(connect(arguments.profile, arguments.region), arguments.prefix)

    deployed, console = installation(), Terminal(stderr=arguments.json)
    view = view_for(console, plain=arguments.json)
    line = Line(deployed, installation, view)
    run_id = arguments.follow or new_run_id()
    try:
        if not arguments.follow:
            _start(deployed, run_id, document or {}, view)
        known_s = 0.0 if arguments.follow else KNOWN_WITHIN_S
        ended = _follow(line, run_id, view, time.monotonic() + known_s)
        if ended:
            folder = line.ask(
                lambda at: export_run(at.store, at.state(run_id), run_id, arguments.runs, STAYS)
            )
    except LostError as error:
        view.close()
        for text in (f"{run_id} cannot be followed any more: {error}", *_how_to_go_on(deployed, run_id)):
            say(console, text)
        return NOT_FOLLOWED
    except KeyboardInterrupt:  # while it is started, or its results are fetched
        view.close()
        for text in (
            f"interrupted: {run_id} may be running, and its results are not all here",
            *_how_to_go_on(deployed, run_id),
        ):
            say(console, text)
        return INTERRUPTED
    finally:
        view.close()
    if not ended:
        return _leave(line.deployed, run_id, console)
    return _conclude(folder, run_id, arguments, console)


def _check_options(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of runs on this machine, or two that exclude one another"""
    for option in ("rabbitmq_url", "sqs_endpoint", "share"):
        if getattr(arguments, option):
            flag = f"--{option.replace('_', '-')}"
            # neither an address, which may hold a password, nor that --share is there
            raise InputError(WHERE, flag, None, "belongs to runs on this machine: leave it out, or --on aws")
    if arguments.follow:
        check_run_id(arguments.follow, field="--follow")
        of_a_start = ("suite", "resume", "variant", "scale", "seed", "max_usd", *SPEC_OPTIONS)
        if found := given(arguments, *of_a_start):
            option = next(name if name == "suite" else f"--{name.replace('_', '-')}" for name in found)
            remedy = f"only follows what was started: leave {option} out"
            raise InputError(WHERE, "--follow", arguments.follow, remedy)


def _document(arguments: argparse.Namespace) -> dict[str, Any]:
    """The execution's input: only what is given, so that the deployment's defaults hold.

    :raises InputError: it cannot run, as far as this machine can tell
    """
    document = given(arguments, "variant", "seed", "max_usd")
    if (factor := scale_factor(arguments)) is not None:
        document["scale"] = factor
    if arguments.suite is None or arguments.suite in shipped_suites():
        check_no_spec_options(arguments)
    if arguments.suite is None:
        check_no_scale(arguments, "belongs to a suite; name it, or give a number")
    if arguments.suite in shipped_suites() and not isinstance(arguments.scale, str):
        document["suite"] = arguments.suite
    elif arguments.suite is not None:
        suite, notes = chosen_suite(arguments.suite, arguments, "aws")
        document |= {"suite": suite.document(), "suite_source": suite.where}
        if notes:
            document["surroundings"] = {"notes": notes}
    elif arguments.resume is None:
        document["suite"] = DEFAULT_SUITE
    if arguments.resume is not None:
        check_run_id(arguments.resume, field="resume")
        document["resume_run_id"] = arguments.resume
    parse_run_input(document, where="breakeven run")
    return document


def _expected(deployed: Deployed, document: dict[str, Any], run_id: str) -> str:
    """What the run will take, in words.

    :raises InputError: this machine knows already that its plan is refused
    """
    if "resume_run_id" in document:
        return f"resumes run {document['resume_run_id']}"
    wanted = parse_run_input({"region": deployed.account.region, **document})
    plan = plan_of(wanted, suite_of(wanted), run_id, allowance=ANY)
    if wanted.region not in regions():  # whose prices only the account's own plan can ask for
        return f"{counted(plan.cases)}, priced there: no book of {wanted.region} is shipped"
    plan.raise_if_refused()
    minutes, usd = plan.estimate.seconds / 60, plan.estimate.usd
    return f"{counted(plan.cases)}, about {minutes:.0f} minutes and ${usd:.2f}"


def _start(deployed: Deployed, run_id: str, document: dict[str, Any], view: View) -> None:
    """
    :raises InputError: another run goes on, or AWS refuses to start this one
    :raises LostError: AWS has not answered, and may have started it
    """
    with aws_errors_in_words():
        words = _expected(deployed, document, run_id)
        if problem := deployed.lock_problem():
            raise InputError("AWS", "lock", deployed.stack, problem)
        try:
            # made again by boto3 where its answer was lost: one name and input start one execution
            deployed.step_functions.start_execution(
                stateMachineArn=deployed.machine, name=run_id, input=json.dumps(document)
            )
        except (ClientError, HTTPClientError, ConnectionError) as error:
            if not is_passing(error) or is_about_credentials(error):
                raise
            raise LostError(f"whether it was started is not known ({error})") from error
    account = deployed.account
    view.say(f"started {run_id} of {deployed.stack} in {account.region} of account {account.number}: {words}")


def _follow(line: Line, run_id: str, view: View, known_s: float) -> bool:
    """Show the run until it ends; False when interrupted before that.

    :param known_s: monotonic seconds, until which it runs although it is not known
    :raises InputError: there is no such run
    :raises LostError: it cannot be followed any more
    """
    plan: Plan | None = None
    try:
        while True:
            status = line.ask(lambda at: _status(at, run_id, known_s))
            if plan is None and (plan := line.ask(lambda at: _planned(at, run_id))):
                for note in (*plan.machine_notes, *plan.loader_notes):
                    view.say(note)
            cases = plan.cases if plan else ()
            view.show(snapshot(line.ask(lambda at: at.state(run_id).items()), cases, plan=plan))
            if status != RUNNING:
                break
            time.sleep(FOLLOW_S)
    except KeyboardInterrupt:
        return False
    view.say(f"the execution has ended: {status}")
    return True


def _status(deployed: Deployed, run_id: str, known_s: float) -> str:
    execution = deployed.execution(run_id)
    try:
        return str(deployed.step_functions.describe_execution(executionArn=execution)["status"])
    except deployed.step_functions.exceptions.ExecutionDoesNotExist:
        if time.monotonic() < known_s:
            return RUNNING
        remedy = f"{deployed.stack} has no execution of that name"
        raise InputError(WHERE, "--follow", run_id, remedy) from None


def _planned(deployed: Deployed, run_id: str) -> Plan | None:
    """The run's plan, once its first state has made it."""
    document = deployed.store.find_json(layout.plan_key(run_id))
    return Plan.model_validate(document["plan"]) if document else None


def _leave(deployed: Deployed, run_id: str, console: Console) -> int:
    """The command was interrupted, the run was not: whoever sits here decides. Exit code 130."""
    lines = [f"{run_id} is still running and still incurs costs", *_how_to_go_on(deployed, run_id)]
    if sys.stdin.isatty() and _is_to_stop(run_id):
        try:
            deployed.step_functions.stop_execution(
                executionArn=deployed.execution(run_id), error="Interrupted", cause="stopped by breakeven run"
            )
        except (ClientError, BotoCoreError) as error:
            lines = [f"{run_id} could not be stopped: {error}", *lines]
        else:
            lines = [
                f"{run_id} is stopped: its brokers are terminated, and settled cases are kept",
                f"resume it: {command(f'run --on aws --resume {run_id}')}",
            ]
    for text in lines:
        say(console, text)
    return INTERRUPTED


def _how_to_go_on(deployed: Deployed, run_id: str) -> list[str]:
    return [
        f"follow it again: {command(f'run --on aws --follow {run_id}')}",
        f"stop it: aws stepfunctions stop-execution --execution-arn {deployed.execution(run_id)}",
    ]


def _is_to_stop(run_id: str) -> bool:
    try:
        return input(f"stop run {run_id}? [y/N] ").strip().lower() in {"y", "yes"}
    except (KeyboardInterrupt, EOFError):
        return False


def _conclude(folder: Path, run_id: str, arguments: argparse.Namespace, console: Console) -> int:
    record = json.loads((folder / "state.json").read_text()).get(RUN, {})
    if (state := record.get("failed_at")) in BEFORE_ANYTHING:
        error = record.get("failed", {}).get(state, {}).get("Error")
        kind = SelfTestFailedError if error == SelfTestFailedError.__name__ else InputError
        raise kind("AWS", "run", run_id, f"was refused, nothing was started: {record.get('reason')}")
    return conclude(folder, str(record.get("status", "failed")), console, as_json=arguments.json)
