"""Read the queries' results and write the report."""

from __future__ import annotations

import os
from typing import Any

import boto3
from pydantic import Field

from breakeven.results.athena import read_result
from breakeven.steps.run.build_report import report_run
from handlers.common import Document, Event, Failed, entry, services


class Query(Document):
    name: str
    id: str


class ReportEvent(Event):
    queries: list[Query]
    failed: Failed
    unread: Failed = Field(default_factory=dict)


@entry(ReportEvent)
def handler(event: ReportEvent) -> dict[str, Any]:
    athena = boto3.client("athena")
    rows = {query.name: read_result(athena, query.id) for query in event.queries}
    site = os.environ.get("BREAKEVEN_SITE")
    return report_run(services(), event.run_id, rows, event.failed, site, event.unread)
