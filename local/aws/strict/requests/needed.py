"""Needs of a call, as IAM knows them: actions on resources, with the condition keys of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID

from local.aws.strict.requests.policies import Call, Context

#: of the account whose quotas are simulated
REGION = "us-east-1"
HERE = "say in local/aws/strict/ what it is about"
#: a call's parameters, as its service's protocol has them
Parameters = Mapping[str, Any]


class UnreadableCallError(Exception):
    """A request of a kind that is not known here."""


Found = Iterator[Call]


@dataclass(frozen=True, slots=True)
class Signature:
    """Who calls, and where: ``key``: the access key; ``service``: the signing name; ``region``: signed for.

    The account is the simulation's one.
    """

    key: str
    service: str
    region: str

    def arn(self, service: str, resource: str, account: str = DEFAULT_ACCOUNT_ID) -> str:
        return f"arn:aws:{service}:{self.region}:{account}:{resource}"

    def needs(self, action: str, resource: str, context: Context = ()) -> Call:
        """:param action: ``service:Action``, as IAM calls it"""
        return Call(self.key, action, resource, context)

    def passes_role(self, role: str, service: str) -> Call:
        """What passing a role (its ARN) on to a service needs.

        Source: IAM User Guide, "Granting a user permissions to pass a role to an AWS service".
        """
        return self.needs("iam:PassRole", role, (("iam:PassedToService", service),))
