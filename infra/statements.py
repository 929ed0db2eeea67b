"""Roles, and statements of policies as most of them get these: one at a time, beside what they are for.

What the AWS Solutions checks (cdk-nag) find and is left as it is stands beside it, with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct, IConstruct

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


def acknowledge(construct: IConstruct, reasons: Mapping[str, str]) -> None:
    """Leave findings on ``construct`` and below as they are.

    :param reasons: a rule, such as ``S1``, or a single finding of one, such as ``IAM5[Resource::*]`` -> why
    """
    cdk.Validations.of(construct).acknowledge(
        *(
            cdk.Acknowledgment(id=f"AwsSolutions-{finding}", reason=reason)
            for finding, reason in reasons.items()
        )
    )


def objects(bucket: s3.Bucket, prefix: str) -> str:
    """The finding of a statement that allows the objects under ``prefix``, such as ``runs/*``."""
    return f"IAM5[Resource::<{_logical_id(bucket)}.Arn>/{prefix}]"


def any_version(function: lambda_.Function) -> str:
    """The finding of a statement that allows every version of a function."""
    return f"IAM5[Resource::<{_logical_id(function)}.Arn>:*]"


def on(arn: str) -> str:
    """The finding of a statement on ``arn``, as the checks write it: references in angle brackets."""
    shown = arn
    for token, name in {
        cdk.Aws.PARTITION: "<AWS::Partition>",
        cdk.Aws.REGION: "<AWS::Region>",
        cdk.Aws.ACCOUNT_ID: "<AWS::AccountId>",
    }.items():
        shown = shown.replace(token, name)
    return f"IAM5[Resource::{shown}]"


def executions_arn(machine: sfn.StateMachine, name: str | None = None) -> str:
    """ARN of every execution of the one state machine.

    :param name: the machine's, where it is written otherwise
    """
    return cdk.Stack.of(machine).format_arn(
        service="states",
        resource="execution",
        resource_name=f"{name or machine.state_machine_name}:*",
        arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
    )


def executions_of(machine: sfn.StateMachine, arn: str) -> str:
    """The same where the ARN has the machine's name in it."""
    return on(arn.replace(machine.state_machine_name, f"<{_logical_id(machine)}.Name>"))


def executions_split(machine: sfn.StateMachine, label: str = "") -> str:
    """The same where the CDK takes the name out of the ARN; with a label, of one distributed map."""
    split = json.dumps(
        {"Fn::Select": [6, {"Fn::Split": [":", {"Ref": _logical_id(machine)}]}]}, separators=(",", ":")
    )
    return on(executions_arn(machine, f"{split}/{label}" if label else split))


def _logical_id(construct: IConstruct) -> str:
    logical_id: str = cdk.Stack.of(construct).get_logical_id(construct.node.default_child)
    return logical_id
