"""Rows of a large run as its bucket has them: made up, of the size and the shape of real ones.

An object a case and table, gzipped JSON lines, as ``settle_case`` writes them. A loader sends or receives: so
each has one window a second. Of each case and metric there are as many bins as a real case of seconds has.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from breakeven.planning.expand import expand
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.prices.book_files import DEFAULT_REGION, load_book
from breakeven.results import layout
from breakeven.results.schemas import PARTITION, TABLES
from breakeven.results.store import encoded
from breakeven.steps.run.costs import ask_about
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite
from local.aws.sql_engine import SqlTable

RUN_ID = "large"
CASES, LOADERS, WINDOWS = 1000, 100, 60
#: bins of a case and metric that are not empty
BINS = 1000
SIZES = [16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]
SUITE = {
    "suite": RUN_ID,
    "title": "A thousand cases",
    "targets": ["sqs-standard", "rabbitmq-quorum-trio"],
    "instrument": False,
    "repeats": 5,
    "defaults": {"warmup_s": 1, "measure_s": WINDOWS, "drain_s": 30},
    "scenarios": {"parallel": {"threads": [80 * step for step in range(1, 11)], "message_size": SIZES}},
}
METRICS = ("produce", "consume", "end_to_end")
Row = dict[str, Any]


def planned() -> tuple[Case, ...]:
    """The cases, each with its loaders."""
    suite = parse_suite(SUITE, "bench")
    cases = expand(suite, run_id=RUN_ID, environment="aws")
    assert len(cases) == CASES
    return tuple(case.model_copy(update={"loaders": LOADERS}) for case in cases)


def asked(cases: Sequence[Case]) -> Asked:
    """The run's questions about money, as its plan has them."""
    return ask_about(cases, 1024, load_book(DEFAULT_REGION))


def write_all(root: Path) -> None:
    """Write the objects of the run."""
    random, cases = np.random.default_rng(20261125), planned()
    for number, case in enumerate(cases, 1):
        _write_case(root, case, random)
        if number % 100 == 0:
            print(f"rows of {number:,} of {len(cases):,} cases", file=sys.stderr, flush=True)
    for table, rows in asked(cases).rows().items():
        _put(root, table, "questions", rows)


def tables(root: Path) -> dict[str, SqlTable]:
    """The tables over what was written."""
    return {
        table.name: SqlTable(
            table.columns,
            {PARTITION: "string"},
            sorted((root / layout.rows_prefix(table.name, RUN_ID)).glob("*.json.gz")),
        )
        for table in TABLES
    }


def _put(root: Path, table: str, name: str, rows: Sequence[Row]) -> None:
    path = root / layout.row_key(table, RUN_ID, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encoded(table, rows))


def _write_case(root: Path, case: Case, random: np.random.Generator) -> None:
    rate = float(random.uniform(500, 5000))
    # the many, a line at a time: as rows they would take minutes
    _put_lines(root, "windows", case.case_id, _windows(case, rate, random))
    _put_lines(
        root, "latencies", case.case_id, (line for metric in METRICS for line in _bins(case, metric, random))
    )
    for table, rows in _rows_of(case, rate).items():
        _put(root, table, case.case_id, rows)


def _put_lines(root: Path, table: str, name: str, lines: Iterable[str]) -> None:
    path = root / layout.row_key(table, RUN_ID, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 6, mtime=0))


def _rows_of(case: Case, rate: float) -> dict[str, list[Row]]:
    return {
        "cases": [_full("cases", _case(case))],
        "totals": [_full("totals", _total(case, metric, rate)) for metric in METRICS],
        "ledgers": [_full("ledgers", _ledger(case, rate))],
        "loaders": [_full("loaders", _loader(case, number)) for number in range(LOADERS)],
    }


