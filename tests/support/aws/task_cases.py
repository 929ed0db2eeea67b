"""A stored case whose loaders are tasks, for the tests of what becomes of it."""

from __future__ import annotations

from breakeven.planning.plan import make_plan
from breakeven.results import layout
from breakeven.workload.read import parse_suite

RUN_ID = "run-1"


def stored(services, **scenario):
    document = {
        "suite": "s",
        "title": "S",
        "targets": ["sqs-standard"],
        "instrument": False,
        "warm_up": False,
        "scenarios": {"p": {"threads": 2, "loaders": 2, "loader": "fargate", **scenario}},
    }
    (case,) = make_plan(parse_suite(document, "s.yaml"), run_id=RUN_ID).cases
    services.store.put_json(layout.case_key(RUN_ID, case.case_id), case.model_dump(mode="json"))
    return case
