"""``breakeven doctor``: what would stop a run on AWS, or keep its verdict from being heard, and what to do.

A function asks one question. One that cannot be asked (no right to, not known there) is said to be open, and
stops nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from breakeven.errors import InputError
from breakeven.planning.budget.task_lines import VCPU
from breakeven.planning.loaders import quotas
from breakeven.planning.machine_availability import VCPU_QUOTA
from breakeven.pricing.prices.book_files import regions
from breakeven.pricing.prices.instance_types import machine, smaller_types
from breakeven.steps.run.run_input import DEFAULT_SUITE
from breakeven.targets.catalog import clusters
from breakeven.workload.case import MAX_LOADERS
from breakeven.workload.read import load_suite
from cli.doctor.doctor_amazon_mq import amazon_mq
from cli.doctor.doctor_images import brokers_image, loaders_image
from cli.doctor.doctor_machines import account_plan, instance_type, vpcs, zones
from cli.running.deployed import Account, Deployed, Level, Said, add_options, connect, find
from cli.terminal import Terminal, print_json, say

OK, STOPS = 0, 1
WORDS = {"ok": "ok", "note": "note", "open": "?", "stop": "STOP"}
#: of the CDK's bootstrap stack; what the template asks for
BOOTSTRAP_VERSION = 6
QUALIFIER = "hnb659fds"
#: what following a run and fetching its report takes
NEEDED = {
    "states:StartExecution": "StateMachineArn",
    "states:DescribeExecution": "execution",
    "states:StopExecution": "execution",
    "dynamodb:GetItem": "table",
    "dynamodb:Query": "table",
    "s3:ListBucket": "bucket",
    "s3:GetObject": "objects",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """``ok``; ``note``: worth knowing; ``open``: could not be asked; ``stop``: no run would go through."""

    what: str
    level: Level
    said: str


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
    account, console = connect(arguments.profile, arguments.region), Terminal()
    findings = []
    for finding in examine(account, arguments.prefix, arguments.bootstrap_qualifier):
        findings.append(finding)
        if not arguments.json:
            say(console, f"{WORDS[finding.level]:4}  {finding.what}: {finding.said}")
    if arguments.json:
        print_json([asdict(finding) for finding in findings])
    return STOPS if any(finding.level == "stop" for finding in findings) else OK


def examine(account: Account, prefix: str | None, qualifier: str) -> Iterator[Finding]:
    """Each finding as it is made, the account's first."""
    yield Finding("account", "ok", f"{account.number}, as {account.caller}")
    deployed, stack = _stack(account, prefix)
    yield _asked("region", lambda: _region(account))
    yield _asked("bootstrap", lambda: _bootstrap(account, qualifier, needed=deployed is None))
    yield stack
    if not deployed:
        yield _asked("VPC quota", lambda: vpcs(account))
    yield _asked("account plan", lambda: account_plan(account, deployed))
    yield _asked("zones", lambda: zones(account, deployed))
    yield _asked("EC2 quota", lambda: _vcpus(account, deployed))
    yield _asked("Lambda quota", lambda: _functions(account))
    yield _asked("Fargate quota", lambda: _task_vcpus(account))
    yield _asked("Amazon MQ", lambda: amazon_mq(account, deployed))
    if deployed:
        yield _asked("permissions", lambda: _permissions(deployed))
        yield _asked("image", lambda: brokers_image(deployed))
        yield _asked("loaders' image", lambda: loaders_image(deployed))
        yield _asked("mail", lambda: _mail(deployed))
        yield _asked("lock", lambda: _lock(deployed))


def _asked(what: str, ask: Callable[[], Said]) -> Finding:
    try:
        return Finding(what, *ask())
    except (ClientError, BotoCoreError) as error:
        return Finding(what, "open", f"could not be asked: {error}")
    except ResponseParserError:
        return Finding(what, "open", "could not be asked: what answers there is not AWS")


def _stack(account: Account, prefix: str | None) -> tuple[Deployed | None, Finding]:
    try:
        deployed = find(account, prefix)
    except InputError as error:
        return None, Finding("stack", "stop", f"{error.value} {error.remedy}")
    return deployed, Finding("stack", "ok", f"{deployed.stack} in {account.region}")


def _region(account: Account) -> Said:
    if account.region in regions():
        return "ok", f"{account.region} has a price book"
    there = ", ".join(regions())
    return (
        "note",
        f"no price book of it is shipped ({there} are): runs ask the AWS Price List for all",
    )


def _bootstrap(account: Account, qualifier: str, *, needed: bool) -> Said:
    name = f"/cdk-bootstrap/{qualifier}/version"
    try:
        version = int(account.client("ssm").get_parameter(Name=name)["Parameter"]["Value"])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ParameterNotFound":
            raise
        remedy = f"{account.region} is not bootstrapped: npm run cdk -- bootstrap, before the next deployment"
        return ("stop" if needed else "note"), remedy
    if version < BOOTSTRAP_VERSION:
        older = f"version {version} is older than {BOOTSTRAP_VERSION}: npm run cdk -- bootstrap"
        return ("stop" if needed else "note"), older
    return "ok", f"version {version}"


