"""Evidence that the flags of a case are judged by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from breakeven.loadgen.reconciliation import Account
from breakeven.loadgen.record.total import Total
from breakeven.loadgen.result import LoaderResult


@dataclass(frozen=True, slots=True)
class Evidence:
    """What flags are judged by. A caller gives what it knows; the defaults raise nothing.

    ``shared``: the run was started with ``--share``.
    ``mirrors``: "before" and "after" the case -> queue -> mirrors in sync, of which each queue should have
    ``mirrors_due``. ``without_percentile``: metric -> its samples, and the percentiles that they are too few
    for. ``account``: None where no loader was asked. ``cold``: why the lane may not have been warm.
    ``prefill``: messages that were to be in the queues beforehand. ``even``: nothing that was asked for has
    messages come in fits and starts. ``objective_ms`` and ``confirm_s``: of a capacity search.
    """

    results: Sequence[LoaderResult] = ()
    totals: Mapping[str, Total] = field(default_factory=dict)
    account: Account | None = None
    environment: str = ""
    provenance: str = ""
    shared: bool = False
    nodes: int = 0
    nodes_down: int = 0
    mirrors: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    mirrors_due: int = 0
    cold: str = ""
    prefill: int = 0
    even: bool = False
    objective_ms: float | None = None
    confirm_s: float = 0.0
    without_percentile: Mapping[str, tuple[int, Sequence[str]]] = field(default_factory=dict)
