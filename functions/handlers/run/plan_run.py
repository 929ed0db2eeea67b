"""Plan: read the input, refuse what cannot run, store the cases, answer the rounds."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import boto3

from breakeven.planning.budget.allowance import allowance_of
from breakeven.planning.loaders.fargate import may_have_tasks
from breakeven.steps.aws_clients import execution_status
from breakeven.steps.lane.baked_images import missing_images
from breakeven.steps.lane.recipes import recipes_of
from breakeven.steps.run.account_capacity import account_of, instance_types
from breakeven.steps.run.plan_run import plan_run
from handlers.common import Event, entry, services


class PlanEvent(Event):
    input: dict[str, Any]
    execution: str
    started_at: str
    failed: dict[str, Any]
    unread: dict[str, Any]


@entry(PlanEvent)
def handler(event: PlanEvent) -> dict[str, Any]:
    return plan_run(
        services(),
        event.run_id,
        event.input,
        execution=event.execution,
        started_at=event.started_at,
        is_running=lambda execution: not execution_status(boto3.client("stepfunctions"), execution).over,
        allowance=allowance_of(os.environ),
        account=lambda suite: account_of(instance_types(suite), with_tasks=may_have_tasks(suite)),
        images=partial(missing_images, services(), boto3.client("ec2"), event.run_id, recipes_of(os.environ)),
        # set by the run on one machine for all of its functions; on Lambda only a deployment could set it
        simulated="AWS_ENDPOINT_URL" in os.environ,
    )
