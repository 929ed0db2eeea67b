"""The deployed installation that a command works with: found by its stack, as the account's settings say.

Region, profile and credentials come from where the AWS command line has them, too.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoRegionError

from breakeven.errors import BreakevenError, InputError, LockHeldError
from breakeven.installation import Installation
from breakeven.results.items import LOCKS
from breakeven.results.state import RunState
from breakeven.results.store import Store
from breakeven.steps.run.take_lock import check_lease, lock_item
from breakeven.workload.problems import did_you_mean
from cli.running.progress import View

WHERE = "AWS"
#: of a stack that can be used
USABLE = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}
CREDENTIALS = "set AWS_PROFILE or the keys' variables, or run aws configure or aws sso login"
#: in the names of AWS' errors that say so ("Common errors", of each service's API reference)
ABOUT_CREDENTIALS = ("Token", "Signature", "AccessKey", "AuthFailure", "RequestExpired")
#: how long AWS may not answer, or credentials be out of date, before the run is not followed any more
PATIENCE_S = 900.0
TRY_AGAIN_S = 5.0
T = TypeVar("T")
QUICK = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 4})


@contextmanager
def aws_errors_in_words() -> Iterator[None]:
    """What AWS, or the way to it, refuses becomes one line with a remedy.

    :raises InputError: in the place of boto3's errors
    """
    try:
        yield
    except NoRegionError:
        raise InputError(WHERE, "region", None, "give --region, or set AWS_REGION or the profile's") from None
    except ClientError as error:
        code, said = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
        remedy = f"{error.operation_name} was refused: {said}"
        if is_about_credentials(error):
            remedy = f"{remedy}; {CREDENTIALS}"
        raise InputError(WHERE, "access", code, remedy) from error
    except BotoCoreError as error:
        raise InputError(WHERE, "credentials", type(error).__name__, f"{error}; {CREDENTIALS}") from error


def is_about_credentials(error: ClientError | BotoCoreError) -> bool:
    """They are missing, wrong, or out of date."""
    if isinstance(error, ClientError):
        code = error.response["Error"].get("Code", "")
        return any(word in code for word in ABOUT_CREDENTIALS)
    return any(word in type(error).__name__ for word in ("Credential", "Token", "SSO"))


def stack_name(prefix: str | None) -> str:
    """As the deployment's context names it."""
    return f"{prefix}-{Installation().owner}" if prefix else Installation().owner


Level = Literal["ok", "note", "open", "stop"]
Said = tuple[Level, str]


@dataclass(frozen=True)
class Account:
    """``session`` has credentials; ``number`` and ``caller`` are whose."""

    session: Any
    number: str
    caller: str

    @property
    def region(self) -> str:
        return str(self.session.region_name)

    def client(self, service: str, region: str | None = None) -> Any:
        return self.session.client(service, config=QUICK, region_name=region or self.region)

    def quota(self, service: str, code: str) -> float:
        found = self.client("service-quotas").get_service_quota(ServiceCode=service, QuotaCode=code)
        return float(found["Quota"]["Value"])


def connect(profile: str | None, region: str | None) -> Account:
    """:raises InputError: no region, no such profile, or credentials that are missing or out of date"""
    with aws_errors_in_words():
        # boto3 reads AWS_DEFAULT_REGION alone; the CDK and the other SDKs read AWS_REGION first
        asked = region or os.environ.get("AWS_REGION") or None
        session = boto3.Session(profile_name=profile, region_name=asked)
        if session.region_name is None:
            raise NoRegionError
        _check_region(session, "--region" if region else "region (AWS_REGION, or the profile's)")
        who = session.client("sts", config=QUICK).get_caller_identity()
    return Account(session, str(who["Account"]), str(who["Arn"]))


def _check_region(session: Any, given_by: str) -> None:
    """Before credentials are looked for: without them, nothing else would be said of a region.

    :raises InputError: boto3 knows no such region
    """
    parts = session.get_available_partitions()
    known = [name for part in parts for name in session.get_available_regions("ec2", partition_name=part)]
    if session.region_name not in known:
        close = did_you_mean(session.region_name, known)
        newer = f"one that is newer than boto3 {boto3.__version__} needs a newer boto3"
        remedy = f"no region of AWS, such as us-east-1; {close}{newer}"
        raise InputError(WHERE, given_by, session.region_name, remedy)