def _full(table: str, row: Row) -> Row:
    """With a null in every column that is not given."""
    columns = next(each.columns for each in TABLES if each.name == table)
    assert row.keys() <= columns.keys(), row.keys() - columns.keys()
    return dict.fromkeys(columns) | row


def _case(case: Case) -> Row:
    work = case.workload
    return {
        **{"case_id": case.case_id, "scenario": case.scenario, "cell": case.cell, "target": case.target},
        **{"repeat": case.repeat, "variant": case.variant, "provenance": "measured", "environment": "aws"},
        **{"status": "ok", "mode": work.mode, "producers": work.producers, "consumers": work.consumers},
        **{"queues": work.queues, "message_bytes": work.message_bytes, "loaders": LOADERS},
        **{"started_at": "2026-11-20T15:30:00Z", "produce_s": work.measure_s, "consume_s": work.measure_s},
        **{"mirrors_before": "null", "mirrors_after": "null", "flags": "[]", "flag_evidence": "{}"},
        **{"call_errors": "[]", "parameters": json.dumps(work.parameters())},
    }


def _windows(case: Case, rate: float, random: np.random.Generator) -> Iterator[str]:
    """A line a loader and second."""
    start = json.dumps({"case_id": case.case_id, "target": case.target, "stage": "measure"})[:-1]
    counts = random.poisson(rate / (LOADERS / 2), (LOADERS, WINDOWS)).tolist()
    longest = random.integers(2_000_000, 90_000_000, (LOADERS, WINDOWS)).tolist()
    for loader in range(LOADERS):
        metric = "produce" if loader % 2 == 0 else "consume"
        for second, (count, most) in enumerate(zip(counts[loader], longest[loader], strict=True)):
            yield (
                f'{start},"loader":{loader},"metric":"{metric}","second":{second},"operations":{count},'
                f'"bytes":{count * case.workload.message_bytes},"starved":0,"errors":0,'
                f'"sum_ns":{count * 2_000_000},"max_ns":{most},"stage_started_s":1800000000.0}}'
            )


def _bins(case: Case, metric: str, random: np.random.Generator) -> Iterator[str]:
    """A line a bin."""
    start = json.dumps({"case_id": case.case_id, "metric": metric, "statistic": None})[:-1]
    values = np.unique((random.lognormal(15, 0.6, 3 * BINS)).astype(np.int64))[:BINS].tolist()
    for value, count in zip(values, random.integers(1, 60, BINS).tolist(), strict=False):
        yield f'{start},"value_ns":{value},"operations":{count}}}'


def _total(case: Case, metric: str, rate: float) -> Row:
    done = round(rate * WINDOWS)
    return {
        **{"case_id": case.case_id, "metric": metric, "operations": done, "completed": done, "skipped": 0},
        **{"bytes": done * case.workload.message_bytes, "sum_ns": done * 3_000_000, "min_ns": 400_000},
        **{"max_ns": 90_000_000, "unfinished": 0, "starved": 0, "stage_s": float(WINDOWS), "paused_s": 0.0},
        **{"core_operations": done, "general_operations": 0},
    }


def _ledger(case: Case, rate: float) -> Row:
    sent = round(rate * WINDOWS)
    zeros = ("returned", "nacked", "unknown", "missing", "left_in_queue", "lost", "duplicates", "redelivered")
    counts = dict.fromkeys((*zeros, "out_of_order", "unexpected"), 0)
    own = next(each.columns for each in TABLES if each.name == "ledgers")
    found = {
        "case_id": case.case_id,
        "sent": sent,
        "confirmed": sent,
        "received": sent,
        "closed": True,
        **counts,
    }
    return {name: value for name, value in found.items() if name in own}


def _loader(case: Case, number: int) -> Row:
    return {
        **{"case_id": case.case_id, "loader": number, "stage": "measure", "saturated": False},
        **{"cpu_share": 0.42, "lag_p99_ms": 0.9, "runtime": "3.13.1", "openssl": "OpenSSL 3.0.17"},
    }
