"""Units of reads and writes of the state table that a run's cases cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from breakeven.planning.budget import planning_assumptions as assumed
from breakeven.planning.budget.durations import faults_seconds, loader_seconds, probe_holds, watch_seconds
from breakeven.planning.execution_limits import LOADERS_PER_READ
from breakeven.workload.case import Case
from breakeven.workload.node_faults import REBOOT_S


def loader_s(case: Case) -> float:
    """Seconds that each of a case's loaders runs on AWS."""
    return loader_seconds(case.workload, case.target, "aws", case.loaders)


def watch_s(case: Case) -> float:
    """Seconds that its watch runs there."""
    return watch_seconds(case.workload, case.target, "aws", case.loaders)


def ordering_s(case: Case) -> float:
    """Seconds until its reboot is ordered, in which the order is looked for; 0 where it has none."""
    return faults_seconds(case.workload, case.target, "aws") - REBOOT_S if case.workload.reboots else 0.0


def written(cases: Sequence[Case]) -> float:
    """By loaders once a second, by cases for themselves, and by loaders that share a search."""
    orders = sum(
        (len(probe_holds(case.workload)) + 1) * case.loaders for case in cases if _shares_a_search(case)
    )
    return _calls(cases) + assumed.WRITES_PER_PART * orders


def read(cases: Sequence[Case]) -> float:
    """The same, and by the watch of each case."""
    return (
        _calls(cases)
        + assumed.WATCH_READS_PER_S * sum(map(watch_s, cases)) * assumed.STATE_CALLS_PER_S
        + sum(map(_reads_of_many, cases))
        + assumed.ORDER_LOOKS_PER_S * sum(map(ordering_s, cases))
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
