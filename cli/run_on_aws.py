"""``breakeven run --on aws``: an execution of the deployed stack, followed as a run on this machine is."""

from __future__ import annotations

import argparse
import json
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from breakeven.errors import InputError
from breakeven.planning.allowance import Allowance
from breakeven.planning.plan import Plan
from breakeven.results import layout
from breakeven.results.state import RUN
from breakeven.steps.plan_run import check_run_id, plan_of
from breakeven.steps.run_input import DEFAULT_SUITE, parse_run_input, suite_of
from breakeven.workload.case import Case
from breakeven.workload.read import load_suite, shipped_suites
from cli.deployed import Deployed, connect, find, told
from cli.outcome import conclude
from cli.progress import PlainView, View, snapshot, view_for
from local.export import export_run

FOLLOW_S = 5.0
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
    deployed = find(connect(arguments.profile, arguments.region), arguments.prefix)
    console = Console(stderr=arguments.json)
    view = PlainView(console) if arguments.json else view_for(console)
    try:
        with told():
            run_id = arguments.follow or _start(deployed, document or {}, view)
            ended = _follow(deployed, run_id, view)
    finally:
        view.close()
    if not ended:
        return _leave(deployed, run_id, console)
    return _fetch(deployed, run_id, arguments, console)


def _check_options(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of runs on this machine, or two that exclude one another"""
    for option in ("rabbitmq_url", "sqs_endpoint"):
        if value := getattr(arguments, option):
            flag = f"--{option.replace('_', '-')}"
            raise InputError("breakeven run --on aws", flag, value, "belongs to runs on this machine")
    if arguments.follow:
        check_run_id(arguments.follow, field="--follow")
        if arguments.resume or arguments.suite:
            remedy = "only follows what was started: give no suite and no --resume"
            raise InputError("breakeven run --on aws", "--follow", arguments.follow, remedy)


def _document(arguments: argparse.Namespace) -> dict[str, Any]:
    """The execution's input: only what is given, so that the deployment's defaults hold.

    :raises InputError: it cannot run, as far as this machine can tell
    """
    fields = ("variant", "scale", "seed", "max_usd")
    document = {name: value for name in fields if (value := getattr(arguments, name)) is not None}
    if arguments.suite in shipped_suites():
        document["suite"] = arguments.suite
    elif arguments.suite is not None:
        suite = load_suite(arguments.suite)
        document |= {"suite": suite.document(), "suite_source": suite.where}
    elif arguments.resume is None:
        document["suite"] = DEFAULT_SUITE
    if arguments.resume is not None:
        check_run_id(arguments.resume, field="--resume")
        document["resume_run_id"] = arguments.resume
    parse_run_input(document, where="breakeven run")
    return document


def _expected(deployed: Deployed, document: dict[str, Any], run_id: str) -> str:
    """What the run will take, in words.

    :raises InputError: this machine knows already that its plan is refused
    """
    if "resume_run_id" in document:
        return f"goes on with run {document['resume_run_id']}"
    wanted = parse_run_input({"region": deployed.account.region, **document})
    plan = plan_of(wanted, suite_of(wanted), run_id, allowance=ANY)
    plan.raise_if_refused()
    minutes, usd = plan.estimate.seconds / 60, plan.estimate.usd
    return f"{len(plan.cases)} cases, about {minutes:.0f} minutes and ${usd:.2f}"


def _start(deployed: Deployed, document: dict[str, Any], view: View) -> str:
    """:raises InputError: another run goes on"""
    run_id = datetime.now(UTC).strftime("r%Y%m%d-%H%M%S-") + secrets.token_hex(2)
    words = _expected(deployed, document, run_id)
    if problem := deployed.lock_problem():
        raise InputError("AWS", "lock", deployed.stack, problem)
    deployed.step_functions.start_execution(
        stateMachineArn=deployed.machine, name=run_id, input=json.dumps(document)
    )
    account = deployed.account
    view.say(f"started {run_id} of {deployed.stack} in {account.region} of account {account.number}: {words}")
    return run_id


def _follow(deployed: Deployed, run_id: str, view: View) -> bool:
    """Show the run until it ends; False when interrupted before that.

    :raises InputError: there is no such run
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    execution, state = deployed.execution(run_id), deployed.state(run_id)
    cases: Sequence[Case] = ()
    try:
        while (status := _status(deployed, execution, run_id)) == RUNNING:
            cases = cases or _planned(deployed, run_id)
            view.show(snapshot(state.items(), cases))
            time.sleep(FOLLOW_S)
    except KeyboardInterrupt:
        return False
    view.show(snapshot(state.items(), cases or _planned(deployed, run_id)))
    view.say(f"the execution has ended: {status}")
    return True


def _status(deployed: Deployed, execution: str, run_id: str) -> str:
    try:
        return str(deployed.step_functions.describe_execution(executionArn=execution)["status"])
    except deployed.step_functions.exceptions.ExecutionDoesNotExist:
        remedy = f"{deployed.stack} has no execution of that name"
        raise InputError("breakeven run --on aws", "--follow", run_id, remedy) from None


def _planned(deployed: Deployed, run_id: str) -> Sequence[Case]:
    """The run's cases, once its first state has planned them."""
    document = deployed.store.find_json(layout.plan_key(run_id))
    return Plan.model_validate(document["plan"]).cases if document else []


def _leave(deployed: Deployed, run_id: str, console: Console) -> int:
    """The command was interrupted, the run was not: whoever sits here decides. Exit code 130."""
    execution = deployed.execution(run_id)
    if sys.stdin.isatty() and _is_to_stop(run_id):
        with told():
            deployed.step_functions.stop_execution(
                executionArn=execution, error="Interrupted", cause="stopped by breakeven run"
            )
        lines = [
            f"{run_id} is stopped: its brokers are let go, and what is settled is kept",
            f"go on with it: breakeven run --on aws --resume {run_id}",
        ]
    else:
        lines = [
            f"{run_id} goes on, and goes on costing",
            f"follow it again: breakeven run --on aws --follow {run_id}",
            f"stop it: aws stepfunctions stop-execution --execution-arn {execution}",
        ]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 130


def _is_to_stop(run_id: str) -> bool:
    try:
        return input(f"stop run {run_id}? [y/N] ").strip().lower() in {"y", "yes"}
    except (KeyboardInterrupt, EOFError):
        return False


def _fetch(deployed: Deployed, run_id: str, arguments: argparse.Namespace, console: Console) -> int:
    with told():
        folder = export_run(deployed.store, deployed.state(run_id), run_id, arguments.runs, STAYS)
    record = json.loads((folder / "state.json").read_text()).get(RUN, {})
    if record.get("failed_at") in BEFORE_ANYTHING:
        raise InputError("AWS", "run", run_id, f"was refused, nothing was started: {record.get('reason')}")
    return conclude(folder, str(record.get("status", "failed")), console, as_json=arguments.json)
