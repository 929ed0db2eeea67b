"""Notes on faults that are carried out, and of which a report will not show all that it shows of others."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.targets.rabbitmq.rabbitmq_cluster import ClusterSettings
from breakeven.workload.case import Case
from breakeven.workload.node_faults import FELT_CUT_S, NodeFault
from breakeven.workload.service_faults import CaseFault

#: the query ``faults`` wants so many whole seconds for a rate before
RATE_BEFORE_S = 3


def fault_notes(cases: Sequence[Case]) -> list[str]:
    """A line for each target, fault, and thing to know of it."""
    lines = [
        f"{words.target_name(case.target)}, {fault.words}: {note}"
        for about in (_early, _late, _long_cut)
        for case in cases
        for fault in case.workload.faults
        if (note := about(case, fault))
    ]
    return list(dict.fromkeys(lines))


def _early(case: Case, fault: CaseFault) -> str | None:
    """Of one that begins before a rate without it is known."""
    if fault.at_s >= RATE_BEFORE_S:
        return None
    few = f"no time to recover will be known, as fewer than {RATE_BEFORE_S} s are measured before it"
    return f"{few}; begin it at {RATE_BEFORE_S} s or later."


def _late(case: Case, fault: CaseFault) -> str | None:
    """Of one that is not over when nothing is measured any more; how long all nodes take is not known."""
    of_all = isinstance(fault, NodeFault) and (fault.is_rolling or fault.is_reboot)
    if of_all or fault.end_s < (measure_s := case.workload.measure_s):
        return None
    ends = f"it lasts until {fault.end_s:g} s, and the measured stage ends after {measure_s:g} s"
    remedy = "begin it earlier, shorten it, or measure for longer"
    return f"how rates recover once it is over will not be known, as {ends}; {remedy}."


def _long_cut(case: Case, fault: CaseFault) -> str | None:
    """Of a cut between peers that they may notice although they would not notice a pause of that length."""
    if fault.kind != "cut-peers" or fault.for_s <= FELT_CUT_S:
        return None
    silence_s = ClusterSettings().silence_s
    return (
        f"its peers may give the node up, although they do so after {silence_s:g} s at the earliest: TCP "
        "sends again at intervals that double, and may be silent for twice as long as it is cut. Cut for "
        f"{FELT_CUT_S:g} s or less to rule that out."
    )
