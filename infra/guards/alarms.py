"""Alarms that mail the topic beside the verdict of a run: runs that fail or stay away, nodes that stay,
clean-ups that fail, what only the watchdog has found, and the account's bill.
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.context.settings import Context
from infra.functions.lambda_functions import Functions
from infra.statements import allow_publishing

MINUTES, HOUR, DAY = cdk.Duration.minutes(5), cdk.Duration.hours(1), cdk.Duration.days(1)
#: minute of each hour at which the function runs
CHECKED_AT_MINUTE = "7"
#: of the functions' metrics: what their steps' table calls them
HEALTH, WATCHDOG = "look", "watchdog"
#: percent of the budget: what was spent, and what the month is forecast to come to
WARNINGS = (("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100))


class Alarms(Construct):
    """An alarm's own evaluation reaches back seven days at most, so that days are counted by a function."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        context: Context,
        *,
        functions: Functions,
        machine: sfn.StateMachine,
        topic: sns.Topic,
        undelivered: sqs.Queue | None,
        dead_letters: sqs.Queue,
    ) -> None:
        super().__init__(scope, construct_id)
        self._namespace, self._topic = context.stack_name, topic
        allow_publishing(topic, "cloudwatch", sid="Alarms")
        health = functions.get("Look")
        self._check_hourly(health)
        self._failed_runs(machine)
        self._failed_clean_ups(functions, dead_letters)
        overdue = self._own("NodesOverdue", HEALTH, HOUR)
        self._alarm("NodesUpTooLong", overdue, 1, "broker nodes are up although their run must have ended")
        failing = health.metric_errors(period=DAY)
        self._alarm("LookFails", failing, 1, "the function that looks for nodes and good runs fails")
        if days := context.no_run_alarm_days:
            since = self._own("DaysSinceGoodRun", HEALTH, DAY)
            self._alarm("NoGoodRun", since, days, f"no run went well for {days} days", keep=True)
        if undelivered:
            left = undelivered.metric_approximate_number_of_messages_visible(period=MINUTES)
            self._alarm("NotStarted", left, 1, "a scheduled run could not be started; the queue says why")

    def _failed_clean_ups(self, functions: Functions, dead_letters: sqs.Queue) -> None:
        """By the hour, in which the watchdog comes four times: what goes on failing is mailed once."""
        given_up = dead_letters.metric_approximate_number_of_messages_visible(period=MINUTES)
        self._alarm("NotCleanedUp", given_up, 1, "the clean-up after a run was given up; see the queue")
        failing = functions.get("CleanUp").metric_errors(period=HOUR)
        self._alarm("CleanUpFails", failing, 1, "the clean-up after a run fails; its log says of what")
        failing = functions.get("Watchdog").metric_errors(period=HOUR)
        why = "the watchdog fails to clean something up; its log says what"
        self._alarm("WatchdogFails", failing, 1, why)
        found = self._own("LeftBehind", WATCHDOG, HOUR)
        why = "a run's own end and the rule have left what the watchdog cleaned up"
        self._alarm("LeftBehind", found, 1, why)

    def _own(self, name: str, service: str, period: cdk.Duration) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=self._namespace,
            metric_name=name,
            dimensions_map={"service": service},
            statistic=cloudwatch.Stats.MAXIMUM,
            period=period,
        )

    def _failed_runs(self, machine: sfn.StateMachine) -> None:
        """Aborted ones are not among them: someone has aborted them.

        An alarm for each metric, and none on their sum: a sum has no value where one of the two has none
        ("Using metric math", CloudWatch guide), and nobody says that Step Functions sends noughts.
        """
        failed = machine.metric_failed(period=MINUTES)
        why = "a run failed, was refused, or had no case that is ok; its record in the state table says why"
        self._alarm("RunFailed", failed, 1, why)
        late = machine.metric_timed_out(period=MINUTES)
        self._alarm("RunTimedOut", late, 1, "a run met the limit of its execution, 12 hours")

    def _alarm(
        self, name: str, metric: cloudwatch.IMetric, least: float, why: str, *, keep: bool = False
    ) -> None:
        """Mails when the metric is at ``least`` or above. ``keep``: without data it stays as it was."""
        missing = cloudwatch.TreatMissingData
        alarm = cloudwatch.Alarm(
            self,
            name,
            metric=metric,
            threshold=least,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=missing.IGNORE if keep else missing.NOT_BREACHING,
            alarm_description=f"Queue Breakeven ({self._namespace}): {why}. See docs/aws.md.",
        )
        alarm.add_alarm_action(actions.SnsAction(self._topic))

    def _check_hourly(self, health: lambda_.Function) -> None:
        rule = events.Rule(
            self,
            "Hourly",
            schedule=events.Schedule.cron(minute=CHECKED_AT_MINUTE),
            description="looks for nodes",
        )
        event = events.RuleTargetInput.from_object({"time": events.EventField.time})
        rule.add_target(targets.LambdaFunction(health, event=event))


class AccountBudget(Construct):
    """A budget of the account: one of this stack's tags would see nothing until they are activated."""

    def __init__(self, scope: Construct, construct_id: str, usd: float, topic: sns.ITopic) -> None:
        super().__init__(scope, construct_id)
        allowed = allow_publishing(topic, "budgets", sid="BudgetWarnings")
        subscriber = budgets.CfnBudget.SubscriberProperty(address=topic.topic_arn, subscription_type="SNS")
        budget = budgets.CfnBudget(
            self,
            "Budget",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=usd, unit="USD"),
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        notification_type=kind, comparison_operator="GREATER_THAN", threshold=percent
                    ),
                    subscribers=[subscriber],
                )
                for kind, percent in WARNINGS
            ],
        )
        if allowed.policy_dependable:
            budget.node.add_dependency(allowed.policy_dependable)
