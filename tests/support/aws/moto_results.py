"""The bucket and the state table of an installation, in moto; use within ``mock_aws``, with a region set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from moto import mock_aws

from breakeven.results.store import Store
from breakeven.steps.services import Services
from local.aws.patches import service_patches
from local.aws.swaps import Swaps


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


@contextmanager
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """A simulated AWS of one's own, with the two of them in it."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws(), Swaps() as swaps:
        # agents of tests are threads that read what others write
        service_patches.s3_conditions_are_atomic(swaps, None)
        service_patches.objects_outlive_replacements(swaps, None)
        yield services_in_moto()
