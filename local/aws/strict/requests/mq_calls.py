"""Needs of Amazon MQ's calls.

Sources: Service Authorization Reference, "Actions, resources, and condition keys for Amazon MQ", with the
dependent actions of CreateBroker and DeleteBroker; Amazon MQ Developer Guide, "API authentication and
authorization for Amazon MQ", its permissions of EC2. Which of them the service asks for of a broker of
RabbitMQ, no source says: all are asked for here, but those of a security group that is not named. That a
broker with tags takes CreateTags as well is assumed, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from moto.core import DEFAULT_ACCOUNT_ID
from moto.ec2.models import ec2_backends
from moto.mq.models import mq_backends

from local.aws.strict.requests.needed import HERE, Signature, UnreadableCallError
from local.aws.strict.requests.policies import Call, Context
from local.aws.strict.requests.rest_calls import Read

BROKERS, BROKER = "/v1/brokers", re.compile(r"/v1/brokers/([^/]+)")
CONFIGURATIONS, CONFIGURATION = "/v1/configurations", re.compile(r"/v1/configurations/([^/]+)")
ASKED = {"/v1/broker-engine-types": "EngineTypes", "/v1/broker-instance-options": "InstanceOptions"}
REBOOT = re.compile(r"/v1/brokers/([^/]+)/reboot")
OF_BROKERS = {"POST": "CreateBroker", "GET": "ListBrokers"}
OF_A_BROKER = {"GET": "DescribeBroker", "DELETE": "DeleteBroker"}
SERVICE = "mq.amazonaws.com"
LOOKED_AT = (
    *("InternetGateways", "NetworkInterfaces", "NetworkInterfacePermissions", "RouteTables"),
    *("SecurityGroups", "Subnets", "VpcEndpoints", "Vpcs"),
)
#: on the endpoint of a broker (Amazon MQ Developer Guide, "Using service-linked roles for Amazon MQ")
MANAGED: Context = (("aws:ResourceTag/AMQManaged", "true"),)
#: of what the service may do with interfaces
PERMITTED: Context = (("ec2:AuthorizedService", SERVICE),)


def read(environ: dict[str, Any], body: bytes, by: Signature) -> Read:
    """The operation, and what it needs."""
    method, path = environ["REQUEST_METHOD"], unquote(environ["PATH_INFO"])
    if path == BROKERS and method in OF_BROKERS:
        name = OF_BROKERS[method]
        return name, [*_creating(json.loads(body), by)] if body else [by.needs(f"mq:{name}", "*")]
    if (found := BROKER.fullmatch(path)) and method in OF_A_BROKER:
        name = OF_A_BROKER[method]
        arn, tags = _broker(found[1], by)
        ending = _ending(found[1], by) if method == "DELETE" else ()
        return name, [by.needs(f"mq:{name}", arn, tags), *ending]
    if (found := REBOOT.fullmatch(path)) and method == "POST":
        arn, tags = _broker(found[1], by)
        return "RebootBroker", [by.needs("mq:RebootBroker", arn, tags)]
    if path == CONFIGURATIONS and method == "GET":
        return "ListConfigurations", [by.needs("mq:ListConfigurations", "*")]
    if (found := CONFIGURATION.fullmatch(path)) and method == "DELETE":
        return "DeleteConfiguration", [
            by.needs("mq:DeleteConfiguration", by.arn("mq", f"configuration:{found[1]}"))
        ]
    if path in ASKED and method == "GET":
        name = f"DescribeBroker{ASKED[path]}"
        return name, [by.needs(f"mq:{name}", "*")]
    raise UnreadableCallError(f"mq {method} {path}: {HERE}")


def _broker(broker_id: str, by: Signature) -> tuple[str, Context]:
    """ARN and tags of one that is there; of another nobody knows either."""
    backend = mq_backends[DEFAULT_ACCOUNT_ID][by.region]
    found = backend.brokers.get(broker_id)
    if found is None:
        return by.arn("mq", f"broker:*:{broker_id}"), ()
    tags = backend.list_tags(found.arn)
    held = tuple((f"aws:ResourceTag/{key}", value) for key, value in sorted(tags.items()))
    return by.arn("mq", f"broker:{found.name}:{broker_id}"), held


def _vpcs(subnets: Iterable[str], by: Signature) -> list[str]:
    """Those of the subnets, as far as they are known."""
    zones, wanted = ec2_backends[DEFAULT_ACCOUNT_ID][by.region].subnets.values(), set(subnets)
    return sorted({subnet.vpc_id for zone in zones for subnet in zone.values() if subnet.id in wanted})


def _ending(broker_id: str, by: Signature) -> Iterator[Call]:
    """What the end of a broker takes beside its own call."""
    yield by.needs("ec2:DeleteVpcEndpoints", by.arn("ec2", "vpc-endpoint/*"), MANAGED)
    broker = mq_backends[DEFAULT_ACCOUNT_ID][by.region].brokers.get(broker_id)
    yield from _ending_interfaces(broker.subnet_ids if broker else (), by)


def _ending_interfaces(subnets: Iterable[str], by: Signature) -> Iterator[Call]:
    interface = by.arn("ec2", "network-interface/*")
    for vpc in _vpcs(subnets, by):
        for action in ("DeleteNetworkInterface", "DetachNetworkInterface"):
            yield by.needs(f"ec2:{action}", interface, (("ec2:Vpc", by.arn("ec2", f"vpc/{vpc}")),))
    yield by.needs("ec2:DeleteNetworkInterfacePermission", interface, PERMITTED)


def _creating(given: dict[str, Any], by: Signature) -> Iterator[Call]:
    asked = tuple((f"aws:RequestTag/{key}", value) for key, value in sorted(given.get("tags", {}).items()))
    yield by.needs("mq:CreateBroker", "*", asked)
    if asked:
        yield by.needs("mq:CreateTags", by.arn("mq", f"broker:{given.get('brokerName')}:*"), asked)
    role = f"role/aws-service-role/{SERVICE}/AWSServiceRoleForAmazonMQ"
    linked = (("iam:AWSServiceName", SERVICE),)
    yield by.needs("iam:CreateServiceLinkedRole", f"arn:aws:iam::{DEFAULT_ACCOUNT_ID}:{role}", linked)
    for what in LOOKED_AT:
        yield by.needs(f"ec2:Describe{what}", "*")
    used = [f"subnet/{subnet}" for subnet in given.get("subnetIds", [])]
    used += [f"security-group/{group}" for group in given.get("securityGroups", [])]
    for vpc in _vpcs(given.get("subnetIds", []), by):
        yield by.needs("ec2:CreateVpcEndpoint", by.arn("ec2", f"vpc/{vpc}"))
    for action, made in (("VpcEndpoint", "vpc-endpoint/*"), ("NetworkInterface", "network-interface/*")):
        for resource in (*used, made):
            yield by.needs(f"ec2:Create{action}", by.arn("ec2", resource))
    yield by.needs("ec2:CreateNetworkInterfacePermission", by.arn("ec2", "network-interface/*"), PERMITTED)
    yield from _ending_interfaces(given.get("subnetIds", []), by)
    yield by.needs("route53:AssociateVPCWithHostedZone", "arn:aws:route53:::hostedzone/*")
