"""The one state machine: plan, rounds of legs of cases, release, queries, report, notify, finish.

    Begin ▸ Plan ▸ Rounds ▸ ReleaseRun ▸ Queries ▸ BuildReport ▸ Notify ▸ FinishRun ▸ Succeed | Fail

``$.failed`` maps the name of a state that failed to its error, so that the run's record says where.
Brokers are let go by their leg, and again by ``ReleaseRun`` whatever happened before it.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from breakeven.results.queries import parameter_count, queries
from infra.functions import Functions
from infra.legs import Leg
from infra.results import DATABASE, Results
from infra.steps import catch_as, invoke

RUN_LIMIT = cdk.Duration.hours(12)
QUERY_TIMEOUT_S = 300


class Workflow(Construct):
    def __init__(
        self, scope: Construct, construct_id: str, *, functions: Functions, results: Results
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions, self._results = functions, results
        self.topic = sns.Topic(self, "Topic", enforce_ssl=True)
        self.state_machine = sfn.StateMachine(
            self,
            "StateMachine",
            definition_body=sfn.DefinitionBody.from_chainable(self._definition()),
            timeout=RUN_LIMIT,
            tracing_enabled=True,
        )
        self._grant_queries()

    def _definition(self) -> sfn.IChainable:
        begin = sfn.Pass(
            self,
            "Begin",
            parameters={
                "input": sfn.JsonPath.string_at("$$.Execution.Input"),
                "run_id": sfn.JsonPath.string_at("$$.Execution.Name"),
                "execution": sfn.JsonPath.string_at("$$.Execution.Id"),
                "started_at": sfn.JsonPath.string_at("$$.Execution.StartTime"),
                "failed": {},
            },
        )
        finish = self._finish()
        plan = invoke(self, "Plan", self._functions.get("Plan"), result_path="$.run")
        catch_as(plan, finish)
        rounds = self._rounds()
        release = invoke(
            self,
            "ReleaseRun",
            self._functions.get("ReleaseRun"),
            payload={"run_id": sfn.JsonPath.string_at("$.run_id")},
            attempts=2,
        )
        catch_as(rounds, release)
        read = self._queries()
        catch_as(release, read)
        catch_as(read, finish)
        report = invoke(
            self,
            "BuildReport",
            self._functions.get("BuildReport"),
            payload={
                "run_id": sfn.JsonPath.string_at("$.run_id"),
                "queries": sfn.JsonPath.object_at("$.queries"),
                "failed": sfn.JsonPath.object_at("$.failed"),
            },
            result_path="$.report",
        )
        catch_as(report, finish)
        notify = tasks.SnsPublish(
            self,
            "Notify",
            topic=self.topic,
            subject=sfn.JsonPath.string_at("$.report.subject"),
            message=sfn.TaskInput.from_json_path_at("$.report.message"),
            result_path=sfn.JsonPath.DISCARD,
            task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(60)),
        )
        catch_as(notify, finish)
        return begin.next(plan).next(rounds).next(release).next(read).next(report).next(notify).next(finish)

    def _rounds(self) -> sfn.Map:
        """Rounds one after another; in a round, legs side by side as far as the plan allows."""
        legs = sfn.Map(
            self,
            "Legs",
            items_path="$.legs",
            max_concurrency_path="$.legs_at_once",
            item_selector={
                "run_id": sfn.JsonPath.string_at("$.run_id"),
                "leg": sfn.JsonPath.object_at("$$.Map.Item.Value"),
                "failed": {},
            },
            result_path=sfn.JsonPath.DISCARD,
        )
        brokers = Leg(self, "Broker", self._functions, inside=True).definition()
        managed = Leg(self, "Managed", self._functions, inside=False).definition()
        choose = sfn.Choice(self, "OwnBrokers?")
        choose.when(sfn.Condition.boolean_equals("$.leg.brokers", True), brokers).otherwise(managed)
        legs.item_processor(choose)
        rounds = sfn.Map(
            self,
            "Rounds",
            items_path="$.run.rounds",
            max_concurrency=1,
            item_selector={
                "run_id": sfn.JsonPath.string_at("$.run_id"),
                "legs_at_once": sfn.JsonPath.object_at("$.run.legs_at_once"),
                "legs": sfn.JsonPath.object_at("$$.Map.Item.Value"),
            },
            result_path=sfn.JsonPath.DISCARD,
        )
        rounds.item_processor(legs)
        return rounds

    def _queries(self) -> sfn.Parallel:
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
                    "QueryString": sql,
                    "WorkGroup": DATABASE,
                    "QueryExecutionContext": {"Database": DATABASE},
                    "ExecutionParameters.$": f"States.Array({parameters})",
                },
                "ResultSelector": {"name": name, "id.$": "$.QueryExecution.QueryExecutionId"},
                "TimeoutSeconds": QUERY_TIMEOUT_S,
            },
        )

    def _finish(self) -> sfn.IChainable:
        """Write the run's record; the execution fails when any state did, so that alarms can see it."""
        finish = invoke(
            self,
            "FinishRun",
            self._functions.get("FinishRun"),
            payload={"state": sfn.JsonPath.object_at("$")},
            result_path="$.finished",
            attempts=2,
        )
        unrecorded = tasks.DynamoUpdateItem(
            self,
            "RecordUnfinished",
            table=self._results.state_table,
            key={
                "run_id": tasks.DynamoAttributeValue.from_string(sfn.JsonPath.string_at("$.run_id")),
                "item": tasks.DynamoAttributeValue.from_string("run"),
            },
            update_expression="SET #status = :failed, failed_at = :where",
            expression_attribute_names={"#status": "status"},
            expression_attribute_values={
                ":failed": tasks.DynamoAttributeValue.from_string("failed"),
                ":where": tasks.DynamoAttributeValue.from_string("FinishRun"),
            },
            result_path=sfn.JsonPath.DISCARD,
        )
        failed = sfn.Fail(
            self,
            "RunFailed",
            error="RunFailed",
            cause="A state of the run failed; the run's record in the state table says which and why.",
        )
        catch_as(finish, unrecorded)
        unrecorded.next(failed)
        done = sfn.Choice(self, "AllWell?")
        done.when(sfn.Condition.boolean_equals("$.finished.ok", True), sfn.Succeed(self, "Done"))
        done.otherwise(failed)
        finish.next(done)
        return finish

    def _grant_queries(self) -> None:
        stack = cdk.Stack.of(self)
        role = self.state_machine.role
        workgroup = stack.format_arn(service="athena", resource="workgroup", resource_name=DATABASE)
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=[
                    "athena:StartQueryExecution",
                    "athena:GetQueryExecution",
                    "athena:StopQueryExecution",
                ],
                resources=[workgroup],
            )
        )
        catalog = [
            stack.format_arn(service="glue", resource="catalog"),
            stack.format_arn(service="glue", resource="database", resource_name=DATABASE),
            stack.format_arn(service="glue", resource="table", resource_name=f"{DATABASE}/*"),
        ]
        role.add_to_principal_policy(
            iam.PolicyStatement(
                actions=["glue:GetDatabase", "glue:GetTable", "glue:GetPartitions"], resources=catalog
            )
        )
        self._results.bucket.grant_read(role, "rows/*")
        self._results.bucket.grant_read_write(role, "athena/*")
