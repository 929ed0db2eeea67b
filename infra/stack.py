"""The one stack: where results go, what runs, and the workflow that ties it together."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from infra.brokers import Brokers
from infra.functions import Functions
from infra.network import Network
from infra.results import Results
from infra.workflow import Workflow


class QueueBreakevenStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, *, description: str) -> None:
        super().__init__(scope, construct_id, description=description)
        network = Network(self, "Network")
        results = Results(self, "Results")
        brokers = Brokers(self, "Brokers", network=network, results=results)
        functions = Functions(self, "Functions", network=network, results=results, brokers=brokers)
        workflow = Workflow(self, "Workflow", functions=functions, results=results)
        for name, value in {
            "StateMachineArn": workflow.state_machine.state_machine_arn,
            "BucketName": results.bucket.bucket_name,
            "StateTableName": results.state_table.table_name,
            "TopicArn": workflow.topic.topic_arn,
        }.items():
            cdk.CfnOutput(self, name, value=value)
