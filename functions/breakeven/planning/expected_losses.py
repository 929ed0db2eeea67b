"""Loss to expect of each fault of a plan, stated before anything runs (rule 14 of docs/rules.md)."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.targets.catalog import record_of
from breakeven.targets.expected_loss import QueueSetup, expected_loss, expected_loss_of_calls
from breakeven.workload.case import Case
from breakeven.workload.service_faults import CaseFault, ServiceFault

EXPECTED = {
    "none": "no loss of confirmed messages is expected",
    "possible": "loss is possible",
    None: "loss is neither expected nor excluded",
}


def expected_losses(cases: Sequence[Case]) -> list[str]:
    """A line for each target and fault, and each way in which its cases treat messages."""
    lines = [
        f"{words.target_name(case.target)}, {fault.words}: {_said(case, fault)}"
        for case in cases
        for fault in case.workload.faults
    ]
    return list(dict.fromkeys(lines))


def _said(case: Case, fault: CaseFault) -> str:
    if isinstance(fault, ServiceFault):
        of_calls = expected_loss_of_calls(fault.kind)
        return f"{EXPECTED[of_calls.loss]}, as {of_calls.because}."
    queue = _queue(case)
    expected = expected_loss(queue, fault.kind, fault.for_s)
    is_replicas = expected.loss == "none" and queue.copies > 1 and fault.depends_on_replicas
    supposes = ", if all replicas are in sync then" if is_replicas else ""
    return f"{EXPECTED[expected.loss]}{supposes}, as {expected.because}."


def _queue(case: Case) -> QueueSetup:
    record, asked = record_of(case.target), case.workload
    nodes = case.machines.nodes if case.machines else record.node_count
    return QueueSetup(
        copies=min(asked.group_size or nodes, nodes),
        is_quorum=record.group_size is not None,
        confirms=asked.confirms,
        persistent=asked.persistent,
        acks=asked.acks,
    )
