"""What a deployment tells: how to start a run, and where its results are."""

from __future__ import annotations

import aws_cdk as cdk

from breakeven.results import layout
from infra.results import Results
from infra.workflow import Workflow

#: stands for the execution's name, which is the run's id
RUN_ID = "EXECUTION_NAME"


def declare_outputs(stack: cdk.Stack, *, results: Results, workflow: Workflow) -> None:
    """``StartExecution`` can be pasted into a shell as it stands; it names the run by the minute."""
    machine, bucket = workflow.state_machine.state_machine_arn, results.bucket.bucket_name
    start = (
        f"aws stepfunctions start-execution --region {cdk.Aws.REGION} --state-machine-arn {machine} "
        "--name run-$(date +%Y%m%d-%H%M) --input '{}'"
    )
    outputs = {
        "StartExecution": (start, "starts the default suite; the execution's name is the run's id"),
        "ReportLocation": (
            f"s3://{bucket}/{layout.report_key(RUN_ID, '')}",
            f"a run's report, its execution's name in the place of {RUN_ID}",
        ),
        "BucketName": (bucket, "results; kept when the stack is destroyed"),
        "StateMachineArn": (machine, "the workflow"),
        "StateTableName": (results.state_table.table_name, "runs and cases under way, for 90 days"),
        "TopicArn": (workflow.topic.topic_arn, "gets every run's verdict"),
    }
    for name, (value, description) in outputs.items():
        cdk.CfnOutput(stack, name, value=value, description=description)
