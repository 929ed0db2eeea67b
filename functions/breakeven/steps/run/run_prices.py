"""The prices of a run: refreshed where there is an AWS account to ask, as shipped where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import boto3
from botocore.config import Config

from breakeven.pricing.prices.book import load_book
from breakeven.pricing.prices.refresh import Refreshed, refresh
from breakeven.pricing.prices.refresh_notes import not_refreshed
from breakeven.steps.run.run_input import RunInput
from breakeven.targets.catalog import clusters

#: where the Price List API is served, whatever the region whose prices are asked for
API_REGION = "us-east-1"
#: planning has two minutes in all, so that a question that hangs must end soon
QUICK = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 2})


def pricing_client() -> Any:
    """boto3's client of the Price List API; one question takes 15 s at most."""
    return boto3.client("pricing", region_name=API_REGION, config=QUICK)


def prices_of(
    wanted: RunInput,
    today: date,
    types: Iterable[str] = (),
    client: Callable[[], Any] = pricing_client,
) -> Refreshed:
    """The book of the run's region, and what its reader must know.

    :param types: instance types that are asked for beside the deployment's own

    :raises InputError: there is no book of that region, or its file is damaged
    """
    book = load_book(wanted.region)
    if wanted.surroundings.name != "aws":
        return Refreshed(book, (not_refreshed(book, today),))
    own = {nodes.instance_type for nodes in clusters().values()}
    return refresh(book, client(), today, instance_types=sorted(own | set(types)))
