"""What a deployed stack costs a month in which nothing is run, by line, from its template.

A resource of a type that is not told here is an error: someone must say what it costs. Free tiers are not
deducted. What grows with use is put at what a run a month leaves: see ``KEPT_GB``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from breakeven.pricing.prices.book import PriceBook
from breakeven.steps.lane.baked_images import KEPT
from infra.brokers.image_builders import ROOT_GB

HOURS = 730.0
#: types that cost nothing while nothing is run or read: billed by call, build or task, or not at all
FREE = {
    "AWS::Athena::NamedQuery",
    "AWS::Athena::WorkGroup",
    "AWS::CDK::Metadata",
    "AWS::CloudFront::CachePolicy",
    "AWS::CloudFront::Distribution",
    "AWS::CloudFront::OriginAccessControl",
    "AWS::CloudFront::ResponseHeadersPolicy",
    "AWS::CodeBuild::Project",
    "AWS::EC2::FlowLog",  # what it writes is in its log group
    "AWS::EC2::InternetGateway",
    "AWS::EC2::NetworkInterface",
    "AWS::EC2::Route",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::ECS::Cluster",
    "AWS::ECS::TaskDefinition",
    "AWS::Glue::Database",
    "AWS::Glue::Table",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::KMS::Alias",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Function",
    "AWS::Lambda::LayerVersion",
    "AWS::Lambda::Permission",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::Topic",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue",
    "AWS::SQS::QueuePolicy",
    "AWS::SSM::Parameter",
    "AWS::Scheduler::Schedule",
    "AWS::Scheduler::ScheduleGroup",
    "AWS::StepFunctions::StateMachine",
    "Custom::BakedImages",
}
#: GB that twelve monthly runs leave, assumed generously: in the bucket, in each log group, in the table with
#: the copies that let it be recovered
KEPT_GB = {"AWS::S3::Bucket": 5.0, "AWS::Logs::LogGroup": 0.05, "AWS::DynamoDB::Table": 0.2}
#: GB of the snapshots that a family of baked images is kept as: whole disks: what is empty is not billed
IMAGES_GB = float(ROOT_GB * KEPT)
#: GB-seconds of a scheduled call: 512 MB for three seconds, assumed. The calls it makes, and the call itself,
#: come to a tenth of that
CALL_GB_S = 0.5 * 3 * 1.1


@dataclass(frozen=True, slots=True)
class Rate:
    """Dollars a month of one unit, with where the figure is from."""

    usd: float
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class IdleLine:
    what: str
    resources: int
    units: float
    rate: Rate

    @property
    def usd(self) -> float:
        return self.units * self.rate.usd

    def __str__(self) -> str:
        each = f"{self.units:g} {self.rate.unit} x ${self.rate.usd:g}"
        return f"{self.what} ({self.resources}): {each} = ${self.usd:.3f} ({self.rate.source})"


class UnknownCostError(Exception):
    """A resource of which nobody has said what it costs while idle."""


def idle_lines(template: Mapping[str, Any], book: PriceBook) -> list[IdleLine]:
    """One line a type of resource that costs something.

    :raises UnknownCostError: a type that is neither free nor priced, or a resource that would grow for ever
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    for name, resource in template["Resources"].items():
        kind = resource["Type"]
        if kind in FREE:
            continue
        if kind not in UNITS:
            raise UnknownCostError(
                f"{name}: {kind}: say in tests/support/aws/idle_cost.py what it costs while idle"
            )
        found.setdefault(kind, []).append(resource.get("Properties", {}))
    return [
        IdleLine(kind, len(all_of_it), sum(UNITS[kind](one) for one in all_of_it), _rate(kind, book))
        for kind, all_of_it in sorted(found.items())
    ]


def _one(_: Mapping[str, Any]) -> float:
    return 1.0


def _kept(kind: str) -> Callable[[Mapping[str, Any]], float]:
    return lambda _: KEPT_GB[kind]


def _alarmed_metrics(alarm: Mapping[str, Any]) -> float:
    """An alarm is billed for each metric that it looks at, of an expression for each of its own."""
    return float(sum("MetricStat" in one for one in alarm.get("Metrics", []))) or 1.0


def _log_gb(group: Mapping[str, Any]) -> float:
    if "RetentionInDays" not in group:
        raise UnknownCostError("a log group without retention grows for ever")
    return KEPT_GB["AWS::Logs::LogGroup"]


