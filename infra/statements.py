"""Roles, and statements of policies as most of them get these: one at a time, beside what they are for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from constructs import Construct

Conditions = Mapping[str, Mapping[str, object]]


def service_role(
    scope: Construct, construct_id: str, service: str, description: str, **own: object
) -> iam.Role:
    """A role that the service of AWS takes on."""
    principal = iam.ServicePrincipal(f"{service}.amazonaws.com")
    return iam.Role(scope, construct_id, assumed_by=principal, description=description, **own)


def allow(
    role: iam.IRole, actions: Iterable[str], resources: Iterable[str], conditions: Conditions | None = None
) -> None:
    statement = iam.PolicyStatement(actions=list(actions), resources=list(resources), conditions=conditions)
    role.add_to_principal_policy(statement)


def allow_publishing(topic: sns.ITopic, service: str, *, sid: str) -> iam.AddToResourcePolicyResult:
    """Let a service of AWS publish for this account: a topic with a policy takes nothing from one without."""
    return topic.add_to_resource_policy(
        iam.PolicyStatement(
            sid=sid,
            principals=[iam.ServicePrincipal(f"{service}.amazonaws.com")],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
        )
    )
