"""Merge of what all loaders of a case measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from breakeven.loadgen.case_figures import MOST_WORDS, CallErrors, Limit, LoaderReport, Usage
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.flags import raised
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.loadgen.record.call_errors import merged
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.histogram import midpoint
from breakeven.loadgen.record.total import Total
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.probe import best
from breakeven.loadgen.stages import measured_in
from breakeven.targets.catalog import record_of
from breakeven.terms import METRICS, Flag
from breakeven.workload.case import Case

#: metrics of operations that a client drives; the others are read off these
DRIVEN = frozenset({"produce", "consume", "settle", "consume_cycle"})
#: of the metrics whose operations are a service's calls: what says how many of them one call carries
BATCHES = {"produce": "send_batch", "consume": "receive_batch", "settle": "delete_batch"}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A case's figures: ``totals`` by metric (those that exist for the target), exact ledger, flags
    with what raised each.

    ``produce_s`` and ``consume_s`` are the lengths of the stages in which produce and the consumers'
    metrics were measured, seconds.
    """

    results: tuple[LoaderResult, ...]
    totals: dict[str, Total]
    ledger: Account
    flags: dict[Flag, str]
    produce_s: float | None
    consume_s: float | None

    def limit(self) -> Limit | None:
        """The loader that was the limit, the busiest where several were; None: none was."""
        found = [
            Limit(
                loader=result.loader,
                stage=diagnosis.stage,
                cpu_share=diagnosis.cpu_share,
                evidence="; ".join(evidence)[:MOST_WORDS],
            )
            for result in self.results
            for diagnosis in result.diagnoses
            if (evidence := diagnosis.evidence())
        ]
        return max(found, key=lambda limit: limit.cpu_share, default=None)

    def call_errors(self) -> list[CallErrors]:
        """Of all loaders, by operation and kind."""
        return merged(found for result in self.results for found in result.call_errors)

    def rows(self, case: Case) -> dict[str, list[dict[str, Any]]]:
        """Rows by table name, with exactly the columns of ``results.schemas``."""
        return {
            "windows": list(self._windows(case)),
            "latencies": list(self._latencies(case)),
            "totals": list(self._totals(case)),
            "ledgers": [{"case_id": case.case_id, **self.ledger.row()}],
            "loaders": list(self._loaders(case)),
            "probes": [
                {"case_id": case.case_id, **probe.model_dump()}
                for result in self.results
                for probe in result.probes
            ],
        }

    def _windows(self, case: Case) -> Iterator[dict[str, Any]]:
        for result in self.results:
            for (stage, metric), cell in result.cells.items():
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
                        "sum_ns": window.sum_ns if window.max_ns else None,
                        "max_ns": window.max_ns or None,
                        "stage_started_s": result.stages.get(stage),
                    }

    def _loaders(self, case: Case) -> Iterator[dict[str, Any]]:
        for result in self.results:
            for diagnosis in result.diagnoses:
                evidence = diagnosis.evidence()
                report = LoaderReport(
                    **diagnosis.model_dump(include=set(Usage.model_fields)),
                    loader=result.loader,
                    saturated=bool(evidence),
                    evidence="; ".join(evidence) or None,
                    zone=result.host.get("zone"),
                    zone_unknown=result.host.get("zone_unknown"),
                    runtime=result.host.get("python"),
                    openssl=result.host.get("openssl"),
                    fallback="; ".join(result.fallbacks) or None,
                )
                yield {"case_id": case.case_id, **report.model_dump()}

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
            latencies, completed, early = total.cell.latencies, total.cell.total(), total.early
            native = case.workload.client == "native" and metric in DRIVEN
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
                "unfinished": total.cell.unfinished,
                "starved": total.starved,
                "stage_s": total.stage_s,
                "early_completed": early[0] if early else None,
                "early_s": early[1] if early else None,
                "paused_s": total.paused_ns / 1e9 if metric == "consume" else None,
                "core_operations": total.cell.by_core if native else None,
                "general_operations": completed.operations - total.cell.by_core if native else None,
                "calls": _calls(case, metric, total),
            }


def _calls(case: Case, metric: str, total: Total) -> int | None:
    """Calls by which the operations were completed; None where these are no calls of a service."""
    if metric not in BATCHES or not record_of(case.target).batches:
        return None
    is_batched = getattr(case.workload, BATCHES[metric]) > 1
    return total.cell.calls if is_batched else total.cell.total().operations


def merge(results: list[LoaderResult], count: QueueCount | None) -> Measurement:
    """Put the loaders' results (or last checkpoints, where one ended without) together.

    :param count: what the target says is left in the case's queues after the drain; None: it was not asked
    """
    totals = {metric: total for metric in METRICS if (total := _total(results, metric)) is not None}
    ledger = account(results, count)
    return Measurement(
        results=tuple(results),
        totals=totals,
        ledger=ledger,
        flags=raised(Evidence(results=results, totals=totals, account=ledger)),
        produce_s=_stage_s(results, "produce"),
        consume_s=_stage_s(results, "consume"),
    )


def _total(results: list[LoaderResult], metric: str) -> Total | None:
    """None when the target has no such thing, or the mode does not measure it."""
    seen = [result for result in results if any(name == metric for _, name in result.cells)]
    stage = _measured_stage(results, metric) if seen else None
    if stage is None:
        return None
    merged = Cell()
    for result in seen:
        if cell := result.cells.get((stage, metric)):
            merged.merge(cell)
    start_s = min((result.stages[stage] for result in results if stage in result.stages), default=0.0)
    starved, paused_ns, early = merged.total().starved, merged.paused_ns, None
    if results[0].mode == "load-unload":
        starved, paused_ns = starved - merged.starved_at_end, paused_ns - merged.paused_at_end_ns
        early = merged.early()
    return Total(merged, start_s, _stage_s(results, metric), early, starved, paused_ns)


def _measured_stage(results: list[LoaderResult], metric: str) -> str | None:
    """Of a capacity search, which has many: the probe of the highest rate that was held."""
    if results[0].mode != "capacity":
        return measured_in(results[0].mode, metric)
    found = best([probe for result in results for probe in result.probes])
    return found.stage if found else None


def _stage_s(results: list[LoaderResult], metric: str) -> float | None:
    """Length of the stage that a metric is measured in.

    The measured stage of parallel mode is as long as the case says. A load lasts from its gate to the last
    answer, an unload to the last message in hand: what follows is waiting, for the ledger to close or for
    the deadline.
    """
    if not results:
        return None
    if results[0].mode == "capacity":
        found = best([probe for result in results for probe in result.probes])
        return found.for_s if found and found.for_s else results[0].measure_s
    if results[0].mode != "load-unload":
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
