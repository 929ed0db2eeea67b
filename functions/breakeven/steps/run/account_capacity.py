"""Questions to AWS for the plan: the room that account and deployment have, and today's prices.

``breakeven doctor`` asks for the room by the same functions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from breakeven.planning.loaders import quotas
from breakeven.planning.machine_availability import BUILDERS, VCPU_QUOTA, Account
from breakeven.pricing.prices.book_files import book_of, regions
from breakeven.pricing.prices.instance_types import current_type, machines, smaller_types
from breakeven.pricing.prices.refresh import Refreshed, refresh
from breakeven.pricing.prices.refresh_notes import not_refreshed
from breakeven.results.state import SuppressCodes
from breakeven.steps.aws_clients import Ec2, described
from breakeven.steps.lane.baked_images import images_there
from breakeven.steps.lane.recipes import recipes_of
from breakeven.steps.run.run_input import RunInput
from breakeven.steps.tasks.establish_tasks import TAG, image_of, is_built
from breakeven.targets.catalog import clusters, record_of
from breakeven.workload.suite import Suite

T = TypeVar("T")
#: variable of the plan's function: the deployment's zones, separated by commas
ZONES = "BREAKEVEN_ZONES"
#: the one region in which the Free Tier API answers (its reference, "Service endpoint")
FREE_TIER_REGION = "us-east-1"
#: where the Price List API is served, whatever the region whose prices are asked for
API_REGION = "us-east-1"
#: planning has two minutes in all, so that a question that hangs must end soon
QUICK = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 2})


def instance_types(suite: Suite) -> list[str]:
    """Those that the suite's brokers would run on; one that is not known is the plan's to refuse."""
    found = set()
    for kind in suite.targets:
        if nodes := record_of(kind).nodes:
            sizes, own = suite.machines.get(kind), nodes.instance_type
            # where none is named, a smaller one of the family is taken if the quota wants it
            found |= (
                {current_type(size.instance_type or own) for size in sizes.values()}
                if sizes
                else {own, *smaller_types(own)}
            )
    return sorted(found & machines().keys())


def account_of(types: Iterable[str], *, with_tasks: bool = False) -> Account:
    """Quotas, zones and images for these; what cannot be asked is not known, and holds nothing up.

    :param with_tasks: a plan may have loaders that are tasks
    """
    have = os.environ.get("BREAKEVEN_BROKER_IMAGES")
    wanted, zones = list(types), os.environ.get(ZONES, "").split(",")
    ec2: Any = boto3.client("ec2", config=QUICK) if wanted else None
    return Account(
        images=tuple(have.split(",")) if have else None,
        free_plan=_known(_is_free_plan) if wanted else None,
        free_types=_known(lambda: free_tier_types(ec2, wanted)) if wanted else None,
        vcpus=_known(lambda: _vcpus("ec2", VCPU_QUOTA)) if wanted else None,
        functions=_known(_functions),
        task_vcpus=_known(lambda: _vcpus("fargate", quotas.TASKS)) if with_tasks else None,
        image_built=_known(_image_built) if with_tasks else None,
        baked=_known(lambda: _baked(ec2)) or {} if wanted else {},
        zones=_known(lambda: zones_offering(ec2, wanted, zones)) or {} if wanted else {},
    )


def is_free_plan(free_tier: Any) -> bool:
    """Whether the account is on the free plan.

    An account that is older than the plans, or a member of an organisation, has none: the API then knows no
    resource, and the account is none of the free plan.

    :param free_tier: a client of the Free Tier API, in ``FREE_TIER_REGION``
    :raises ClientError: may not be asked
    """
    with SuppressCodes("ResourceNotFoundException"):
        return bool(free_tier.get_account_plan_state()["accountPlanType"] == "FREE")
    return False


def free_tier_types(ec2: Ec2, types: Sequence[str]) -> tuple[str, ...]:
    """Those of the types that are eligible for the Free Tier.

    :raises ClientError: may not be asked, or a type that the region does not know
    """
    found = described(ec2, "instance_types", InstanceTypes=list(types))
    return tuple(each["InstanceType"] for each in found if each.get("FreeTierEligible"))


def zones_offering(ec2: Ec2, types: Sequence[str], ours: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Of each type the zones among ours that offer it, in our order; some zones lack whole families.

    :raises ClientError: may not be asked
    """
    filters = [
        {"Name": "instance-type", "Values": list(types)},
        {"Name": "location", "Values": list(ours)},
    ]
    found = described(ec2, "instance_type_offerings", LocationType="availability-zone", Filters=filters)
    offered = {(each["InstanceType"], each["Location"]) for each in found}
    return {name: tuple(zone for zone in ours if (name, zone) in offered) for name in types}


def _known(ask: Callable[[], T]) -> T | None:
    """The answer; None where there is none."""
    try:
        return ask()
    except (BotoCoreError, ClientError, ResponseParserError):
        return None


def _is_free_plan() -> bool:
    return is_free_plan(boto3.client("freetier", region_name=FREE_TIER_REGION, config=QUICK))


def _image_built() -> bool | None:
    if TAG not in os.environ:
        return None
    return is_built(boto3.client("ecr", config=QUICK), image_of(os.environ))


def _baked(ec2: Ec2) -> dict[str, bool]:
    recipes = recipes_of(os.environ)
    there = images_there(ec2, recipes)
    return {image: image in there for image in recipes}


def _vcpus(service: str, quota: str) -> float:
    client = boto3.client("service-quotas", config=QUICK)
    answer = client.get_service_quota(ServiceCode=service, QuotaCode=quota)
    return float(answer["Quota"]["Value"])


def _functions() -> int:
    answer = boto3.client("lambda", config=QUICK).get_account_settings()
    return int(answer["AccountLimit"]["UnreservedConcurrentExecutions"])


def pricing_client() -> Any:
    """boto3's client of the Price List API; one question takes 15 s at most."""
    return boto3.client("pricing", region_name=API_REGION, config=QUICK)


def prices_of(
    wanted: RunInput,
    today: date,
    types: Iterable[str] = (),
    client: Callable[[], Any] = pricing_client,
) -> Refreshed:
    """The book of the run's region, and what its reader must know.

    Of a region that no book is shipped of, all of its prices are the Price List's.

    :param types: instance types that are asked for beside the deployment's own

    :raises InputError: there is no book of that region, or its file is damaged
    """
    book = book_of(wanted.region)
    if wanted.surroundings.name != "aws":
        return Refreshed(book, (not_refreshed(book, today),))
    own = {nodes.instance_type for nodes in clusters().values()}
    if wanted.region not in regions():
        own |= set(BUILDERS.values())
    return refresh(book, client(), today, instance_types=sorted(own | set(types)))
