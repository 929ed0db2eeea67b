"""The bucket and the state table of an installation, in moto; use within ``mock_aws``, with a region set."""

from __future__ import annotations

from typing import Any

import boto3

from breakeven.results.store import Store
from breakeven.steps.services import Services


def state_table() -> Any:
    keys = {"run_id": "HASH", "item": "RANGE"}
    return boto3.resource("dynamodb").create_table(
        TableName="state",
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in keys.items()],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in keys],
        BillingMode="PAY_PER_REQUEST",
    )


def services_in_moto() -> Services:
    s3 = boto3.client("s3", region_name="us-east-1")
    s3.create_bucket(Bucket="results")
    return Services(store=Store(s3, "results"), table=state_table())
