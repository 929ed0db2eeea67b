"""The types of resources that are cleaned up, with the clients that reach them."""

from __future__ import annotations

import os

import boto3

from breakeven.steps.cleanup.clean_up import Outcome
from breakeven.steps.cleanup.resources import Instances, Interfaces, Queues, ResourceType, Secrets, Volumes
from breakeven.steps.cleanup.task_resources import Endpoints, Tasks
from breakeven.steps.services import services
from breakeven.targets.sqs_standard import CONFIG
from handlers.common import logger


def every_resource_type() -> tuple[ResourceType, ...]:
    """List them in the order in which they are cleaned up: interfaces and volumes come free with instances.

    Tasks go first, which use all the others.
    """
    ec2, sqs, store = boto3.client("ec2"), boto3.client("sqs", config=CONFIG), services().store
    tasks = Tasks(boto3.client("ecs"), os.environ["BREAKEVEN_CLUSTER"])
    return (
        tasks,
        Endpoints(ec2),
        Instances(ec2),
        Interfaces(ec2),
        Volumes(ec2),
        Queues(sqs),
        Secrets(store),
    )


def log_outcome(outcome: Outcome, words: str) -> None:
    """Log what was cleaned up.

    :raises NotCleanedUpError: something was not
    """
    if outcome.gone:
        logger.warning(words, cleaned_up=outcome.gone)
    outcome.raise_if_incomplete()
