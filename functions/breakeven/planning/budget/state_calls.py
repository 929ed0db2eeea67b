"""Units of reads and writes of the state table that a run's cases cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget.durations import PROBES, loader_seconds
from breakeven.planning.execution_limits import LOADERS_PER_READ
from breakeven.workload.case import Case


def loader_s(case: Case) -> float:
    """Seconds that each of a case's loaders runs on AWS."""
    return loader_seconds(case.workload, case.target, "aws", case.loaders)


def written(cases: Sequence[Case]) -> float:
    """By loaders once a second, by cases for themselves, and by loaders that share a search."""
    orders = (PROBES + 1) * sum(case.loaders for case in cases if _shares_a_search(case))
    return _calls(cases) + assumed.WRITES_PER_PART * orders


def read(cases: Sequence[Case]) -> float:
    """The same, and by the watch of each case."""
    return (
        _calls(cases)
        + assumed.WATCH_READS_PER_S * sum(map(loader_s, cases)) * assumed.STATE_CALLS_PER_S
        + sum(map(_reads_of_many, cases))
        + sum(assumed.SEARCH_READS_PER_S * _all_s(case) for case in cases if _shares_a_search(case))
    )


def _calls(cases: Sequence[Case]) -> float:
    return sum(map(_all_s, cases)) * assumed.STATE_CALLS_PER_S + assumed.STATE_CALLS_PER_CASE * len(cases)


def _all_s(case: Case) -> float:
    return case.loaders * loader_s(case)


def _shares_a_search(case: Case) -> bool:
    return case.workload.mode == "capacity" and case.loaders > 1


def _reads_of_many(case: Case) -> float:
    """Units of reads that a case's loaders cost for being many, beside one for each read."""
    more = ceil(case.loaders / LOADERS_PER_READ) - 1
    return assumed.READS_OF_ALL_PER_S * more * loader_s(case)
