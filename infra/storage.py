"""Retention and encryption of whatever is stored: which key, and for how long logs stay."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.context.settings import Context
from infra.statements import acknowledge, allow

DEAD_LETTERS_KEPT = cdk.Duration.days(14)


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

    def dead_letters(self, scope: Construct, construct_id: str, *, own_key: bool) -> sqs.Queue:
        """A queue of what could not be delivered elsewhere, which goes with the stack.

        :param own_key: encrypted by the account's key, where there is one; otherwise by a key of SQS
        """
        key = self.key if own_key else None
        queue = sqs.Queue(
            scope,
            construct_id,
            enforce_ssl=True,
            encryption=sqs.QueueEncryption.KMS if key else sqs.QueueEncryption.SQS_MANAGED,
            encryption_master_key=key,
            retention_period=DEAD_LETTERS_KEPT,
        )
        why = (
            "it is the dead-letter queue itself: an alarm tells of what is in it, and nothing is read from it"
        )
        acknowledge(queue, {"SQS3": why})
        return queue

    def allow(self, role: iam.IRole) -> None:
        """Let a role use the account's key, as whoever reads or writes what it encrypts must."""
        if self.key:
            use = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"]
            allow(role, use, [self.key.key_arn])
