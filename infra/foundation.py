"""Foundation of the stack, and what code on AWS knows of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import aws_cdk as cdk

from infra.context.settings import Context
from infra.network import Network
from infra.results import Results
from infra.storage import Storage


@dataclass(frozen=True, slots=True)
class Foundation:
    """The settings of the deployment, and what is made by them before all else."""

    context: Context
    storage: Storage
    network: Network
    results: Results

    def environment(self, service: str) -> dict[str, str]:
        """Variables of a function or a task.

        :param service: what its log lines call themselves
        """
        context, key = self.context, self.storage.key
        given = {
            "BREAKEVEN_QUEUE_PREFIX": context.queue_prefix,
            "BREAKEVEN_KMS_KEY": key.key_arn if key else "",
            "BREAKEVEN_TAGS": json.dumps(context.tags) if context.tags else "",
        }
        return {
            "BREAKEVEN_BUCKET": self.results.bucket.bucket_name,
            "BREAKEVEN_TABLE": self.results.state_table.table_name,
            "BREAKEVEN_OWNER": context.stack_name,
            "BREAKEVEN_REGION": cdk.Aws.REGION,
            "BREAKEVEN_INSTANCE_TYPE": context.instance_type,
            **{name: value for name, value in given.items() if value},
            # of boto3, where a client is not made otherwise: a throttled call is made again for some 15 s in
            # all, not for one ("Retry behavior", AWS SDKs and Tools Reference Guide)
            "AWS_RETRY_MODE": "standard",
            "AWS_MAX_ATTEMPTS": "6",
            "POWERTOOLS_SERVICE_NAME": service,
            "POWERTOOLS_METRICS_NAMESPACE": context.stack_name,
        }
