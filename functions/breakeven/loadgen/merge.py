"""What all loaders of a case measured, put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from breakeven.loadgen.account import Account, account
from breakeven.loadgen.cell import Cell
from breakeven.loadgen.histogram import midpoint
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.stages import measured_in
from breakeven.report.model import Flag
from breakeven.results.schemas import METRICS
from breakeven.workload.case import Case

#: cores that a loader's process may use before its figures count as a lower bound (rule 7 of the design)
SATURATED_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Total:
    """One metric over its measured stage.

    ``start_s``: when that stage began, epoch seconds. ``stage_s``: None for a load or unload of nothing.
    """

    cell: Cell
    start_s: float
    stage_s: float | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A case's figures: ``totals`` by metric (those that exist for the target), exact ledger, flags.

    ``produce_s`` and ``consume_s`` are the lengths of the stages in which produce and the consumers'
    metrics were measured, seconds. ``cpu_share``: loader -> the most cores it used in a measured stage.
    """

    results: tuple[LoaderResult, ...]
    totals: dict[str, Total]
    ledger: Account
    flags: list[Flag]
    produce_s: float | None
    consume_s: float | None
    cpu_share: dict[int, float]

    def rows(self, case: Case) -> dict[str, list[dict[str, Any]]]:
        """Rows by table name, with exactly the columns of ``results.schemas``."""
        return {
            "windows": list(self._windows(case)),
            "latencies": list(self._latencies(case)),
            "totals": list(self._totals(case)),
            "ledgers": [{"case_id": case.case_id, **self.ledger.row()}],
        }

    def _windows(self, case: Case) -> Iterator[dict[str, Any]]:
        for result in self.results:
            for (stage, metric), cell in result.cells.items():
                if metric == "end_to_end":
                    continue  # its completions are those of consume
                for second, window in sorted(cell.windows.items()):
                    yield {
                        "case_id": case.case_id,
                        "target": case.target,
                        "loader": result.loader,
                        "stage": stage,
                        "metric": metric,
                        "second": second,
                        "operations": window.operations,
                        "bytes": window.size,
                        "starved": window.starved,
                        "errors": window.errors,
                    }

    def _latencies(self, case: Case) -> Iterator[dict[str, Any]]:
        for metric, total in self.totals.items():
            for index, count in sorted(total.cell.latencies.bins.items()):
                yield {
                    "case_id": case.case_id,
                    "metric": metric,
                    "value_ns": midpoint(index),
                    "operations": count,
                    "statistic": None,
                }

    def _totals(self, case: Case) -> Iterator[dict[str, Any]]:
        for metric, total in self.totals.items():
            latencies, completed = total.cell.latencies, total.cell.total()
            yield {
                "case_id": case.case_id,
                "metric": metric,
                "operations": latencies.count,
                "completed": completed.operations,
                "bytes": completed.size,
                "sum_ns": latencies.sum_ns,
                "min_ns": latencies.min_ns,
                "max_ns": latencies.max_ns,
                "skipped": total.cell.skipped,
                "starved": completed.starved,
                "stage_s": total.stage_s,
            }


def merge(results: list[LoaderResult], left: int) -> Measurement:
    """Put the loaders' results (or last checkpoints, where one ended without) together.

    :param left: messages still in the case's queues after the drain, as the target tells
    """
    totals = {metric: total for metric in METRICS if (total := _total(results, metric)) is not None}
    ledger = account(results, left)
    return Measurement(
        results=tuple(results),
        totals=totals,
        ledger=ledger,
        flags=_flags(results, totals, ledger),
        produce_s=_stage_s(results, "produce"),
        consume_s=_stage_s(results, "consume"),
        cpu_share={result.loader: max(result.cpu_share.values(), default=0.0) for result in results},
    )


def _total(results: list[LoaderResult], metric: str) -> Total | None:
    """None when the target has no such thing, or the mode does not measure it."""
    seen = [result for result in results if any(name == metric for _, name in result.cells)]
    stage = measured_in(results[0].mode, metric) if seen else None
    if stage is None:
        return None
    merged = Cell()
    for result in seen:
        if cell := result.cells.get((stage, metric)):
            merged.merge(cell)
    start_s = min((result.stages[stage] for result in results if stage in result.stages), default=0.0)
    return Total(merged, start_s, _stage_s(results, metric))


def _stage_s(results: list[LoaderResult], metric: str) -> float | None:
    """Length of the stage that a metric is measured in.

    The measured stage of parallel mode is as long as the case says. A load lasts from its gate to the last
    answer, an unload to the last message in hand: what follows is waiting, for the ledger to close or for
    the deadline.
    """
    if not results:
        return None
    if results[0].mode == "parallel":
        return results[0].measure_s
    stage = measured_in("load-unload", metric)
    if stage is None:
        return None
    last_of = "produce" if stage == "load" else "consume"
    spans = [
        (result.stages[stage], result.stages[stage] + cell.last_ns / 1e9)
        for result in results
        if (cell := result.cells.get((stage, last_of))) and cell.last_ns
    ]
    return max(end for _, end in spans) - min(start for start, _ in spans) if spans else None


def _flags(results: list[LoaderResult], totals: dict[str, Total], ledger: Account) -> list[Flag]:
    found: set[Flag] = {flag for result in results for flag in result.flags}
    if any(share >= SATURATED_SHARE for result in results for share in result.cpu_share.values()):
        found.add("loader_saturated")
    if any(result.errors for result in results):
        found.add("call_errors")
    if not ledger.complete:
        found.add("ledger_incomplete")
    if "end_to_end" in totals and totals["end_to_end"].cell.skipped:
        found.add("end_to_end_partial")
    return sorted(found)
