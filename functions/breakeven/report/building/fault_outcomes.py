"""Faults: from the rows of the query, one a fault, to what was expected of each and whether that held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from breakeven import words
from breakeven.report.building.query_answers import Rows
from breakeven.report.contract.fault_model import OF_CALLS, FaultReport
from breakeven.report.contract.report_model import CaseReport
from breakeven.targets.catalog import record_of
from breakeven.targets.expected_loss import ExpectedLoss, QueueSetup, expected_loss, expected_loss_of_calls
from breakeven.terms import TargetName

NOT_DONE = ExpectedLoss(None, "it was not done")


def fault_outcomes(rows: Rows, cases: Sequence[CaseReport]) -> list[FaultReport]:
    """The faults of these cases, in their order; ``rows`` are by case and number."""
    found = {case_id: list(faults) for case_id, faults in groupby(rows, key=lambda row: row["case_id"])}
    return [
        outcome for case in cases if case.case_id in found for outcome in _of_case(case, found[case.case_id])
    ]


def _of_case(case: CaseReport, faults: Sequence[Any]) -> Iterator[FaultReport]:
    queue = _queue(case)
    expected = [_expected(queue, fault) for fault in faults]
    for fault, one in zip(faults, expected, strict=True):
        others = [other for other in expected if other is not one and other is not NOT_DONE]
        held, finding = _held(one, queue, fault, only_cause=all(other.loss == "none" for other in others))
        yield FaultReport.of(
            fault, expected_loss=one.loss, expected_because=one.because, held=held, finding=finding
        )


def _queue(case: CaseReport) -> QueueSetup:
    record, asked = record_of(TargetName(case.target)), case.parameters
    nodes, down = record.node_count, int(asked.get("nodes_down") or 0)
    mirrors = (case.mirrors or {}).get("before", {})
    copies = min(int(asked.get("group_size") or nodes), nodes - down)
    return QueueSetup(
        copies=max(1, copies, 1 + min(mirrors.values(), default=0)),  # a suite may ask for more nodes
        is_quorum=record.group_size is not None,
        confirms=bool(asked.get("confirms")),
        persistent=bool(asked.get("persistent")),
        acks=bool(asked.get("acks", True)),
    )


def _expected(queue: QueueSetup, fault: Any) -> ExpectedLoss:
    if not fault["was_done"]:
        return NOT_DONE
    if fault["kind"] in OF_CALLS:
        return expected_loss_of_calls(fault["kind"])
    is_back = fault["back_s"] is not None
    return expected_loss(queue, fault["kind"], fault["for_s"], in_sync=fault["in_sync"], is_back=is_back)


def _held(
    expected: ExpectedLoss, queue: QueueSetup, fault: Any, *, only_cause: bool
) -> tuple[bool | None, str]:
    """Whether the case's ledger is as expected, and the same in words. Without confirms, missing messages
    count, as none was confirmed that could be lost.

    :param only_cause: False: messages may be lost by another fault of the case, too, and it has one ledger
    """
    lost, what = (fault["lost"], "confirmed message") if queue.confirms else (fault["missing"], "message")
    if lost is None:
        return None, "not known: the ledger does not say what was lost"
    found = f"{words.plural(lost, what)} lost" if lost else f"no {what} lost"
    if expected.loss is None:
        return None, f"not judged: {found}"
    if expected.loss == "possible":  # what was consumed before is no longer there to be lost
        return (True, f"held: {found}") if lost else (None, f"not judged: {found}")
    if lost and not only_cause:
        return None, f"not known: {found}, and another fault of the case may be why"
    return not lost, f"{'not held' if lost else 'held'}: {found}"
