"""What a call needs: actions on resources, with the condition keys that AWS would know of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moto.core import DEFAULT_ACCOUNT_ID

from local.aws.strict.requests.policies import Context

#: of the account whose quotas are simulated
REGION = "us-east-1"
HERE = "say in local/aws/strict/ what it is about"
#: a call's parameters, as its service's protocol has them
Parameters = Mapping[str, Any]


class UnreadableCallError(Exception):
    """A request of a kind that is not known here."""


@dataclass(frozen=True, slots=True)
class Needed:
    """``action`` is ``service:Action``, as IAM calls it."""

    action: str
    resource: str
    context: Context = ()


Found = Iterator[Needed]


@dataclass(frozen=True, slots=True)
class Place:
    """The region that a call is made in; the account is the simulation's one."""

    region: str

    def arn(self, service: str, resource: str, account: str = DEFAULT_ACCOUNT_ID) -> str:
        return f"arn:aws:{service}:{self.region}:{account}:{resource}"


def passes_role(role: str, service: str) -> Needed:
    """What passing a role (its ARN) on to a service needs.

    Source: IAM User Guide, "Granting a user permissions to pass a role to an AWS service".
    """
    return Needed("iam:PassRole", role, (("iam:PassedToService", service),))
