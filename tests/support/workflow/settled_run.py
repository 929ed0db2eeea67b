"""A run of four cases on a simulated AWS, of which a test settles as many as it likes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from breakeven.results import layout
from breakeven.results.items import RUN, case_item, lane_item
from breakeven.results.schemas import TABLES
from breakeven.steps.case.case_rows import write_case
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.services import Services
from local.stored.settled_cases import SettledCases
from tests.support.money.ended_runs import put

RUN_ID, TARGET = "r1", "sqs-standard"
SUITE = f"""
suite: four
title: Four cases
targets: [{TARGET}]
instrument: false
scenarios:
  parallel: {{threads: [1, 2, 3, 4], warmup_s: 0, measure_s: 1, drain_s: 10, message_size: 1KiB}}
"""


def plan(services: Services, run_id: str, **wanted: Any) -> list[str]:
    document = {"surroundings": {"name": "local"}, **wanted}
    started = {"execution": f"arn:{run_id}", "started_at": "2026-11-20T00:00:00Z", "simulated": True}
    answer = plan_run(services, run_id, document, **started)
    return [case["case_id"] for legs in answer["rounds"] for leg in legs for case in leg["cases"]]


def settle(services: Services, case_id: str, reason: str | None = None) -> None:
    """As the steps do it: rows first, the record last."""
    state, case = services.state(RUN_ID), services.case(RUN_ID, case_id)
    begun = {"attempt": 1, "status": "running", "started_at": "2026-11-20T00:00:00+00:00"}
    item = state.update(case_item(case_id), case_id=case_id, target=TARGET, **begun)
    state.update(lane_item(TARGET), server="ElasticMQ", provenance="emulated")
    write_case(services, case, item, None, mirrors_after=None, reason=reason)
    for table in TABLES if not reason else ():
        if table.name in {"ledgers", "totals"}:
            nothing = {"int": 0, "bigint": 0, "boolean": True}
            row = {name: nothing[kind] for name, kind in table.columns.items() if kind in nothing}
            one = {"sent": 1, "confirmed": 1, "received": 1} if table.name == "ledgers" else {}
            put(services, table.name, case, [row | one])
    services.store.put_bytes(layout.histogram_key(RUN_ID, case_id), b"latencies", "text/plain")
    state.update(case_item(case_id), status="failed" if reason else "ok", reason=reason)


def keep(services: Services, settled: SettledCases) -> None:
    settled.keep(services.state(RUN_ID).items())


def ended(runs: Path) -> None:
    """The run's records say so."""
    path = runs / RUN_ID / "state.json"
    records = json.loads(path.read_text())
    records[RUN]["finished_at"] = "2026-11-20T01:00:00+00:00"
    path.write_text(json.dumps(records))
