"""The types of resources that are cleaned up, with the clients that reach them."""

from __future__ import annotations

import os

import boto3

from breakeven.steps.cleanup import resources
from breakeven.steps.cleanup.clean_up import Outcome
from breakeven.steps.cleanup.resources import ResourceType
from breakeven.targets.sqs.sqs_standard import CONFIG
from handlers.common import logger, services


def every_resource_type() -> tuple[ResourceType, ...]:
    """List them in the order in which they are cleaned up: interfaces and volumes come free with instances.

    Tasks go first, which use all the others.
    """
    ec2, mq = boto3.client("ec2"), boto3.client("mq")
    return (
        resources.tasks(boto3.client("ecs"), os.environ["BREAKEVEN_CLUSTER"]),
        resources.endpoints(ec2),
        resources.instances(ec2),
        resources.brokers(mq),
        resources.configurations(mq),
        resources.interfaces(ec2),
        resources.volumes(ec2),
        resources.queues(boto3.client("sqs", config=CONFIG)),
        resources.secrets(services().store),
    )


def log_outcome(outcome: Outcome, words: str) -> None:
    """Log what was cleaned up.

    :raises NotCleanedUpError: something was not
    """
    if outcome.gone:
        logger.warning(words, cleaned_up=outcome.gone)
    if outcome.tidied:
        logger.info("of brokers that are gone", deleted=outcome.tidied)
    if outcome.later:
        logger.warning("left to the watchdog", later=outcome.later)
    outcome.raise_if_incomplete()