def _endpoint_hours(endpoint: Mapping[str, Any]) -> float:
    """A gateway endpoint is free, an interface endpoint billed for each zone."""
    if endpoint.get("VpcEndpointType", "Gateway") == "Gateway":
        return 0.0
    return HOURS * len(endpoint.get("SubnetIds", [1]))


def _scheduled_gb_s(rule: Mapping[str, Any]) -> float:
    """A rule is free, and no events come while idle; a schedule calls its functions all the same."""
    if "ScheduleExpression" not in rule:
        return 0.0
    return HOURS * _an_hour(rule["ScheduleExpression"]) * len(rule["Targets"]) * CALL_GB_S


def _an_hour(schedule: str) -> float:
    """How often that is in an hour."""
    if every := re.fullmatch(r"rate\((\d+) minutes\)", schedule):
        return 60 / int(every[1])
    if re.fullmatch(r"cron\(\d+ \* \* \* \? \*\)", schedule):
        return 1.0
    raise UnknownCostError(f"how often is {schedule}?")


def _images_gb(template: Mapping[str, Any]) -> float:
    """Of the images that runs bake: their builder stops, where a node that powers off is terminated."""
    stops = template["LaunchTemplateData"]["InstanceInitiatedShutdownBehavior"] == "stop"
    return IMAGES_GB if stops else 0.0


#: what is counted of each resource, in the unit of its rate
UNITS: dict[str, Callable[[Mapping[str, Any]], float]] = {
    "AWS::Budgets::Budget": _one,
    "AWS::CloudWatch::Alarm": _alarmed_metrics,
    "AWS::DynamoDB::Table": _kept("AWS::DynamoDB::Table"),
    "AWS::EC2::EIP": lambda _: HOURS,
    "AWS::EC2::NatGateway": lambda _: HOURS,
    "AWS::EC2::VPCEndpoint": _endpoint_hours,
    "AWS::ECR::Repository": _one,
    "AWS::Events::Rule": _scheduled_gb_s,
    "AWS::EC2::LaunchTemplate": _images_gb,
    "AWS::KMS::Key": _one,
    "AWS::Logs::LogGroup": _log_gb,
    "AWS::S3::Bucket": _kept("AWS::S3::Bucket"),
    "AWS::SecretsManager::Secret": _one,
}
#: prices that are in the region's book
BOOKED = {
    "AWS::CloudWatch::Alarm": ("cloudwatch", "alarm_month"),
    "AWS::EC2::EIP": ("network", "public_ipv4_hour"),
    "AWS::EC2::NatGateway": ("network", "nat_hour"),
    "AWS::EC2::VPCEndpoint": ("network", "endpoint_hour"),
    "AWS::Events::Rule": ("lambda", "gb_second_arm"),
}
#: the others; where regions differ, the dearest of those whose price was read
SNAPSHOT = Rate(0.054, "GB", "EBS price feed of 2024-07-18, snapshots, eu-central-1")
OTHERS = {
    # two budgets of an account are free; AWS's page on budgets names this price for each further one
    "AWS::Budgets::Budget": Rate(0.62, "budget", "AWS Billing user guide: $0.02 a day, 31 days"),
    "AWS::DynamoDB::Table": Rate(0.283, "GB", "AmazonDynamoDB offer of 2026-09-11, eu-west-1"),
    "AWS::ECR::Repository": Rate(0.10, "GB", "from memory: $0.10 a GB"),
    "AWS::EC2::LaunchTemplate": SNAPSHOT,
    "AWS::KMS::Key": Rate(1.0, "key", "from memory: $1 a key"),
    "AWS::Logs::LogGroup": Rate(0.03, "GB", "AmazonCloudWatch offer of 2026-09-22, eu-west-1"),
    "AWS::S3::Bucket": Rate(0.023, "GB", "AmazonS3 offer of 2026-09-28, eu-west-1"),
    "AWS::SecretsManager::Secret": Rate(0.40, "secret", "AWSSecretsManager offer of 2026-09-11, eu-west-1"),
}


def _rate(kind: str, book: PriceBook) -> Rate:
    if kind in OTHERS:
        return OTHERS[kind]
    price = book.known(*BOOKED[kind])
    assert price.usd is not None
    return Rate(price.usd, price.unit, price.source)
