"""Check of the account's room for brokers: its plan, the zones that offer their type, its networks.

The answers are those that the plan of a run asks for (``breakeven.steps.run.account_capacity``) and judges by
(``breakeven.planning.machine_availability``).
"""

from __future__ import annotations

from typing import Any

from breakeven.planning.machine_availability import NO_ZONE, OTHER_ZONES, UPGRADE
from breakeven.planning.machine_availability import Account as Room
from breakeven.steps.run.account_capacity import (
    FREE_TIER_REGION,
    ZONES,
    free_tier_types,
    is_free_plan,
    zones_offering,
)
from breakeven.targets.records.rabbitmq_records import INSTANCE_TYPE
from cli.running.deployed import Account, Deployed, Said

#: zones of a network of the stack's own, where none is named: the region's first ones
DEFAULT_ZONES = 2
FUNCTION = "AWS::Lambda::Function"
#: logical ids of the function that plans
PLAN = r"\w*Plan[0-9A-F]{8}"
#: "VPCs per Region", of Amazon VPC; five unless AWS has given more
VPC_QUOTA = "L-F678F1CE"
#: networks of brokers, and of what bakes their image (infra/network.py, infra/brokers/image_builders.py)
MADE = 2


def account_plan(account: Account, deployed: Deployed | None) -> Said:
    """Whether EC2 launches the brokers' type in an account of this plan."""
    name = instance_type(deployed)
    if not is_free_plan(account.client("freetier", FREE_TIER_REGION)):
        return "ok", f"not the free plan: {name} may be launched"
    eligible = free_tier_types(account.client("ec2"), [name])
    if Room(free_plan=True, free_types=eligible).may_launch(name):
        return "note", f"the free plan, of which {name} is a type: the account closes when its credit is used"
    return "stop", f"the free plan, on which EC2 does not launch {name}: {UPGRADE}"


def zones(account: Account, deployed: Deployed | None) -> Said:
    """Whether the zones of the deployment, or of one that is to be, offer the brokers' type."""
    name, ec2, ours = instance_type(deployed), account.client("ec2"), our_zones(account, deployed)
    offering = zones_offering(ec2, [name], ours)[name]
    lacking = [zone for zone in ours if zone not in offering]
    if not offering:
        return "stop", f"{', '.join(ours)}: {name}: {NO_ZONE}: choose another type, or {OTHER_ZONES}"
    if lacking:
        rest = f"all nodes are launched in {', '.join(offering)}, or {OTHER_ZONES}"
        return "note", f"{', '.join(lacking)}: does not offer {name}: {rest}"
    return "ok", f"{', '.join(offering)} offer {name}"


def our_zones(account: Account, deployed: Deployed | None) -> list[str]:
    """Names of the zones of the deployment's subnets, or of one that is to be."""
    named = _environment(deployed).get(ZONES) if deployed else None
    return named.split(",") if named else _first_zones(account.client("ec2"))


def vpcs(account: Account) -> Said:
    """Whether there is room for those that the stack makes: without it a deployment is rolled back."""
    most = int(account.quota("vpc", VPC_QUOTA))
    pages = account.client("ec2").get_paginator("describe_vpcs").paginate()
    there = sum(len(page["Vpcs"]) for page in pages)
    words = f"{there} of {most} VPCs of {account.region} are there, a deployment makes {MADE}"
    if there + MADE > most:
        remedy = "name one that is there (breakeven:vpc_id, breakeven:build_subnet_id)"
        return "stop", f"{words}: ask for more of quota {VPC_QUOTA} in Service Quotas, or {remedy}"
    return "ok", words


def instance_type(deployed: Deployed | None) -> str:
    """The brokers' type, of a suite that names none: the deployment's, or that of one that is to be."""
    return _environment(deployed).get("BREAKEVEN_INSTANCE_TYPE", INSTANCE_TYPE) if deployed else INSTANCE_TYPE


def _environment(deployed: Deployed) -> dict[str, str]:
    """The variables of the deployed function that plans."""
    (name,) = deployed.resources(FUNCTION, PLAN)
    found = deployed.account.client("lambda").get_function_configuration(FunctionName=name)
    variables: dict[str, str] = found["Environment"]["Variables"]
    return variables


def _first_zones(ec2: Any) -> list[str]:
    """Those that CloudFormation lists first, of which a network of the stack's own has its subnets."""
    found = ec2.describe_availability_zones(
        Filters=[
            {"Name": "zone-type", "Values": ["availability-zone"]},
            {"Name": "state", "Values": ["available"]},
        ]
    )
    return sorted(zone["ZoneName"] for zone in found["AvailabilityZones"])[:DEFAULT_ZONES]
