"""Whether a region has room for the networks that a first deployment makes."""

from __future__ import annotations

from typing import Literal

from cli.running.deployed import Account

#: "VPCs per Region", of Amazon VPC; five unless AWS has given more
QUOTA = "L-F678F1CE"
#: of brokers, and of what bakes their image (infra/network.py, infra/brokers/build_place.py)
MADE = 2

Answer = tuple[Literal["ok", "stop"], str]


def vpcs(account: Account) -> Answer:
    """Whether there is room for those that the stack makes: without it a deployment is rolled back."""
    quota = account.client("service-quotas").get_service_quota(ServiceCode="vpc", QuotaCode=QUOTA)
    most = int(float(quota["Quota"]["Value"]))
    pages = account.client("ec2").get_paginator("describe_vpcs").paginate()
    there = sum(len(page["Vpcs"]) for page in pages)
    words = f"{there} of {most} VPCs of {account.region} are there, a deployment makes {MADE}"
    if there + MADE > most:
        remedy = "name one that is there (breakeven:vpc_id, breakeven:build_subnet_id)"
        return "stop", f"{words}: ask for more of quota {QUOTA} in Service Quotas, or {remedy}"
    return "ok", words
