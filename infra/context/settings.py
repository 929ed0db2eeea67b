"""Settings of a deployment that an account may give: the context keys, all of them optional.

A key is written ``breakeven:<field>``, in ``cdk.json`` or as ``-c breakeven:<field>=<value>``. The command
line gives text only, so lists and tags can be written with commas. A field's description says what it takes:
it is the remedy of the error where something else is given, and stands in docs/aws.md.
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from breakeven.planning.budget.allowance import Allowance
from breakeven.pricing.prices.instance_types import machine
from breakeven.steps.run.run_input import DEFAULT_SUITE
from breakeven.targets.records.rabbitmq_records import INSTANCE_TYPE
from breakeven.terms import Frozen
from breakeven.workload.read import shipped_suites

STACK = "QueueBreakeven"
DATABASE = "queue_breakeven"
#: Debian's name of each architecture
DEBIAN_NAMES = {"arm64": "arm64", "x86_64": "amd64"}
#: what CloudWatch Logs takes, up to two years
RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731)


OFF, MONTHLY = "off", "monthly"
#: six in the morning on the first of each month
EXPRESSIONS = {MONTHLY: "cron(0 6 1 * ? *)", "weekly": "cron(0 6 ? * MON *)"}
#: a minute and an hour, so that it is at most once a day
CRON, RATE = r"cron\(\d{1,2} \d{1,2} \S+ \S+ \S+ \S+\)", r"rate\((?:1 day|(?!1 )[1-9]\d{0,2} days)\)"
ALLOWED = Allowance()


def _listed(value: object) -> object:
    """``a,b``, as the command line gives a list."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _paired(value: object) -> object:
    """``Key=value,Key=value``, as the command line gives tags."""
    if not isinstance(value, str):
        return value
    pairs = [part.strip().partition("=") for part in value.split(",")]
    return {key: found for key, _, found in pairs}


