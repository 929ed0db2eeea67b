"""``breakeven run``: the whole workflow on this machine, followed to its end."""

from __future__ import annotations

import argparse
import json
import secrets
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from rich.console import Console

from breakeven.errors import BreakevenError
from breakeven.planning.plan import Plan
from breakeven.report.model import Report
from breakeven.results.state import RUN
from breakeven.steps.plan_run import plan_of, suite_of
from breakeven.steps.run_input import RunInput, parse_run_input
from breakeven.workload.read import load_suite
from cli.progress import PlainView, View, snapshot, view_for
from cli.summary import print_summary
from local import loader_advice
from local.hardware import hardware

if TYPE_CHECKING:
    from local.session import Endpoints

FOLLOW_S = 2.0  # the server that answers shares the cores with what is measured
OK, FAILED, SOME_CASES_FAILED, INTERRUPTED = 0, 1, 3, 130


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "run",
        help="run a suite on this machine",
        description="Run a suite through the whole workflow, on this machine.",
    )
    command.add_argument(
        "suite", nargs="?", default="quick", help="a suite file, or a shipped suite's name (quick)"
    )
    command.add_argument("--variant", choices=["equal-guarantees", "as-published"])
    command.add_argument("--scale", type=float, default=1.0, help="shrink message counts: 0 < scale <= 1")
    command.add_argument("--seed", type=int, help="orders targets and cases")
    command.add_argument("--region", default="us-east-1", help="whose price book is used (us-east-1)")
    command.add_argument(
        "--rabbitmq-url",
        action="append",
        default=[],
        metavar="amqp://USER:PASSWORD@HOST:PORT/VHOST",
        help="use a RabbitMQ that runs already; give it twice, once for each node of the pair",
    )
    command.add_argument(
        "--sqs-endpoint", metavar="http://HOST:PORT", help="use an SQS-compatible server that runs already"
    )
    command.add_argument("--runs", type=Path, default=Path("runs"), help="folder for results (runs)")
    command.add_argument(
        "--json", action="store_true", help="print the outcome as JSON, progress on standard error"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    # the control plane takes seconds to import, and planning or a usage message needs none of it
    from local.session import Endpoints  # noqa: PLC0415

    wanted = _wanted(arguments)
    run_id = datetime.now(UTC).strftime("r%Y%m%d-%H%M%S-") + secrets.token_hex(2)
    suite = suite_of(wanted)
    advice, warnings = loader_advice.known(arguments.runs, suite.suite)
    plan = plan_of(wanted, suite, run_id, advice)
    plan.raise_if_refused()
    endpoints = Endpoints(tuple(arguments.rabbitmq_url), arguments.sqs_endpoint)
    endpoints.check(suite, plan.cases)
    console = Console(stderr=arguments.json)
    view = PlainView(console) if arguments.json else view_for(console)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        for line in (*warnings, *plan.loader_notes):
            view.say(line)
        folder, outcome = _follow(run_id, wanted, plan, endpoints, arguments.runs, view)
    finally:
        view.close()
    return _conclude(folder, outcome, arguments, console)


def _wanted(arguments: argparse.Namespace) -> RunInput:
    suite = load_suite(arguments.suite)
    document = {
        "suite": suite.document(),
        "suite_source": suite.where,
        "variant": arguments.variant,
        "scale": arguments.scale,
        "seed": arguments.seed,
        "region": arguments.region,
        "surroundings": {"name": "local", "hardware": hardware()},
    }
    return parse_run_input(document, where="breakeven run")


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _follow(
    run_id: str, wanted: RunInput, plan: Plan, endpoints: Endpoints, runs: Path, view: View
) -> tuple[Path, str]:
    """Run to the end, or until interrupted; returns the run's folder and how it ended."""
    from local.session import Session  # noqa: PLC0415

    view.say(f"{len(plan.cases)} cases, about {plan.estimate.seconds / 60:.0f} minutes")
    with Session(runs, view.say, endpoints) as session:
        try:
            session.start(run_id, wanted)
            while session.running():
                view.show(snapshot(session.state.items(), plan.cases))
                time.sleep(FOLLOW_S)
            view.show(snapshot(session.state.items(), plan.cases))
            outcome = str(session.state.get(RUN).get("status", "failed"))
        except KeyboardInterrupt:
            # a second Ctrl-C must not cut the clean-up short
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            view.say("interrupted: stopping what was started, keeping what was measured")
            outcome = "interrupted"
            session.interrupt()
        return session.export(run_id), outcome


def _conclude(folder: Path, outcome: str, arguments: argparse.Namespace, console: Console) -> int:
    path = folder / "report" / "report.json"
    report = Report.model_validate_json(path.read_bytes()) if path.exists() else None
    if arguments.json:
        json.dump(_document(folder, outcome, report), sys.stdout, indent=2)
        print()
    elif report:
        print_summary(report, console)
        console.print(f"report: {folder / 'report' / 'index.html'}", soft_wrap=True, highlight=False)
    if outcome == "interrupted":
        kept = f"what was measured is in {folder}" if folder.exists() else "nothing had been measured"
        console.print(kept, soft_wrap=True, highlight=False)
        return INTERRUPTED
    if outcome == "failed" or report is None:
        reason = (
            json.loads((folder / "state.json").read_text()).get(RUN, {}).get("reason", "it left no record")
        )
        raise BreakevenError(f"the run failed: {reason}; logs and results are in {folder}")
    return OK if outcome == "ok" else SOME_CASES_FAILED


def _document(folder: Path, outcome: str, report: Report | None) -> dict[str, Any]:
    document: dict[str, Any] = {"status": outcome, "folder": str(folder), "report": None}
    if report:
        document["report"] = str(folder / "report" / "report.json")
        document["verdict"] = report.verdict
        document["cases"] = [
            {"case_id": case.case_id, "status": case.status, "reason": case.reason} for case in report.cases
        ]
    return document
