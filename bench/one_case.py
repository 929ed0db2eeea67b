"""Our loader in a process of its own: a case as JSON on stdin; progress each second, then figures, on stdout.

python -m bench.one_case <case.json
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pydantic import BaseModel

from breakeven.brokers.access import Access
from breakeven.clients.factory import make_client
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.coordination import CaseProgress, Progress, SoleLoader
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.flags import raised
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import merge
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.self_check.diagnosis import percentile_ms
from breakeven.workload.case import Case

PER_MILLE = (500, 990, 999)


class Order(BaseModel):
    """``access``: None for SQS."""

    case: Case
    queue: str
    access: Access | None


class Watched(SoleLoader):
    """The coordinator of a case with one loader; tells its progress to whoever watches."""

    def exchange(self, progress: Progress) -> CaseProgress:
        _tell({"stage": progress.stage, "sent": progress.sent, "received": progress.received})
        return super().exchange(progress)


def run(order: Order) -> LoaderResult:
    client = make_client(order.case.workload, order.access)
    try:
        return run_loader(Assignment(order.case, 1, 0, (order.queue,)), client, Watched(), lambda _: None)
    finally:
        client.close()


def summary(order: Order, result: LoaderResult) -> dict[str, Any]:
    """The last line: percentiles (microseconds) by metric, ledger, errors, flags and a search's probes."""
    measurement = merge([result], QueueCount(0))
    return {
        "percentiles": {
            metric: [
                found * 1e3 for each in PER_MILLE if (found := percentile_ms(total.cell.latencies, each))
            ]
            for metric, total in measurement.totals.items()
        },
        "ledger": measurement.ledger.row(),
        "errors": result.errors,
        "flags": raised(
            Evidence(
                results=measurement.results,
                totals=measurement.totals,
                account=measurement.ledger,
                objective_ms=order.case.workload.objective_ms,
            )
        ),
        "probes": [probe.model_dump() for probe in result.probes],
    }


def _tell(document: dict[str, Any]) -> None:
    print(json.dumps(document), flush=True)


def main() -> None:
    order = Order.model_validate_json(sys.stdin.read())
    _tell(summary(order, run(order)))


if __name__ == "__main__":
    main()
