"""Start the nodes again that a case had down. Outside the VPC, as it talks to EC2."""

from __future__ import annotations

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.case.nodes_down import start_nodes
from breakeven.steps.services import services
from handlers.common import CaseEvent, entry, logger


@entry(CaseEvent)
def handler(event: CaseEvent, context: LambdaContext) -> None:
    instances = start_nodes(services(), boto3.client("ec2"), event.run_id, event.case_id)
    logger.info("started", instances=instances)
