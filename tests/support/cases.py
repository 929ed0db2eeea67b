"""Short cases for tests, of one worker each way; otherwise as a suite that says nothing has them."""

from __future__ import annotations

from typing import Any

from breakeven.planning.workload_settings import workload_of
from breakeven.workload.case import Case, Workload


def workload_with(**fields: Any) -> Workload:
    """A workload with these fields."""
    size = fields.pop("message_bytes", 16)
    short = {"producers": 1, "consumers": 1, "warmup_s": 0, "measure_s": 1, "drain_s": 1, "client": "pika"}
    return workload_of({"mode": "parallel", "message_size": size, **short, **fields})


def case_with(workload: Workload, **fields: Any) -> Case:
    """A case of that workload with these fields, on the mirrored pair unless they say otherwise."""
    names = {"run_id": "run", "case_id": "case", "scenario": "scenario", "cell": "cell", "tag": "test"}
    kind = {"target": "rabbitmq-mirrored-pair", "repeat": 1, "variant": "equal-guarantees"}
    sizes = {"loaders": 1, "expected_s": 1, "limit_s": 60}
    return Case(**{**names, **kind, **sizes, **fields}, workload=workload)
