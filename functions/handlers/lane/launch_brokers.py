"""Launch a lane's broker nodes. Outside the VPC, as it talks to EC2."""

from __future__ import annotations

import json
import os

import boto3

from breakeven.steps.lane.launch_brokers import Place, launch
from handlers.common import LegEvent, entry, services


@entry(LegEvent)
def handler(event: LegEvent) -> None:
    zones, subnets = (os.environ[f"BREAKEVEN_{name}"].split(",") for name in ("ZONES", "SUBNETS"))
    place = Place(
        template=os.environ["BREAKEVEN_LAUNCH_TEMPLATE"],
        group=os.environ["BREAKEVEN_BROKER_GROUP"],
        subnets=dict(zip(zones, subnets, strict=True)),
        images=json.loads(os.environ["BREAKEVEN_IMAGES"]),
    )
    launch(services(), boto3.client("ec2"), place, event.run_id, event.leg.target, event.leg.machines)