def _vcpus(account: Account, deployed: Deployed | None = None) -> Said:
    """Whether the brokers of one lane fit; others may run in the account beside them.

    Where they do not, a suite that names no machines has smaller ones. It is a reason to stop where a target
    of the default suite does not fit on the smallest either.
    """
    have, usual = account.quota("ec2", VCPU_QUOTA), instance_type(deployed)
    count = {name: nodes.count for name, nodes in clusters().items()}

    def too_few(name: str) -> list[str]:
        each = machine(name).vcpu or 0
        return [target for target, nodes in count.items() if nodes * each > have]

    most = max(count.values()) * (machine(usual).vcpu or 0)
    words = f"{have:g} vCPUs of standard instances, a lane of {usual} takes up to {most:g}"
    if not (without := too_few(usual)):
        return "ok", words
    ask = f"ask for more of quota {VCPU_QUOTA} in Service Quotas"
    words = f"{words}, too few for {', '.join(without)}"
    smaller = [usual, *smaller_types(usual)]
    if fits := next((name for name in smaller if not too_few(name)), None):
        return "note", f"{words}: suites that name no machines run all clusters on {fits}, or {ask}"
    lacking = too_few(smaller[-1])
    stops = not set(lacking).isdisjoint(load_suite(DEFAULT_SUITE).targets)
    return ("stop" if stops else "note"), f"{words}; {', '.join(lacking)} not even on {smaller[-1]}: {ask}"


def _functions(account: Account) -> Said:
    limit = account.client("lambda").get_account_settings()["AccountLimit"]
    have = int(limit["UnreservedConcurrentExecutions"])
    words = f"{have} functions at once"
    if have <= quotas.BESIDE:
        return "stop", f"{words}, too few for any case: {quotas.MORE_FUNCTIONS}"
    if have < MAX_LOADERS + quotas.BESIDE:
        most = have - quotas.BESIDE
        return "note", f"{words}: no case gets more than {most} loaders; {quotas.MORE_FUNCTIONS}"
    return "ok", words


def _task_vcpus(account: Account) -> Said:
    """What long cases may have; the others need none."""
    have = int(account.quota("fargate", quotas.TASKS) // VCPU)
    words = f"{have} vCPUs of tasks, for cases of over 14 min"
    if have < MAX_LOADERS:
        return "note", f"{words}: none of those gets more than {have} loaders; {quotas.MORE_TASKS}"
    return "ok", words


def _permissions(deployed: Deployed) -> Said:
    """What the caller's policies say. Boundaries of an organisation are not simulated."""
    caller = _principal(deployed.account)
    if caller is None:
        return "ok", "the account's root user may do anything"
    outputs, account = deployed.outputs, deployed.account
    bucket = f"arn:aws:s3:::{outputs['BucketName']}"
    table = f"arn:aws:dynamodb:{account.region}:{account.number}:table/{outputs['StateTableName']}"
    places = {
        "StateMachineArn": deployed.machine,
        "execution": deployed.execution("any"),
        "table": table,
        "bucket": bucket,
        "objects": f"{bucket}/runs/any",
    }
    lacking = [
        f"{action} on {places[place]}"
        for action, place in NEEDED.items()
        if not _may(account, caller, action, places[place])
    ]
    if lacking:
        return "stop", f"{caller} lacks {'; '.join(lacking)}"
    return "ok", "start, follow and stop a run, and read its report"


def _principal(account: Account) -> str | None:
    """The user or role whose policies count; None for the root user."""
    name = account.caller.rpartition(":")[2]
    if name == "root":
        return None
    if not name.startswith("assumed-role/"):
        return account.caller
    role = name.split("/")[1]
    found: str = account.client("iam").get_role(RoleName=role)["Role"]["Arn"]
    return found


def _may(account: Account, caller: str, action: str, resource: str) -> bool:
    answer = account.client("iam").simulate_principal_policy(
        PolicySourceArn=caller, ActionNames=[action], ResourceArns=[resource]
    )
    return all(one["EvalDecision"] == "allowed" for one in answer["EvaluationResults"])


def _mail(deployed: Deployed) -> Said:
    topic = deployed.outputs["TopicArn"]
    answer = deployed.account.client("sns").list_subscriptions_by_topic(TopicArn=topic)
    subscribed = answer["Subscriptions"]
    waiting = [one["Endpoint"] for one in subscribed if not one["SubscriptionArn"].startswith("arn:")]
    if waiting:
        return (
            "note",
            f"{', '.join(waiting)} has not confirmed: follow the link in the mail that SNS has sent",
        )
    if not subscribed:
        return "note", "verdicts and alarms reach nobody: deploy with -c breakeven:mail=ADDRESS"
    return "ok", ", ".join(one["Endpoint"] for one in subscribed)


def _lock(deployed: Deployed) -> Said:
    problem = deployed.lock_problem()
    return ("stop", problem) if problem else ("ok", "no run is under way")
