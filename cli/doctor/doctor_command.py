"""``breakeven doctor``: whether a run on AWS would go through, and what to do where it would not."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from rich.console import Console

from cli.doctor.doctor_checks import QUALIFIER, examine
from cli.running.deployed import add_options, connect
from cli.terminal import print_json, say

OK, STOPS = 0, 1
WORDS = {"ok": "ok", "note": "note", "open": "?", "stop": "STOP"}


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "doctor",
        help="check an account and its deployed stack: what would stop a run",
        description="Check account, region, bootstrap, stack, quotas, permissions, images, mail and lock, a "
        "line each: ok, a note, ? (could not be asked) or STOP, with what to do. It changes nothing. Exit "
        "codes: 0 a run can be started; 1 something would stop it; 2 there is no account to look at.",
    )
    command.add_argument("--region", help="where the stack is (AWS_REGION, or the profile's)")
    add_options(command)
    command.add_argument(
        "--bootstrap-qualifier", default=QUALIFIER, help=f"of the CDK's bootstrap ({QUALIFIER})"
    )
    command.add_argument("--json", action="store_true", help="print the findings as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; returns the exit code.

    :raises InputError: no region, or no credentials that AWS takes
    """
    account, console = connect(arguments.profile, arguments.region), Console()
    findings = []
    for finding in examine(account, arguments.prefix, arguments.bootstrap_qualifier):
        findings.append(finding)
        if not arguments.json:
            say(console, f"{WORDS[finding.level]:4}  {finding.what}: {finding.said}")
    if arguments.json:
        print_json([asdict(finding) for finding in findings])
    return STOPS if any(finding.level == "stop" for finding in findings) else OK
