"""What a report is made from: the rows of the queries, and what is known of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven.report.contract.report_model import SourceReport
from breakeven.terms import Place
from breakeven.workload.case import Case

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answers:
    """Rows of the queries, one mapping a row with typed values, keyed by the columns that each file names.

    ``cost`` is what the plan has of the questions about money (``pricing.questions.Asked.told``).
    """

    cases: Rows
    throughput: Rows
    latencies: Rows
    rates: Rows
    ledgers: Rows
    loaders: Rows
    probes: Rows
    crossovers: Rows
    cost_curves: Rows
    bills: Rows
    break_even_hours: Rows
    decision_map: Rows
    sensitivity: Rows
    cost: Mapping[str, Any]
    repeats: Rows = ()
    comparisons: Rows = ()

    @classmethod
    def of(cls, rows: Mapping[str, Rows], cost: Mapping[str, Any]) -> Answers:
        """:param rows: of every file in ``queries/``, by its name"""
        return cls(
            cases=rows["cases"],
            throughput=rows["throughput"],
            latencies=rows["latency_percentiles"],
            rates=rows["rate_over_time"],
            ledgers=rows["ledger"],
            loaders=rows["loaders"],
            probes=rows["probes"],
            crossovers=rows["crossover"],
            cost_curves=rows["cost_curves"],
            bills=rows["bills"],
            break_even_hours=rows["break_even_hours"],
            decision_map=rows["decision_map"],
            sensitivity=rows["sensitivity"],
            cost=cost,
            repeats=rows["repeats"],
            comparisons=rows["comparison"],
        )


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What is known of the run itself. ``planned`` gives the order, and shows cases that left no row.

    ``assumptions`` are the run's own, beside those that follow from the suite's variant and the prices.
    ``source`` is there where the figures are those that a source published.
    """

    run_id: str
    suite: str
    title: str
    variant: str
    started_at: str
    finished_at: str
    environment: Place
    planned: tuple[Case, ...]
    assumptions: tuple[str, ...] = ()
    source: SourceReport | None = None
