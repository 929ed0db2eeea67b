"""Stop the nodes that a case wants down. Outside the VPC, as it talks to EC2."""

from __future__ import annotations

import boto3

from breakeven.steps.case.nodes_down import stop_nodes
from handlers.common import CaseEvent, entry, logger, services


@entry(CaseEvent)
def handler(event: CaseEvent) -> None:
    instances = stop_nodes(services(), boto3.client("ec2"), event.run_id, event.case_id)
    logger.info("stopped", instances=instances)
