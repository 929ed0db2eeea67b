"""Launch a lane's broker nodes. Outside the VPC, as it talks to EC2."""

from __future__ import annotations

import os

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext

from breakeven.steps.lanes import Place, launch
from breakeven.steps.services import services
from handlers.common import LegEvent, entry


@entry(LegEvent)
def handler(event: LegEvent, context: LambdaContext) -> None:
    place = Place(
        template=os.environ["BREAKEVEN_LAUNCH_TEMPLATE"],
        subnet=os.environ["BREAKEVEN_SUBNETS"].split(",")[0],
        group=os.environ["BREAKEVEN_BROKER_GROUP"],
    )
    launch(services(), boto3.client("ec2"), place, event.run_id, event.leg.target)
