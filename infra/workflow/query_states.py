"""The states in which Athena answers the questions of ``queries/``, and what it may do as who asks them.

Athena looks up, reads and writes as whoever starts a query, here as the state machine.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from breakeven.results.queries import bare, parameter_count, queries
from breakeven.results.schemas import TABLES
from infra.results import Results
from infra.retries import retry_on
from infra.statements import acknowledge, allow, on

QUERY_TIMEOUT_S = 300
#: Athena has started nothing: asked too often, or broken. The first two are its own names
#: ("StartQueryExecution", Amazon Athena API Reference), the others what Step Functions calls all else
QUERY_NOT_STARTED = [
    "Athena.TooManyRequestsException",
    "Athena.InternalServerException",
    "Athena.AmazonAthenaException",
    "Athena.AthenaException",
    "Athena.SdkClientException",
]
#: of every catalogue; queries begin there, whichever database they name
DEFAULT_DATABASE = "default"


def all_queries(scope: Construct, results: Results) -> sfn.Parallel:
    """Every file of ``queries/``, run by Athena for this run's partition."""
    parallel = sfn.Parallel(scope, "Queries", result_path="$.queries")
    for name, sql in queries().items():
        parallel.branch(_query(scope, name, sql, results.database_name))
    return parallel


def _query(scope: Construct, name: str, sql: str, database: str) -> sfn.CustomState:
    # The CDK's own Athena task cannot build its parameter list from state; every '?' is the run's id.
    parameters = ", ".join(["$.run.sql_run_id"] * parameter_count(sql))
    state = sfn.CustomState(
        scope,
        f"Query {name}",
        state_json={
            "Type": "Task",
            "Resource": f"arn:{cdk.Aws.PARTITION}:states:::athena:startQueryExecution.sync",
            "Parameters": {
                "QueryString": bare(sql),
                "WorkGroup": database,
                "QueryExecutionContext": {"Database": database},
                "ExecutionParameters.$": f"States.Array({parameters})",
            },
            "ResultSelector": {"name": name, "id.$": "$.QueryExecution.QueryExecutionId"},
            "TimeoutSeconds": QUERY_TIMEOUT_S,
        },
    )
    retry_on(state, QUERY_NOT_STARTED, 5)
    # a query only reads, so that one which Athena could not finish may be made again, too
    retry_on(state, [sfn.Errors.TASKS_FAILED, sfn.Errors.TIMEOUT], 2)
    return state


def allow_queries(machine: sfn.StateMachine, results: Results) -> None:
    """As the Step Functions guide has it ("IAM policies for calling Amazon Athena"), on what is ours."""
    _allow_asking(machine, results.database_name)
    _allow_looking_up(machine.role, results.database_name)
    _allow_reading_and_answering(machine.role, results)


def _allow_asking(machine: sfn.StateMachine, work_group: str) -> None:
    queried = ["athena:StartQueryExecution", "athena:GetQueryExecution", "athena:StopQueryExecution"]
    catalogs = _arn(machine, "athena", "datacatalog", "*")
    allow(machine.role, queried, [_arn(machine, "athena", "workgroup", work_group)])
    allow(machine.role, ["athena:GetDataCatalog"], [catalogs])
    why = "Athena's own catalogue has names of its own, and what this tells of another is what kind it is"
    acknowledge(machine, {on(catalogs): why})


def _allow_looking_up(role: iam.IRole, database: str) -> None:
    """Our tables; and the database ``default``, which Athena asks for, and makes where it is missing, as
    whoever asks anything ("Configure access to databases and tables in the AWS Glue Data Catalog", Amazon
    Athena User Guide).
    """
    catalog = _arn(role, "glue", "catalog")
    own, default = (_arn(role, "glue", "database", name) for name in (database, DEFAULT_DATABASE))
    tables = [_arn(role, "glue", "table", f"{database}/{table.name}") for table in TABLES]
    allow(role, ["glue:GetDatabase"], [catalog, own, default])
    allow(role, ["glue:CreateDatabase", "glue:GetDatabases"], [catalog, default])
    allow(role, ["glue:GetTable", "glue:GetPartitions"], [catalog, own, *tables])


def _allow_reading_and_answering(role: iam.IRole, results: Results) -> None:
    bucket, answers = results.bucket, "athena/*"
    results.allow_reading(role, "rows/*", answers)
    results.allow_listing(role)
    results.allow_writing(role, answers)
    # a long answer is written in parts
    parts = ["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
    allow(role, parts, [bucket.arn_for_objects(answers)])
    allow(role, ["s3:GetBucketLocation", "s3:ListBucketMultipartUploads"], [bucket.bucket_arn])


def _arn(scope: Construct, service: str, resource: str, name: str | None = None) -> str:
    return cdk.Stack.of(scope).format_arn(service=service, resource=resource, resource_name=name)
