"""What the account and the deployment have room for, as EC2 and Service Quotas tell it, for the plan."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from breakeven.planning import tasks
from breakeven.planning.machines import QUOTA, Account
from breakeven.pricing.machines import machines
from breakeven.steps.task_image import image_of, is_built
from breakeven.targets.kinds import KINDS
from breakeven.workload.model import Suite

#: planning has two minutes in all, so that a question that hangs must end soon
QUICK = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 2})


def instance_types(suite: Suite) -> list[str]:
    """Those that the suite's brokers would run on; one that is not known is the plan's to refuse."""
    found = set()
    for kind in suite.targets:
        own = KINDS[kind].instance_type
        if own:
            sizes = suite.machines.get(kind)
            found |= {size.instance_type or own for size in sizes.values()} if sizes else {own}
    return sorted(found & machines().keys())


def account_of(types: Iterable[str], *, with_tasks: bool = False) -> Account:
    """Quotas, zones and images for these; what cannot be asked is not known, and holds nothing up.

    :param with_tasks: a plan may have loaders that are tasks
    """
    have = os.environ.get("BREAKEVEN_ARCHITECTURES")
    wanted, zones = list(types), os.environ.get("BREAKEVEN_ZONES", "").split(",")
    return Account(
        architectures=tuple(have.split(",")) if have else None,
        vcpus=_vcpus(boto3.client("service-quotas", config=QUICK), "ec2", QUOTA) if wanted else None,
        functions=_functions(boto3.client("lambda", config=QUICK)),
        task_vcpus=_task_vcpus() if with_tasks else None,
        image_built=_image_built() if with_tasks else None,
        zones=_zones(boto3.client("ec2", config=QUICK), wanted, zones) if wanted else {},
    )


def _task_vcpus() -> float | None:
    return _vcpus(boto3.client("service-quotas", config=QUICK), "fargate", tasks.QUOTA)


def _image_built() -> bool | None:
    try:
        return is_built(boto3.client("ecr", config=QUICK), image_of(os.environ))
    except (BotoCoreError, ClientError, KeyError):
        return None


def _vcpus(quotas: Any, service: str, quota: str) -> float | None:
    try:
        answer = quotas.get_service_quota(ServiceCode=service, QuotaCode=quota)
    except (BotoCoreError, ClientError):
        return None
    return float(answer["Quota"]["Value"])


def _functions(functions: Any) -> int | None:
    try:
        answer = functions.get_account_settings()
    except (BotoCoreError, ClientError, ResponseParserError):
        return None
    return int(answer["AccountLimit"]["UnreservedConcurrentExecutions"])


def _zones(ec2: Any, types: list[str], ours: list[str]) -> dict[str, tuple[str, ...]]:
    try:
        answer = ec2.describe_instance_type_offerings(
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": types}, {"Name": "location", "Values": ours}],
        )
    except (BotoCoreError, ClientError):
        return {}
    offered = {(each["InstanceType"], each["Location"]) for each in answer["InstanceTypeOfferings"]}
    return {name: tuple(zone for zone in ours if (name, zone) in offered) for name in types}