@dataclass(frozen=True)
class Deployed:
    account: Account
    stack: str
    outputs: dict[str, str]

    @property
    def machine(self) -> str:
        return self.outputs["StateMachineArn"]

    @cached_property
    def step_functions(self) -> Any:
        return self.account.client("stepfunctions")

    @cached_property
    def store(self) -> Store:
        return Store(self.account.client("s3"), self.outputs["BucketName"])

    @cached_property
    def _table(self) -> Any:
        resource = self.account.session.resource("dynamodb", config=QUICK)
        return resource.Table(self.outputs["StateTableName"])

    def state(self, run_id: str) -> RunState:
        return RunState(self._table, run_id)

    def resources(self, kind: str, logical_id: str = r"\w+") -> list[str]:
        """Physical ids of the stack's resources of a type, whose logical ids match a regular expression."""
        pages = self.account.client("cloudformation").get_paginator("list_stack_resources")
        return [
            each["PhysicalResourceId"]
            for page in pages.paginate(StackName=self.stack)
            for each in page["StackResourceSummaries"]
            if each["ResourceType"] == kind and re.fullmatch(logical_id, each["LogicalResourceId"])
        ]

    def execution(self, run_id: str) -> str:
        """The ARN of the execution of that name."""
        return f"{self.machine.replace(':stateMachine:', ':execution:')}:{run_id}"

    def lock_problem(self) -> str | None:
        """Why no run can start now: another one goes on, or may."""
        held = RunState(self._table, LOCKS).get(lock_item(self.machine))
        try:
            check_lease(held, self.step_functions)
        except LockHeldError as error:
            return str(error)
        return None


def find(account: Account, prefix: str | None) -> Deployed:
    """:raises InputError: there is no such stack, or it is not whole"""
    name = stack_name(prefix)
    place = f"{account.region} of account {account.number}"
    try:
        with aws_errors_in_words():
            (stack,) = account.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    except InputError as error:
        if error.value != "ValidationError":
            raise
        remedy = f"is not deployed in {place}: npm run deploy, or give --prefix, --region or --profile"
        raise InputError(WHERE, "stack", name, remedy) from None
    status = str(stack["StackStatus"])
    outputs = {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}
    if status not in USABLE or "StateMachineArn" not in outputs:
        raise InputError(
            WHERE, "stack", name, f"is {status} in {place}: wait for its end, or deploy it again"
        )
    return Deployed(account, name, outputs)


class LostError(BreakevenError):
    """The run cannot be followed any more; it goes on."""


@dataclass
class Line:
    """:param renew: finds the installation again, with what credentials the account's settings then have"""

    deployed: Deployed
    renew: Callable[[], Deployed]
    view: View

    def ask(self, question: Callable[[Deployed], T]) -> T:
        """The answer, once there is one.

        :raises LostError: AWS refuses it, or there is none for ``PATIENCE_S``
        """
        since, said = time.monotonic(), False
        while True:
            try:
                return question(self.deployed)
            except (ClientError, BotoCoreError) as error:
                if not is_passing(error) or time.monotonic() - since > PATIENCE_S:
                    raise LostError(str(error)) from error
                if not said:
                    remedy = f"; {CREDENTIALS}" if is_about_credentials(error) else ""
                    self.view.say(
                        f"no answer from AWS ({error}): trying for {PATIENCE_S / 60:.0f} min{remedy}"
                    )
                    said = True
            time.sleep(TRY_AGAIN_S)
            with suppress(InputError):  # whoever follows has been told, and may yet mend it
                self.deployed = self.renew()


def is_passing(error: ClientError | BotoCoreError) -> bool:
    """Is the network or the service at fault, or are the credentials? Then it may be another answer later."""
    if isinstance(error, BotoCoreError) or is_about_credentials(error):
        return True
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    return status >= 500 or status == 429 or "Throttl" in error.response["Error"].get("Code", "")


def add_options(command: Any) -> None:
    """The options that say which installation is meant."""
    command.add_argument("--prefix", help="that the stack was deployed with (none)")
    command.add_argument("--profile", help="of the AWS configuration (AWS_PROFILE, or the default one)")
