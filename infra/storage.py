"""How whatever is stored is kept: which key encrypts it, and for how long logs stay."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.context.settings import Context
from infra.policies import allow


class Storage(Construct):
    """``key``: the account's own, or None for keys that AWS manages."""

    def __init__(self, scope: Construct, construct_id: str, context: Context) -> None:
        super().__init__(scope, construct_id)
        self._days = context.log_retention_days
        self.key = kms.Key.from_key_arn(self, "Key", context.kms_key_arn) if context.kms_key_arn else None

    def log_group(self, scope: Construct, construct_id: str, *, name: str | None = None) -> logs.LogGroup:
        """A log group that goes with the stack."""
        group = logs.LogGroup(
            scope,
            construct_id,
            log_group_name=name,
            encryption_key=self.key,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        # the construct takes only members of an enumeration, CloudFormation takes the days
        group.node.default_child.retention_in_days = self._days
        return group

    def allow(self, role: iam.IRole) -> None:
        """Let a role use the account's key, as whoever reads or writes what it encrypts must."""
        if self.key:
            use = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"]
            allow(role, use, [self.key.key_arn])
