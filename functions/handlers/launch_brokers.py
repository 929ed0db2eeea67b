"""Launch a lane's broker nodes. Outside the VPC, as it talks to EC2."""

from __future__ import annotations

import os

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.lanes import launch
from breakeven.steps.services import services
from handlers.common import LegEvent, entry


@entry(LegEvent)
def handler(event: LegEvent, context: LambdaContext) -> None:
    subnet = os.environ["BREAKEVEN_SUBNETS"].split(",")[0]
    template = os.environ["BREAKEVEN_LAUNCH_TEMPLATE"]
    launch(services(), boto3.client("ec2"), template, subnet, event.run_id, event.leg.target)
