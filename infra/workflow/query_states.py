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
from infra.acknowledged import acknowledge, on
from infra.results import Results
from infra.retries import retry_on

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


class QueryStates(Construct):
    def __init__(self, scope: Construct, construct_id: str, *, results: Results) -> None:
        super().__init__(scope, construct_id)
        self._results = results

    def all(self) -> sfn.Parallel:
        """Every file of ``queries/``, run by Athena for this run's partition."""
        parallel = sfn.Parallel(self, "Queries", result_path="$.queries")
        for name, sql in queries().items():
            parallel.branch(self._query(name, sql))
        return parallel

    def _query(self, name: str, sql: str) -> sfn.CustomState:
        # The CDK's own Athena task cannot build its parameter list from state; every '?' is the run's id.
        parameters = ", ".join(["$.run.sql_run_id"] * parameter_count(sql))
        return sfn.CustomState(
            self,
            f"Query {name}",
            state_json={
                "Type": "Task",
                "Resource": f"arn:{cdk.Aws.PARTITION}:states:::athena:startQueryExecution.sync",
                "Parameters": {
                    "QueryString": bare(sql),
                    "WorkGroup": self._results.database_name,
                    "QueryExecutionContext": {"Database": self._results.database_name},
                    "ExecutionParameters.$": f"States.Array({parameters})",
                },
                "ResultSelector": {"name": name, "id.$": "$.QueryExecution.QueryExecutionId"},
                "TimeoutSeconds": QUERY_TIMEOUT_S,
                # a query only reads, so that one which Athena could not finish may be made again, too
                "Retry": [retry_on(QUERY_NOT_STARTED, 5), retry_on([sfn.Errors.TASKS_FAILED], 2)],
            },
        )

    def may_query(self, machine: sfn.StateMachine) -> None:
        """As the Step Functions guide has it ("IAM policies for calling Amazon Athena"), on what is ours."""
        self._may_ask(machine)
        self._may_look_up(machine.role)
        self._may_read_and_answer(machine.role)

    def _may_ask(self, machine: sfn.StateMachine) -> None:
        queried = ["athena:StartQueryExecution", "athena:GetQueryExecution", "athena:StopQueryExecution"]
        group, catalogs = (
            cdk.Stack.of(self).format_arn(service="athena", resource=kind, resource_name=name)
            for kind, name in (("workgroup", self._results.database_name), ("datacatalog", "*"))
        )
        _allow(machine.role, queried, [group])
        _allow(machine.role, ["athena:GetDataCatalog"], [catalogs])
        why = "Athena's own catalogue has names of its own, and what this tells of another is what kind it is"
        acknowledge(machine, {on(catalogs): why})

    def _may_look_up(self, role: iam.IRole) -> None:
        """Our tables; and the database ``default``, which Athena asks for, and makes where it is missing, as
        whoever asks anything ("Configure access to databases and tables in the AWS Glue Data Catalog", Amazon
        Athena User Guide).
        """
        database = self._results.database_name
        tables = [f"{database}/{table.name}" for table in TABLES]
        catalog, own, default, *of_tables = (
            self._glue(kind, name)
            for kind, name in (
                ("catalog", None),
                ("database", database),
                ("database", DEFAULT_DATABASE),
                *(("table", table) for table in tables),
            )
        )
        _allow(role, ["glue:GetDatabase"], [catalog, own, default])
        _allow(role, ["glue:CreateDatabase", "glue:GetDatabases"], [catalog, default])
        _allow(role, ["glue:GetTable", "glue:GetPartitions"], [catalog, own, *of_tables])

    def _may_read_and_answer(self, role: iam.IRole) -> None:
        results, answers = self._results, "athena/*"
        results.allow_reading(role, "rows/*", answers)
        results.allow_listing(role)
        results.allow_writing(role, answers)
        # a long answer is written in parts
        bucket = results.bucket
        parts = ["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
        _allow(role, parts, [bucket.arn_for_objects(answers)])
        _allow(role, ["s3:GetBucketLocation", "s3:ListBucketMultipartUploads"], [bucket.bucket_arn])

    def _glue(self, kind: str, name: str | None) -> str:
        return cdk.Stack.of(self).format_arn(service="glue", resource=kind, resource_name=name)


def _allow(role: iam.IRole, actions: list[str], resources: list[str]) -> None:
    role.add_to_principal_policy(iam.PolicyStatement(actions=actions, resources=resources))
