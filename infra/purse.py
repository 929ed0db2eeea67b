"""Safety of the purse, as it is deployed: what a run may spend at most, and a budget that warns by mail.

Set by context when the stack is deployed; no execution's input can raise it.
"""

from __future__ import annotations

from typing import Annotated, Any

import aws_cdk as cdk
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from breakeven.errors import InputError, together
from breakeven.planning.allowance import Allowance
from breakeven.workload.read import shipped_suites

PREFIX = "breakeven:"
#: percent of the budget: what was spent, and what the month is forecast to come to
WARNINGS = (("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100))
ALLOWED = Allowance()


def _listed(value: object) -> object:
    """``a,b``, as the command line gives a list."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _are_shipped(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if names is not None and not (names and set(names) <= set(shipped_suites())):
        raise ValueError
    return names


class Limits(BaseModel):
    """Context keys ``breakeven:<field>``; a description is the remedy where another value is given."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    max_msg_per_s: float = Field(
        default=ALLOWED.max_msg_per_s, gt=0, description="messages a second that a case may ask for, above 0"
    )
    max_sqs_usd: float = Field(
        default=ALLOWED.max_sqs_usd, ge=0, description="dollars that a run's SQS requests could cost, from 0"
    )
    suites: Annotated[tuple[str, ...] | None, BeforeValidator(_listed), AfterValidator(_are_shipped)] = Field(
        default=None, description=f"names out of {', '.join(shipped_suites())}, with commas"
    )
    budget_usd: float = Field(
        default=40.0, ge=0, description="dollars a month of the whole account, 0 for no budget"
    )

    @property
    def allowance(self) -> Allowance:
        return Allowance(max_msg_per_s=self.max_msg_per_s, max_sqs_usd=self.max_sqs_usd, suites=self.suites)


def limits_of(scope: Construct) -> Limits:
    """What the context says.

    :raises InputError: a value that is no limit, with its key and what would do
    """
    context: dict[str, Any] = {
        name: scope.node.try_get_context(PREFIX + name) for name in Limits.model_fields
    }
    given = {name: value for name, value in context.items() if value is not None}
    try:
        return Limits.model_validate(given)
    except ValidationError as error:
        fields = {str(fault["loc"][0]): fault for fault in error.errors()}
        raise together([_fault(name, given[name]) for name in fields]) from None


def _fault(name: str, value: object) -> InputError:
    return InputError("context", PREFIX + name, value, str(Limits.model_fields[name].description))


class Purse(Construct):
    """Gives the plan function its limits, and warns the topic of the account's bill."""

    def __init__(
        self, scope: Construct, construct_id: str, *, plan: lambda_.Function, topic: sns.ITopic
    ) -> None:
        super().__init__(scope, construct_id)
        limits = limits_of(self)
        for name, value in limits.allowance.environment().items():
            plan.add_environment(name, value)
        if limits.budget_usd:
            self._warn(limits.budget_usd, topic)

    def _warn(self, usd: float, topic: sns.ITopic) -> None:
        """A budget of the account: one of this stack's tags would see nothing until they are activated."""
        allowed = topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="BudgetWarnings",
                principals=[iam.ServicePrincipal("budgets.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": cdk.Aws.ACCOUNT_ID}},
            )
        )
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
