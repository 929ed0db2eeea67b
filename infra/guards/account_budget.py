"""A budget of the account, as it is deployed: what a run may spend at most, and a bill that warns by mail.

Set by context when the stack is deployed; no execution's input can raise it.
"""

from __future__ import annotations

from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.context.settings import Context
from infra.statements import allow_publishing

#: percent of the budget: what was spent, and what the month is forecast to come to
WARNINGS = (("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100))


class AccountBudget(Construct):
    """Gives the plan function its limits, and warns the topic of the account's bill."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        context: Context,
        *,
        plan: lambda_.Function,
        topic: sns.ITopic,
    ) -> None:
        super().__init__(scope, construct_id)
        for name, value in context.allowance.environment().items():
            plan.add_environment(name, value)
        if context.budget_usd:
            self._warn(context.budget_usd, topic)

    def _warn(self, usd: float, topic: sns.ITopic) -> None:
        """A budget of the account: one of this stack's tags would see nothing until they are activated."""
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
