"""Rules of Amazon MQ for a request for a broker of RabbitMQ, as its API reference and guide have them.

moto takes every name, size and version, any number of subnets, and users without a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.mq.models import mq_backends

from breakeven.pricing.prices.broker_types import broker_types

#: API reference, "Brokers", brokerName; guide, "Quotas in Amazon MQ": it is the account's only one of it, too
NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")
#: API reference, "User": of RabbitMQ's administrator, who is not ``guest``
USER_NAME = re.compile(r"[A-Za-z0-9._-]{2,100}")
REQUIRED = ("brokerName", "deploymentMode", "engineType", "hostInstanceType", "publiclyAccessible")
MODES = ("SINGLE_INSTANCE", "CLUSTER_MULTI_AZ")
#: guide, "Quotas in Amazon MQ"
MOST_GROUPS, MOST_TAGS = 5, 50
#: API reference, "WeeklyStartTime"
DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def faults(given: Mapping[str, Any], region: str) -> Iterator[str]:
    """Why the service refuses it, in words."""
    for name in REQUIRED:
        if name not in given:
            yield f"{name} is required"
            return
    if not NAME.fullmatch(given["brokerName"]):
        yield "The broker name must be 1-50 letters, numbers, dashes and underscores."
    if given["engineType"] != "RABBITMQ":
        yield f"{given['engineType']} is no engine of this simulation"
    if given["deploymentMode"] not in MODES:
        yield f"Deployment mode [{given['deploymentMode']}] is not supported for RabbitMQ."
    yield from _of_type(given)
    # API reference, autoMinorVersionUpgrade: must be true of RabbitMQ 3.13 and above
    if given.get("autoMinorVersionUpgrade") is False:
        yield "autoMinorVersionUpgrade must be true for this engine version."
    if given.get("storageType", "EBS").upper() != "EBS":
        yield "RabbitMQ supports EBS storage only."
    if len(given.get("tags", {})) > MOST_TAGS:
        yield f"A broker has at most {MOST_TAGS} tags."
    yield from _of_maintenance(given.get("maintenanceWindowStartTime"))
    yield from _of_users(given.get("users", []))
    yield from _of_network(given, region)


def _of_type(given: Mapping[str, Any]) -> Iterator[str]:
    """Guide, "Amazon MQ for RabbitMQ broker instance types" and "RabbitMQ 4". A version has no patch."""
    name, version = given["hostInstanceType"], given.get("engineVersion")
    known = broker_types().get(name)
    if known is None:
        yield f"Host instance type [{name}] not supported for engine type [RABBITMQ]."
    elif version is not None and version not in known.releases:
        yield f"Broker engine version [{version}] is invalid for {name}. Valid: {', '.join(known.releases)}"


def _of_maintenance(given: Mapping[str, str] | None) -> Iterator[str]:
    """API reference, "WeeklyStartTime": day and time are required where it is given at all."""
    if given is None:
        return
    if given.get("dayOfWeek") not in DAYS or not TIME.fullmatch(given.get("timeOfDay", "")):
        yield "The maintenance window needs a day of the week, as MONDAY, and a time of the day, as 22:45."


def _of_users(users: list[Mapping[str, str]]) -> Iterator[str]:
    """API reference, "User": one, and a password of 12 characters, four of them different, none ``,:=``."""
    if len(users) != 1:
        yield "RabbitMQ brokers are created with one administrative user."
        return
    name, password = users[0].get("username", ""), users[0].get("password", "")
    if not USER_NAME.fullmatch(name) or name == "guest":
        yield "The username is not allowed."
    if len(password) < 12 or len(set(password)) < 4 or set(password) & set(",:="):
        yield "The password must have at least 12 characters, 4 of them unique, and no commas, colons or ="


def _of_network(given: Mapping[str, Any], region: str) -> Iterator[str]:
    """API reference, subnetIds and securityGroups, of brokers that are not publicly accessible."""
    subnets, groups = given.get("subnetIds", []), given.get("securityGroups", [])
    if given["publiclyAccessible"] and (subnets or groups):
        yield "Security groups are not applicable to public brokers of RabbitMQ."
        return
    if given["deploymentMode"] == "SINGLE_INSTANCE" and len(subnets) != 1:
        yield f"Exactly [1] subnet is required for deployment mode [SINGLE_INSTANCE], found [{len(subnets)}]."
    if not subnets:
        yield "At least one subnet is required for a broker without public accessibility."
    if not 1 <= len(groups) <= MOST_GROUPS:
        yield f"From 1 to {MOST_GROUPS} security groups are required."
    ec2 = ec2_backends[DEFAULT_ACCOUNT_ID][region]
    known = {subnet.id: subnet for zone in ec2.subnets.values() for subnet in zone.values()}
    if unknown := [each for each in subnets if each not in known]:
        yield f"Subnet IDs {unknown} don't exist."
        return
    zones = [known[each].availability_zone for each in subnets]
    if len(set(zones)) != len(zones):
        yield "Subnets must be in different Availability Zones."
    vpcs = {known[each].vpc_id for each in subnets}
    theirs = {group.vpc_id for each in groups if (group := ec2.get_security_group_from_id(each))}
    if len(vpcs | theirs) > 1 or (groups and not theirs):
        yield "Subnets and security groups must belong to one VPC."


def is_name_taken(name: str, region: str) -> bool:
    return any(broker.name == name for broker in mq_backends[DEFAULT_ACCOUNT_ID][region].brokers.values())
