"""The one state machine: plan, rounds of legs of cases, release, prices, queries, report, notify, finish.

    Begin ▸ Plan ▸ TakeLock ▸ [BakeImages] ▸ [EstablishTasks] ▸ Rounds ▸ ReleaseRun ▸ [ReadMetrics] ▸ PriceRun
        ▸ Queries ▸ BuildReport ▸ Notify ▸ ReleaseLock ▸ FinishRun ▸ Succeed | Fail

``$.failed`` maps the name of a state that failed to its error, so that the run's record says where;
``$.unread`` the same of what a run does without: it does not fail for it, and its report says why.
Brokers are terminated by their leg, and again by ``ReleaseRun`` whatever happened before it. A run that does
not get the lock goes to ``FinishRun`` at once: what the clean-up would delete belongs to another.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as sfn_tasks
from constructs import Construct

from infra.foundation import Foundation
from infra.functions.lambda_functions import Functions
from infra.loaders.loader_tasks import LoaderTasks
from infra.retries import catch_as, retry_whatever_failed
from infra.statements import acknowledge, any_version, executions_split
from infra.workflow.invoke import invoke, taken
from infra.workflow.legs import Leg
from infra.workflow.lock_states import Lock
from infra.workflow.metric_states import with_metrics
from infra.workflow.preparation import allow_builds, with_images, with_tasks
from infra.workflow.query_states import all_queries, allow_queries

RUN_LIMIT = cdk.Duration.hours(12)


class Workflow(Construct):
    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        base: Foundation,
        functions: Functions,
        tasks: LoaderTasks,
    ) -> None:
        super().__init__(scope, construct_id)
        self._functions, self._tasks, self._results = functions, tasks, base.results
        self._legs = [
            Leg(self, "Broker", functions, tasks, inside=True),
            Leg(self, "Managed", functions, tasks, inside=False),
        ]
        self.topic = self._topic(base)
        self._lock = Lock(self, "Lock", functions=functions, table=base.results.state_table)
        self.state_machine = sfn.StateMachine(
            self,
            "StateMachine",
            definition_body=sfn.DefinitionBody.from_chainable(self._definition()),
            timeout=RUN_LIMIT,
            tracing_enabled=True,
            logs=sfn.LogOptions(
                # a prefix of the service's own: groups beneath it do not fill up the account's log policy
                destination=base.storage.log_group(
                    self, "Log", name=f"/aws/vendedlogs/states/{base.context.stack_name}"
                ),
                level=sfn.LogLevel.ALL,
                include_execution_data=False,
            ),
        )
        base.storage.allow(self.state_machine.role)
        self._lock.may_ask(self.state_machine)
        tasks.may_start(self.state_machine)
        allow_builds(self.state_machine, tasks.image)
        allow_queries(self.state_machine, base.results)
        self._acknowledge()

    def _topic(self, base: Foundation) -> sns.Topic:
        """Hears of every run's end; the address in the context is asked to confirm that it wants to."""
        topic = sns.Topic(self, "Topic", enforce_ssl=True, master_key=base.storage.key)
        if base.context.mail:
            topic.add_subscription(subscriptions.EmailSubscription(base.context.mail))
        return topic

    def _definition(self) -> sfn.IChainable:
        begin = sfn.Pass(
            self,
            "Begin",
            parameters={
                **taken(
                    input="$$.Execution.Input",
                    run_id="$$.Execution.Name",
                    execution="$$.Execution.Id",
                    started_at="$$.Execution.StartTime",
                ),
                "failed": {},
                "unread": {},
            },
        )
        finish = self._finish()
        plan = invoke(self, self._functions, "Plan", result_path="$.run")
        take = self._lock.take()
        free = self._lock.release()
        free.next(finish)
        rounds = self._rounds()
        release = invoke(self, self._functions, "ReleaseRun", payload=taken("run_id"))
        catch_as(rounds, release)
        read = all_queries(self, self._results)
        price = invoke(self, self._functions, "PriceRun", payload=taken("run_id"))
        metrics = with_metrics(self, self._functions, price)
        catch_as(release, metrics)
        catch_as(price, read)
        asked = taken("run_id", "queries", "failed", "unread")
        report = invoke(self, self._functions, "BuildReport", payload=asked, result_path="$.report")
        notify = sfn_tasks.SnsPublish(
            self,
            "Notify",
            topic=self.topic,
            subject=sfn.JsonPath.string_at("$.report.subject"),
            message=sfn.TaskInput.from_json_path_at("$.report.message"),
            result_path=sfn.JsonPath.DISCARD,
            task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(60)),
        )
        retry_whatever_failed(notify)
        for state in (plan, take, free):
            catch_as(state, finish)
        for state in (read, report, notify):
            catch_as(state, free)
        measure = with_tasks(self, self._functions, self._tasks.image, rounds)
        begin.next(plan).next(take).next(with_images(self, self._functions, measure))
        rounds.next(release).next(metrics)
        price.next(read).next(report).next(notify).next(free)
        return begin

    def _rounds(self) -> sfn.Map:
        """Rounds one after another; in a round, legs side by side as far as the plan allows."""
        legs = sfn.Map(
            self,
            "Legs",
            items_path="$.legs",
            max_concurrency_path="$.legs_at_once",
            item_selector={**taken("run_id", leg="$$.Map.Item.Value"), "failed": {}},
            result_path=sfn.JsonPath.DISCARD,
        )
        brokers, managed = self._legs
        choose = sfn.Choice(self, "OwnBrokers?")
        own = sfn.Condition.boolean_equals("$.leg.brokers", True)
        choose.when(own, brokers.definition()).otherwise(managed.definition())
        legs.item_processor(choose)
        rounds = sfn.Map(
            self,
            "Rounds",
            items_path="$.run.rounds",
            max_concurrency=1,
            item_selector=taken("run_id", legs_at_once="$.run.legs_at_once", legs="$$.Map.Item.Value"),
            result_path=sfn.JsonPath.DISCARD,
        )
        rounds.item_processor(legs)
        return rounds

    def _finish(self) -> sfn.IChainable:
        """Write the run's record; the execution fails when a state did or no case is ok: alarms see that."""
        whole = taken(state="$")
        finish = invoke(self, self._functions, "FinishRun", payload=whole, result_path="$.finished")
        text = sfn_tasks.DynamoAttributeValue.from_string
        unrecorded = sfn_tasks.DynamoUpdateItem(
            self,
            "RecordUnfinished",
            table=self._results.state_table,
            key={"run_id": text(sfn.JsonPath.string_at("$.run_id")), "item": text("run")},
            update_expression="SET #status = :failed, failed_at = :where",
            expression_attribute_names={"#status": "status"},
            expression_attribute_values={":failed": text("failed"), ":where": text("FinishRun")},
            result_path=sfn.JsonPath.DISCARD,
            task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(60)),
        )
        failed = sfn.Fail(
            self,
            "RunFailed",
            error="RunFailed",
            cause="A state of the run failed, or no case is ok: its record in the state table says why.",
        )
        retry_whatever_failed(unrecorded)
        catch_as(finish, unrecorded)
        unrecorded.next(failed)
        done = sfn.Choice(self, "AllWell?")
        done.when(sfn.Condition.boolean_equals("$.finished.ok", True), sfn.Succeed(self, "Done"))
        done.otherwise(failed)
        finish.next(done)
        return finish

    def _acknowledge(self) -> None:
        versions = "a task may invoke its one function, in whatever version"
        children = "a distributed map starts executions of this one machine, and names them itself"
        acknowledge(
            self.state_machine,
            {
                **{any_version(function): versions for function in self._functions.everyone()},
                executions_split(self.state_machine): children,
                **{
                    executions_split(self.state_machine, label): children
                    for leg in self._legs
                    for label in leg.labels
                },
                "IAM5[Resource::*]": "logs:CreateLogDelivery and its like and xray:PutTraceSegments name no "
                "resource",
            },
        )
