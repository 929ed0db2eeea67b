"""Fill of SQS' batches in a run on AWS, with which its report prices SQS batched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from breakeven import words
from breakeven.pricing.bill.inputs import MAX_BATCH, Inputs
from breakeven.results.store import Store
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case

#: of a message that is sent, received and deleted
CALLS = ("produce", "consume", "settle")


@dataclass(frozen=True, slots=True)
class RepeatedBatches:
    """A cell in whose open loop sends, receives and deletions were of ten, and waited to be full.

    :param target: without its size
    :param per_call: messages a call of produce, consume and settle, of each repeat
    :param rate: messages a second that arrived
    :param cell: scenario and cell, in words
    """

    target: str
    cell: str
    rate: float
    message_bytes: int
    per_call: tuple[tuple[float, float, float], ...]

    @property
    def fills(self) -> list[float]:
        """Of each repeat: the part of full batches that would have been as many calls."""
        return [len(calls) / sum(MAX_BATCH / each for each in calls) for calls in self.per_call]

    def describe(self) -> str:
        means = [fmean(kind) for kind in zip(*self.per_call, strict=True)]
        carried = ", ".join(
            f"{words.figure(mean)} a {call}"
            for mean, call in zip(means, ("send", "receive", "deletion"), strict=True)
        )
        return (
            "How full the batches of SQS batched are was measured in this run, at "
            f"{words.figure(self.rate)} messages of {words.size(self.message_bytes)} a second ({self.cell}; "
            f"{words.plural(len(self.per_call), 'repeat')}): {carried}. At lower rates calls carry fewer."
        )


def priced_with_batches(
    inputs: Inputs, found: Sequence[RepeatedBatches]
) -> tuple[Inputs, RepeatedBatches | None]:
    """The question with the fill that was measured, and by what; as it was where none fits.

    Of several the one at the highest rate: SQS batched costs as much as clusters at rates above those.
    """
    fitting = [one for one in found if one.message_bytes == inputs.message_bytes]
    if not fitting:
        return inputs, None
    chosen = max(fitting, key=lambda one: one.rate)
    fills = [min(1.0, fill) for fill in chosen.fills]
    changed = inputs.but(batch_fill=fmean(fills), batch_fill_low=min(fills), batch_fill_high=max(fills))
    return changed, chosen


def measured_batches(store: Store, run_id: str, cases: Sequence[Case]) -> list[RepeatedBatches]:
    """A cell each of those whose repeats are ok, in the order of the cases.

    What an emulator served says nothing of SQS (rule 11 of docs/rules.md): its receives' fill is its own.
    """
    cells: dict[tuple[str, str, str], list[tuple[Case, tuple[float, float, float]]]] = {}
    for case in filter(_is_in_full_batches, cases):
        if carried := _per_call(store, run_id, case):
            cells.setdefault((case.scenario, case.cell, case.target), []).append((case, carried))
    return [_of_cell(repeats) for repeats in cells.values()]


def _is_in_full_batches(case: Case) -> bool:
    """Batches as SQS batched is priced: of ten, for which messages that arrive at a rate wait."""
    load = case.workload
    batches = {load.send_batch, load.receive_batch, load.delete_batch}
    waits = load.is_open and load.linger_ms > 0 and load.mode != "capacity"
    return bool(record_of(case.target).request_price) and batches == {MAX_BATCH} and waits


def _per_call(store: Store, run_id: str, case: Case) -> tuple[float, float, float] | None:
    """Messages a call of sends, receives that brought any, and deletions; None where one is not known."""
    rows = store.rows("cases", run_id, case.case_id)
    if not rows or (rows[0]["status"], rows[0]["provenance"]) != ("ok", "measured"):
        return None
    totals = {row["metric"]: row for row in store.rows("totals", run_id, case.case_id)}
    counted = [totals.get(metric, {}) for metric in CALLS]
    if not all(row.get("calls") and row.get("completed") for row in counted):
        return None
    sent, received, deleted = (row["completed"] / row["calls"] for row in counted)
    return sent, received, deleted


def _of_cell(repeats: Sequence[tuple[Case, tuple[float, float, float]]]) -> RepeatedBatches:
    first, _ = repeats[0]
    assert first.workload.rate
    return RepeatedBatches(
        target=first.target.kind,
        cell=words.place(first.scenario, first.cell),
        rate=first.workload.rate,
        message_bytes=first.workload.message_bytes,
        per_call=tuple(carried for _, carried in repeats),
    )
