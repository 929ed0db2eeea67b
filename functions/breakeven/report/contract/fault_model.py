"""The part of the report's contract about faults: what was done to a case's nodes, and what it did."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.report.contract.strict import Strict


class FaultReport(Strict):
    """One fault of a case. Instants are seconds since the measured stage began, rates messages a second.

    Figures are of the fault's span: from the second in which it was done to where the case's next one is due,
    or to the end of the measured stage. Null: it was not done, or what stands beside says why.
    """

    case_id: str
    number: int = Field(description="within the case, from 1")
    kind: str = Field(description="kill, stop, pause, memory-alarm, disk-alarm, partition, rolling-restart")
    aimed_at: str = Field(description="leader, other, or a node's number, as the suite says")
    node: str | None = Field(description="null: none was chosen")
    for_s: float = Field(description="how long the node was to stay so")
    in_sync: bool | None = Field(description="whether all replicas were when it was due; null: not known")
    error: str | None = Field(description="why it was not done, or the node did not come back")
    was_done: bool
    due_s: float
    done_s: float | None = Field(description="null: it was not done, or no measured stage was recorded")
    back_s: float | None = Field(description="when the node's process ran again, or its alarm was cleared")
    span_end_s: float | None
    produced_before_per_s: float | None = Field(
        description="mean of the last whole seconds before, 10 at most"
    )
    produced_lowest_per_s: float | None = Field(description="the lowest second")
    produce_recovery_s: float | None = Field(
        description="from the fault to the first of 3 seconds in a row at 90% of the rate before or above"
    )
    produce_unrecovered: str | None = Field(description="why there is no time to recover")
    consumed_before_per_s: float | None
    consumed_lowest_per_s: float | None
    consume_recovery_s: float | None
    consume_unrecovered: str | None
    backlog_before: int | None = Field(description="messages in the queues, at most, in the seconds before")
    backlog_peak: int | None
    backlog_drain_s: float | None = Field(description="from the peak until no more were left than before")
    backlog_undrained: str | None = Field(description="why it is not known how long that took")
    errors: int | None = Field(description="calls that failed in the span, or ended otherwise than well")
    lost: int | None = Field(description="of the whole case: confirmed and missing")
    missing: int | None = Field(description="likewise: neither received nor left in the queue")
    duplicates: int | None = Field(description="likewise: further copies received")
    expected_loss: Literal["none", "some"] | None = Field(
        description="of messages, none that was confirmed, or some; null: nothing was expected"
    )
    expected_because: str
    held: bool | None = Field(description="whether that is what was found; null: it cannot be said")
    finding: str = Field(description="the same in words")
