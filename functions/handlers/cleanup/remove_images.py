"""Remove this installation's images when its stack is deleted: CloudFormation makes none and deletes none.

Called by CloudFormation as a custom resource, which waits for an answer whatever happens ("Custom resource
response objects", CloudFormation guide).
"""

from __future__ import annotations

import json

import boto3
import urllib3
from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext
from pydantic import BaseModel

from breakeven.errors import BreakevenError
from breakeven.installation import installation
from breakeven.steps.cleanup import resources
from breakeven.steps.cleanup.clean_up import clean_up_all

logger = Logger()
#: an answer holds 4,096 bytes
WORDS = 1000
#: from here on a status of HTTP is no success
REFUSED = 300
ANSWER = urllib3.PoolManager(timeout=urllib3.Timeout(10), retries=urllib3.Retry(5, backoff_factor=1))


class Change(BaseModel):
    """What CloudFormation says, as far as it matters; ``ResponseURL`` is signed, and is not to be logged."""

    RequestType: str
    ResponseURL: str
    StackId: str
    RequestId: str
    LogicalResourceId: str


def handler(event: dict[str, object], context: LambdaContext) -> None:
    change = Change.model_validate(event)
    reason = None
    try:
        if change.RequestType == "Delete":
            ec2 = boto3.client("ec2")
            outcome = clean_up_all((resources.builders(ec2), resources.images(ec2), resources.snapshots(ec2)))
            logger.info("images removed", gone=outcome.gone)
            outcome.raise_if_incomplete()
    except Exception as error:
        logger.exception("images could not be removed")
        reason = (str(error) or type(error).__name__)[:WORDS]
    _answer(change, reason)


def _answer(change: Change, reason: str | None) -> None:
    body = {
        "Status": "FAILED" if reason else "SUCCESS",
        "Reason": reason or "done",
        "PhysicalResourceId": f"images of {installation().owner}",
        **change.model_dump(include={"StackId", "RequestId", "LogicalResourceId"}),
    }
    # the URL is signed without a content type
    answer = ANSWER.request("PUT", change.ResponseURL, body=json.dumps(body), headers={"Content-Type": ""})
    if answer.status >= REFUSED:  # Lambda calls the function again, as nobody waits for it
        raise BreakevenError(f"CloudFormation's address has refused the answer with {answer.status}")
