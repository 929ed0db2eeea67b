"""Runs on AWS whose lanes have ended: planned, with the rows that their cases leave, priced and reported."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

import boto3

from breakeven.report.contract.report_model import Report
from breakeven.results import layout
from breakeven.results.queries import queries
from breakeven.results.schemas import TABLES
from breakeven.steps.case.case_rows import OF_CASE, OF_WORKLOAD
from breakeven.steps.run import plan_run as planning
from breakeven.steps.run.build_report import assemble
from breakeven.steps.services import Services
from breakeven.workload.case import Case
from tests.support.money.query_tables import Bucket

REGION, DAY = "us-east-1", "2026-11-20"
#: of the queries, those whose answers are looked at
ASKED = ("cases", "crossover", "cost_curves", "bills")


def planned(
    services: Services, run_id: str, suite: dict[str, Any], *, where: str = "aws", day: str = DAY
) -> list[Case]:
    """The cases of a run that has just been planned, but those of the self-test."""
    document = {"suite": suite, "surroundings": {"name": where}, "region": REGION}
    planning.plan_run(
        services, run_id, document, execution="arn", started_at=f"{day}T00:00:00Z", simulated=True
    )
    return cases_of(services, run_id)


def cases_of(services: Services, run_id: str) -> list[Case]:
    found = services.store.get_json(layout.plan_key(run_id))["plan"]["cases"]
    return [case for case in map(Case.model_validate, found) if case.target != "instrument"]


def put(services: Services, table: str, case: Case, rows: list[dict[str, Any]]) -> None:
    """Columns that a row does not name are null."""
    (columns,) = [each.columns for each in TABLES if each.name == table]
    filled = [dict.fromkeys(columns) | {"case_id": case.case_id} | row for row in rows]
    services.store.put_rows(table, case.run_id, case.case_id, filled)


def searched(
    services: Services, case: Case, held: float, failed: float | None, *, where: str, flags: str = "[]"
) -> None:
    """The rows of a capacity search that has held a rate, and failed at the next one where there is one."""
    row = {
        **case.model_dump(include=OF_CASE),
        **case.workload.model_dump(include=OF_WORKLOAD),
        **{"status": "ok", "provenance": "measured", "environment": where, "flags": flags},
        "parameters": json.dumps(case.workload.parameters()),
    }
    put(services, "cases", case, [row])
    put(services, "probes", case, [probe(1, held, True), *([probe(2, failed, False)] if failed else [])])


def probe(number: int, rate: float, held: bool) -> dict[str, Any]:
    return {
        "number": number,
        "stage": f"probe-{number}",
        "rate": rate,
        "offered": 600,
        "achieved": 600,
        "held": held,
    }


def report_of(services: Services, run_id: str, folder: Path, asked: Container[str] = ASKED) -> Report:
    """As the workflow goes on: the queries over what is in the bucket, and the report of them."""
    client = boto3.client("s3", region_name=REGION)
    for key in services.store.keys("rows/"):
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        client.download_file("results", key, str(path))
    rows = {name: Bucket(folder).ask(name, run_id) if name in asked else [] for name in queries()}
    return assemble(
        run_id, services.store.get_json(layout.plan_key(run_id)), services.state(run_id), rows, {}
    )
