"""Roles of a template, enforced in front of a simulated AWS in which nothing is deployed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config

from breakeven.results.store import Store
from breakeven.steps.services import Services
from local.aws.boto import PERSON
from local.aws.strict import front
from local.aws.strict.permissions.authorization import Authorization
from local.aws.strict.permissions.roles import Role
from local.aws.strict.requests.policies import remembered
from local.aws.swaps import Swaps
from tests.support.grants.roles import Roles
from tests.support.grants.templates import REGION, Template

BUCKET, TABLE = "results", "state"
KEYS = {"run_id": "HASH", "item": "RANGE"}


class GivenRoles:
    """What ``Authorization`` asks, of roles by their short names."""

    def __init__(self, roles: Roles) -> None:
        self._roles = {
            name: Role(f"arn:aws:iam::123456789012:role/{name}", f"assumed-role/{name}/x", remembered(held))
            for name, held in roles.items()
        }

    def of(self, caller: str | None) -> Role | None:
        return None if caller in {None, PERSON} else self._roles[caller]

    def forget(self) -> None:
        """They stay as they are given."""


def roles_on_names(template: Mapping[str, Any]) -> Roles:
    """The template's roles, its bucket and its table called by names that S3 and DynamoDB take."""
    names = {"AWS::S3::Bucket": BUCKET, "AWS::DynamoDB::Table": TABLE}
    text = json.dumps(template)
    for logical_id, resource in template["Resources"].items():
        if resource["Type"] in names:
            text = text.replace(f'"{logical_id}"', f'"{names[resource["Type"]]}"')
    return Template(json.loads(text)).roles()


class Enforced:
    """``as_role(name)``: the installation's services, called in that role; ``person``: in nobody's."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        s3, dynamodb = self.client("s3", PERSON), self.client("dynamodb", PERSON)
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        dynamodb.create_table(
            TableName=TABLE,
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEYS.items()],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEYS],
            BillingMode="PAY_PER_REQUEST",
        )
        self.person = self.as_role(PERSON)

    def as_role(self, name: str) -> Services:
        table = boto3.resource("dynamodb", **self._options(name)).Table(TABLE)
        return Services(Store(self.client("s3", name), BUCKET), table)

    def client(self, service: str, key: str) -> Any:
        return boto3.client(service, **self._options(key))

    def _options(self, key: str) -> dict[str, Any]:
        return {
            "endpoint_url": self._endpoint,
            "region_name": REGION,
            "aws_access_key_id": key,
            "aws_secret_access_key": "x",
            "config": Config(retries={"total_max_attempts": 1}, proxies={}),
        }


@contextmanager
def enforced(endpoint: str, roles: Roles) -> Iterator[Enforced]:
    """:param endpoint: of an empty simulated AWS in this process"""
    with Swaps() as swaps:
        front.install(swaps, [Authorization(GivenRoles(roles))])
        yield Enforced(endpoint)
