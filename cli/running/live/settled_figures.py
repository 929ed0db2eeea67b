"""Figures of one settled case, from its rows in the run's folder, as the live page shows them.

The report's figures come from SQL. Here that would take the processor from the next case, which is being
measured: the same nearest rank is taken of the case's own bins, and a test holds it to the query.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from breakeven.instrument.latencies import BEYOND, rank
from breakeven.results import layout

Row = Mapping[str, Any]
#: metric -> how its rate is called
RATES = {"produce": "sent_per_s", "consume": "received_per_s"}
#: percentiles that are shown, in thousandths
SHARES = {"p50_ms": 500, "p99_ms": 990}


def settled_figures(folder: Path, case_id: str) -> dict[str, Any]:
    """Rates and latencies by metric, and whether they are emulated; empty without rows.

    :param folder: of the run
    """
    totals = {row["metric"]: row for row in _rows(folder, "totals", case_id)}
    bins: dict[str, list[Row]] = {}
    for row in _rows(folder, "latencies", case_id):
        bins.setdefault(row["metric"], []).append(row)
    own = next(iter(_rows(folder, "cases", case_id)), {})
    if own.get("mode") == "load-unload":
        totals.pop("end_to_end", None)  # the time in the queue is the test's own doing: no report has it
    return {
        "emulated": own.get("provenance") == "emulated",
        "rates": {name: _rate(totals[metric]) for metric, name in RATES.items() if metric in totals},
        "latencies": {
            metric: {name: percentile_ms(bins.get(metric, ()), row, share) for name, share in SHARES.items()}
            for metric, row in totals.items()
            if row["operations"]
        },
    }


def percentile_ms(bins: Sequence[Row], total: Row, thousandths: int) -> float | None:
    """Nearest rank of the bins, milliseconds; None where too few samples lie beyond it.

    :param total: the metric's exact figures, between which it is held
    """
    samples = sum(row["operations"] for row in bins)
    wanted = rank(samples, thousandths)
    if samples - wanted < BEYOND:
        return None
    up_to = 0
    for row in sorted(bins, key=lambda row: int(row["value_ns"])):
        up_to += row["operations"]
        if up_to >= wanted:
            return float(min(total["max_ns"], max(total["min_ns"], row["value_ns"]))) / 1e6
    raise AssertionError("a rank lies within its samples")


def _rate(total: Row) -> float | None:
    """Messages a second, completed within the stage."""
    return float(total["completed"] / total["stage_s"]) if total["stage_s"] and total["completed"] else None


def _rows(folder: Path, table: str, case_id: str) -> list[Row]:
    path = folder / layout.row_key(table, folder.name, case_id)
    if not path.exists():
        return []
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