def _switched(value: object) -> object:
    """``true`` or ``false``, as the command line gives them, and no other word for either."""
    found = {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise ValueError
    return found


def _check(holds: Callable[[Any], bool]) -> AfterValidator:
    """A rule whose words are the field's description."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError
        return value

    return AfterValidator(check)


def _pattern(pattern: str) -> AfterValidator:
    return _check(lambda value: re.fullmatch(pattern, value, re.ASCII) is not None)


def _several(pattern: str, least: int = 1) -> AfterValidator:
    """Texts that match, each only once."""

    def holds(values: tuple[str, ...]) -> bool:
        whole = all(re.fullmatch(pattern, value, re.ASCII) for value in values)
        return whole and len(values) >= least and len(set(values)) == len(values)

    return _check(holds)


def _are_tags(tags: dict[str, str]) -> bool:
    """Nodes read their tags from their metadata, where EC2 takes fewer keys than elsewhere, or no launch."""
    reserved = ("aws:", "breakeven:")
    return bool(tags) and all(
        re.fullmatch(r"(?!\.\.?$|_index$)[A-Za-z0-9.,:_=+@-]{1,128}", key)
        and re.fullmatch(r"[\w .:/=+@-]{1,256}", value)
        and not key.lower().startswith(reserved)
        for key, value in tags.items()
    )


def _optional(description: str) -> Any:
    """A setting that is not there unless it is given."""
    return Field(default=None, description=description)


ARN = r"arn:aws[a-z-]*"
ACCOUNT = r"\d{12}"
#: no word is ``be``: queues are named ``<prefix>-be-…``, and no installation's pattern may match another's
Prefix = Annotated[str, _pattern(r"(?=.{1,20}$)(?!(?:.*-)?be(?:-|$))[a-z][a-z0-9]*(?:-[a-z0-9]+)*")]
Region = Annotated[str, _pattern(r"[a-z]{2}(?:-[a-z]+)+-\d+")]
Zones = Annotated[tuple[str, ...], BeforeValidator(_listed), _several(r"[a-z]{2}(?:-[a-z]+)+-\d+[a-z]", 2)]
SubnetId = Annotated[str, _pattern(r"subnet-[0-9a-f]{8,17}")]
SubnetIds = Annotated[tuple[str, ...], BeforeValidator(_listed), _several(r"subnet-[0-9a-f]{8,17}", 2)]
RouteTableIds = Annotated[tuple[str, ...], BeforeValidator(_listed), _several(r"rtb-[0-9a-f]{8,17}")]
VpcId = Annotated[str, _pattern(r"vpc-[0-9a-f]{8,17}")]
Boundary = Annotated[str, _pattern(rf"{ARN}:iam::(?:{ACCOUNT}|aws):policy/[\w+=,.@/-]+|[\w+=,.@-]{{1,128}}")]
Qualifier = Annotated[str, _pattern(r"[a-z0-9]{1,10}")]
Tags = Annotated[dict[str, str], BeforeValidator(_paired), _check(_are_tags)]
KeyArn = Annotated[str, _pattern(rf"{ARN}:kms:[a-z0-9-]+:{ACCOUNT}:key/[0-9a-z-]+")]
BucketName = Annotated[str, _pattern(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")]
Mail = Annotated[str, _pattern(r"[\w.!#$%&'*+/=?^`{|}~-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}")]
Parameter = Annotated[str, _pattern(r"/[\w./-]{1,1010}")]
Architectures = Annotated[
    tuple[Literal["arm64", "x86_64"], ...], BeforeValidator(_listed), _several(r"arm64|x86_64")
]
TypeName = Annotated[str, _pattern(r"[a-z0-9-]+\.[a-z0-9-]+")]
Suites = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    _check(lambda names: bool(names) and set(names) <= set(shipped_suites())),
]
Switch = Annotated[bool, BeforeValidator(_switched)]
Timing = Annotated[
    str, _check(lambda value: value in {OFF, *EXPRESSIONS} or re.fullmatch(f"{CRON}|{RATE}", value))
]
TimeZone = Annotated[str, _check(lambda value: value in zoneinfo.available_timezones())]
ShippedSuite = Annotated[str, _check(lambda value: value in shipped_suites())]


class Context(Frozen, allow_inf_nan=False):
    """The settings of one deployment, each checked by itself; ``context_read`` holds them together.

    No execution's input can raise what is said here of spending.
    """

    max_msg_per_s: float = Field(
        default=ALLOWED.max_msg_per_s, gt=0, description="messages a second that a case may ask for, above 0"
    )
    max_sqs_usd: float = Field(
        default=ALLOWED.max_sqs_usd, ge=0, description="dollars that a run's SQS requests could cost, from 0"
    )
    suites: Suites | None = _optional(f"names out of {', '.join(shipped_suites())}, with commas")
    publish: Switch = Field(
        default=False,
        description="true or false: whether anyone who knows the address may read the reports, by CloudFront",
    )
    budget_usd: float = Field(
        default=40.0, ge=0, description="dollars a month of the whole account, 0 for no budget"
    )
    schedule: Timing = Field(
        default=MONTHLY,
        description="monthly, weekly, off, cron(MINUTE HOUR …) with numbers for both, or rate(N days)",
    )
    schedule_suite: ShippedSuite = Field(
        default=DEFAULT_SUITE, description=f"one of {', '.join(shipped_suites())}"
    )
    schedule_scale: float = Field(
        default=1.0, gt=0, le=1, description="above 0, at most 1: shrinks message counts"
    )
    schedule_time_zone: TimeZone = Field(
        default="UTC", description="a time zone by its name, such as Europe/Dublin"
    )
    no_run_alarm_days: int = Field(
        default=35, ge=0, le=400, description="days from 1 to 400 without a good run, 0 for no alarm"
    )
    prefix: Prefix | None = _optional(
        "at most 20 lower-case letters, digits and single hyphens, a letter first, without the word 'be'",
    )
    region: Region | None = _optional("a region, such as eu-west-1")
    zones: Zones | None = _optional(
        "two or more different zones of one region, such as eu-west-1a,eu-west-1b",
    )
    vpc_id: VpcId | None = _optional("the id of a VPC, such as vpc-0123456789abcdef0")
    subnet_ids: SubnetIds | None = _optional(
        "two or more different subnets' ids, one in each of the zones and in their order",
    )
    route_table_ids: RouteTableIds | None = _optional("ids of different route tables, those of the subnets")
    permissions_boundary: Boundary | None = _optional("the name or the ARN of a managed policy")
    bootstrap_qualifier: Qualifier | None = _optional(
        "1 to 10 lower-case letters and digits, as given to cdk bootstrap"
    )
    tags: Tags | None = _optional(
        "keys with values, such as CostCenter=1234,Owner=team-a; no key starts with aws: or "
        "breakeven: or has a space or a slash, nothing is empty",
    )
    kms_key_arn: KeyArn | None = _optional(
        "the ARN of a KMS key, such as arn:aws:kms:eu-west-1:123456789012:key/…"
    )
    log_retention_days: Annotated[int, _check(lambda days: days in RETENTION_DAYS)] = Field(
        default=30, description=f"one of {', '.join(map(str, RETENTION_DAYS))}"
    )
    access_log_bucket: BucketName | None = _optional(
        "the name of a bucket that may receive S3 server access logs"
    )
    mail: Mail | None = _optional("one mail address, such as team@example.com")
    instance_type: TypeName = Field(
        default=INSTANCE_TYPE, description="an instance type that this project knows, such as m7g.large"
    )
    architecture: Literal["arm64", "x86_64"] | None = _optional("arm64 or x86_64: the instance type's own")
    image: Parameter | None = _optional("the name of an SSM parameter that holds the id of a Debian 12 image")
    image_architectures: Architectures | None = _optional("arm64, x86_64 or both, with a comma")
    bake: Switch = Field(
        default=True,
        description="true or false: whether runs bake the brokers' image, each when it is first needed",
    )
    build_subnet_id: SubnetId | None = _optional(
        "the id of a subnet, such as subnet-0123456789abcdef0, with a way to Debian's mirrors "
        "and AWS's services",
    )

    @property
    def stack_name(self) -> str:
        return f"{self.prefix}-{STACK}" if self.prefix else STACK

    @property
    def database(self) -> str:
        """Of the Glue database, and of the Athena work group."""
        return f"{self.prefix}_{DATABASE}".replace("-", "_") if self.prefix else DATABASE

    @property
    def queue_prefix(self) -> str:
        """Goes before the names of the SQS queues that runs make."""
        return f"{self.prefix}-" if self.prefix else ""

    @property
    def baked(self) -> tuple[str, ...]:
        """Architectures that images are baked for: the brokers' own, and others that suites may name."""
        return tuple(dict.fromkeys([self.node_architecture, *(self.image_architectures or ())]))

    @property
    def node_architecture(self) -> str:
        """Of the brokers: arm64 or x86_64."""
        return str(self.architecture or machine(self.instance_type).architecture)

    @property
    def allowance(self) -> Allowance:
        return Allowance(max_msg_per_s=self.max_msg_per_s, max_sqs_usd=self.max_sqs_usd, suites=self.suites)

    @property
    def is_scheduled(self) -> bool:
        return self.schedule != OFF

    @property
    def scheduled_input(self) -> dict[str, str | float]:
        """What the scheduled execution is started with."""
        scaled = {"scale": self.schedule_scale} if self.schedule_scale != 1 else {}
        return {"suite": self.schedule_suite, **scaled}

    @property
    def schedule_expression(self) -> str:
        return EXPRESSIONS.get(self.schedule, self.schedule)
