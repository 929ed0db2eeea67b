"""Material of a report: the rows of the queries, and what is known of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from breakeven.report.contract.node_model import SurveyedNode
from breakeven.report.contract.source_model import SourceReport
from breakeven.terms import Place
from breakeven.workload.case import Case

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Answers:
    """Rows of every file in ``queries/`` by its name, one mapping a row with the columns that the file names.

    ``cost`` is what the plan has of the questions about money (``pricing.bill.asked.Asked.to_json``).
    """

    cases: Rows
    throughput: Rows
    latency_percentiles: Rows
    rate_over_time: Rows
    ledger: Rows
    loaders: Rows
    probes: Rows
    crossover: Rows
    cost_curves: Rows
    bills: Rows
    break_even_hours: Rows
    decision_map: Rows
    sensitivity: Rows
    cost: Mapping[str, Any]
    repeats: Rows = ()
    comparison: Rows = ()
    cheapest_size: Rows = ()
    pair_crossings: Rows = ()
    nodes_over_time: Rows = ()
    service_figures: Rows = ()
    faults: Rows = ()
    base_ratios: Rows = ()
    pays_from: Rows = ()


@dataclass(frozen=True)
class RunRecord:
    """What is known of the run itself. ``planned`` gives the order, and shows cases that left no row.

    ``source`` is there where the figures are those that a source published. Of a run that has not ``ended``
    only the cases with a row are shown: the others have not failed. ``settled_in``: the cases that it took
    over from earlier runs, and which measured each. ``made_at``: when its report was made, which may be long
    after it ``finished``.

    ``metrics_read_at``: when CloudWatch was asked for figures of its services; ``metrics_unread``: which it
    did not give, and why.
    """

    run_id: str
    suite: str
    title: str
    variant: str
    started_at: str
    finished_at: str
    environment: Place
    planned: tuple[Case, ...]
    source: SourceReport | None = None
    ended: bool = True
    surveys: tuple[SurveyedNode, ...] = ()
    metrics_read_at: str | None = None
    metrics_unread: str | None = None
    settled_in: Mapping[str, str] = field(default_factory=dict)
    made_at: str | None = None
