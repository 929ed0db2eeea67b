"""Suites of one scenario with faults of nodes."""

from __future__ import annotations

from typing import Any

from breakeven.planning.expand import expand
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite
from breakeven.workload.suite import Suite

SQS, PAIR, TRIO, SINGLE = (
    "sqs-standard",
    "rabbitmq-mirrored-pair",
    "rabbitmq-quorum-trio",
    "rabbitmq-single",
)
KILL = {"at_s": 10, "kind": "kill", "node": "leader", "for_s": 5}
REBOOT = {"at_s": 10, "kind": "reboot"}
ROLLING = {"at_s": 10, "kind": "rolling-restart", "for_s": 5}


def fault(**changes: Any) -> dict[str, Any]:
    return {**KILL, **changes}


def upgrade(to: Any) -> dict[str, Any]:
    return {"at_s": 10, "kind": "upgrade", "for_s": 5, "to": to}


def suite_of(scenario: dict[str, Any], *targets: str, **changes: Any) -> Suite:
    found = {"suite": "x", "title": "x", "targets": list(targets or (TRIO,)), "instrument": False, **changes}
    return parse_suite({**found, "scenarios": {"s": {"threads": 2, "measure_s": 60, **scenario}}}, "x.yaml")


def cases(scenario: dict[str, Any], *targets: str, **changes: Any) -> list[Case]:
    return expand(suite_of(scenario, *targets, **changes), run_id="run-1", environment="local")
