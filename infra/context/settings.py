"""What an account may set about a deployment: the context keys, all of them optional.

A key is written ``breakeven:<field>``, in ``cdk.json`` or as ``-c breakeven:<field>=<value>``. The command
line gives text only, so lists and tags can be written with commas. A field's description says what it takes:
it is the remedy of the error where something else is given, and stands in docs/aws.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from breakeven.pricing.prices.instance_types import machine
from breakeven.targets.catalog import INSTANCE_TYPE
from infra.context.schedule_settings import ScheduleSettings
from infra.context.spending_limits import SpendingLimits, listed

STACK = "QueueBreakeven"
DATABASE = "queue_breakeven"
#: Debian's name of each architecture
DEBIAN_NAMES = {"arm64": "arm64", "x86_64": "amd64"}
#: what CloudWatch Logs takes, up to two years
RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731)


def _paired(value: object) -> object:
    """``Key=value,Key=value``, as the command line gives tags."""
    if not isinstance(value, str):
        return value
    pairs = [part.strip().partition("=") for part in value.split(",")]
    return {key: found for key, _, found in pairs}


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


ARN = r"arn:aws[a-z-]*"
ACCOUNT = r"\d{12}"
#: no word is ``be``: queues are named ``<prefix>-be-…``, and no installation's pattern may match another's
Prefix = Annotated[str, _pattern(r"(?=.{1,20}$)(?!(?:.*-)?be(?:-|$))[a-z][a-z0-9]*(?:-[a-z0-9]+)*")]
Region = Annotated[str, _pattern(r"[a-z]{2}(?:-[a-z]+)+-\d+")]
Zones = Annotated[tuple[str, ...], BeforeValidator(listed), _several(r"[a-z]{2}(?:-[a-z]+)+-\d+[a-z]", 2)]
SubnetId = Annotated[str, _pattern(r"subnet-[0-9a-f]{8,17}")]
SubnetIds = Annotated[tuple[str, ...], BeforeValidator(listed), _several(r"subnet-[0-9a-f]{8,17}", 2)]
RouteTableIds = Annotated[tuple[str, ...], BeforeValidator(listed), _several(r"rtb-[0-9a-f]{8,17}")]
VpcId = Annotated[str, _pattern(r"vpc-[0-9a-f]{8,17}")]
Boundary = Annotated[str, _pattern(rf"{ARN}:iam::(?:{ACCOUNT}|aws):policy/[\w+=,.@/-]+|[\w+=,.@-]{{1,128}}")]
Qualifier = Annotated[str, _pattern(r"[a-z0-9]{1,10}")]
Tags = Annotated[dict[str, str], BeforeValidator(_paired), _check(_are_tags)]
KeyArn = Annotated[str, _pattern(rf"{ARN}:kms:[a-z0-9-]+:{ACCOUNT}:key/[0-9a-z-]+")]
BucketName = Annotated[str, _pattern(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")]
Mail = Annotated[str, _pattern(r"[\w.!#$%&'*+/=?^`{|}~-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}")]
Parameter = Annotated[str, _pattern(r"/[\w./-]{1,1010}")]
Architectures = Annotated[
    tuple[Literal["arm64", "x86_64"], ...], BeforeValidator(listed), _several(r"arm64|x86_64")
]
TypeName = Annotated[str, _pattern(r"[a-z0-9-]+\.[a-z0-9-]+")]


class Context(ScheduleSettings, SpendingLimits):
    """The settings of one deployment, each checked by itself; ``context_checks`` holds them together."""

    prefix: Prefix | None = Field(
        default=None,
        description="at most 20 lower-case letters, digits and single hyphens, a letter first, without the "
        "word 'be'",
    )
    region: Region | None = Field(
        default=None, description="a region that has a price book, such as eu-west-1"
    )
    zones: Zones | None = Field(
        default=None,
        description="two or more different zones of one region, such as eu-west-1a,eu-west-1b",
    )
    vpc_id: VpcId | None = Field(default=None, description="the id of a VPC, such as vpc-0123456789abcdef0")
    subnet_ids: SubnetIds | None = Field(
        default=None,
        description="two or more different subnets' ids, one in each of the zones and in their order",
    )
    route_table_ids: RouteTableIds | None = Field(
        default=None, description="ids of different route tables, those of the subnets"
    )
    permissions_boundary: Boundary | None = Field(
        default=None, description="the name or the ARN of a managed policy"
    )
    bootstrap_qualifier: Qualifier | None = Field(
        default=None, description="1 to 10 lower-case letters and digits, as given to cdk bootstrap"
    )
    tags: Tags | None = Field(
        default=None,
        description="keys with values, such as CostCenter=1234,Owner=team-a; no key starts with aws: or "
        "breakeven: or has a space or a slash, nothing is empty",
    )
    kms_key_arn: KeyArn | None = Field(
        default=None, description="the ARN of a KMS key, such as arn:aws:kms:eu-west-1:123456789012:key/…"
    )
    log_retention_days: Annotated[int, _check(lambda days: days in RETENTION_DAYS)] = Field(
        default=30, description=f"one of {', '.join(map(str, RETENTION_DAYS))}"
    )
    access_log_bucket: BucketName | None = Field(
        default=None, description="the name of a bucket that may receive S3 server access logs"
    )
    mail: Mail | None = Field(default=None, description="one mail address, such as team@example.com")
    instance_type: TypeName = Field(
        default=INSTANCE_TYPE, description="an instance type that is known here, such as m7g.large"
    )
    architecture: Literal["arm64", "x86_64"] | None = Field(
        default=None, description="arm64 or x86_64: the instance type's own"
    )
    image: Parameter | None = Field(
        default=None, description="the name of an SSM parameter that holds the id of a Debian 12 image"
    )
    image_architectures: Architectures | None = Field(
        default=None, description="arm64, x86_64 or both, with a comma"
    )
    bake: bool = Field(
        default=True,
        description="true or false: whether runs bake the brokers' image, each when it is first needed",
    )
    build_subnet_id: SubnetId | None = Field(
        default=None,
        description="the id of a subnet, such as subnet-0123456789abcdef0, with a way to Debian's mirrors "
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
