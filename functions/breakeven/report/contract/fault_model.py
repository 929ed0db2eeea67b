"""The part of the report's contract about faults: what befell a case's nodes or calls, and what that did."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from breakeven.report.contract.strict import Strict
from breakeven.workload.service_faults import ServiceFaultKind

OF_CALLS: tuple[str, ...] = get_args(ServiceFaultKind)


class FaultReport(Strict):
    """One fault of a case. Instants are seconds since the measured stage began, rates messages a second.

    Figures are of the fault's span: from the second in which it was done to where the case's next one is due,
    or to the end of the measured stage. Null: it was not done, or what stands beside says why.
    """

    case_id: str
    number: int = Field(description="within the case, from 1")
    kind: str = Field(
        description="kill, stop, pause, memory-alarm, disk-alarm, partition, rolling-restart, reboot, "
        "cut-clients, slow-clients, cut-peers, slow-peers; of calls throttle, error, delay, reset, duplicate"
    )
    aimed_at: str = Field(
        description="leader, other, a node's number, or broker, as the suite says; or which calls"
    )
    node: str | None = Field(description="or what stood before the service; null: none was chosen")
    for_s: float = Field(description="how long the node was to stay so, or calls were to meet it")
    extent: str | None = Field(default=None, description="by how much; null: its kind says all")
    in_sync: bool | None = Field(description="whether all replicas were when it was due; null: not known")
    error: str | None = Field(description="why it was not done, or not undone, or what else went wrong")
    was_done: bool
    due_s: float
    done_s: float | None = Field(description="null: it was not done, or no measured stage was recorded")
    back_s: float | None = Field(
        description="when the node's process ran again, its alarm was cleared, its network restored, or no "
        "more calls met it"
    )
    span_end_s: float | None
    produced_before_per_s: float | None = Field(
        description="mean of the last whole seconds before, 10 at most"
    )
    produced_lowest_per_s: float | None = Field(description="the lowest second")
    produce_recovery_s: float | None = Field(
        description="from the fault to the first of 3 seconds in a row at 90% of the rate before or above"
    )
    produce_low_until_s: float | None = Field(
        default=None,
        description="from the fault to the end of the last second below 90% of the rate before; null: none",
    )
    produce_unrecovered: str | None = Field(description="why there is no time to recover")
    consumed_before_per_s: float | None
    consumed_lowest_per_s: float | None
    consume_recovery_s: float | None
    consume_low_until_s: float | None = Field(default=None, description="likewise")
    consume_unrecovered: str | None
    backlog_before: int | None = Field(description="messages in the queues, at most, in the seconds before")
    backlog_peak: int | None
    backlog_drain_s: float | None = Field(description="from the peak until no more were left than before")
    backlog_undrained: str | None = Field(description="why it is not known how long that took")
    errors: int | None = Field(description="calls that failed in the span, or ended otherwise than well")
    injected_sends: int | None = Field(
        default=None, description="that met it, by the count of what caused it; null: of a node, or not known"
    )
    injected_receives: int | None = Field(
        default=None, description="likewise; of a duplicate the copies that were handed out"
    )
    injected_deletes: int | None = Field(default=None, description="likewise")
    calls_seen: int | None = Field(
        default=None, description="calls that could have met it; of a duplicate messages that were handed out"
    )
    lost: int | None = Field(description="of the whole case: confirmed and missing")
    missing: int | None = Field(description="likewise: neither received nor left in the queue")
    duplicates: int | None = Field(description="likewise: further copies received")
    unknown: int | None = Field(default=None, description="likewise: sends without an answer that says more")
    expected_loss: Literal["none", "possible"] | None = Field(
        description="of messages, none that was confirmed, or it is possible; null: nothing was expected"
    )
    expected_because: str
    held: bool | None = Field(description="whether that is what was found; null: it cannot be said")
    finding: str = Field(description="the same in words")

    @property
    def is_of_calls(self) -> bool:
        """Did it befall calls, and no node?"""
        return self.kind in OF_CALLS

    @property
    def injected(self) -> int | None:
        """Calls that met it, of all kinds; None: not known."""
        kinds = (self.injected_sends, self.injected_receives, self.injected_deletes)
        return None if None in kinds else sum(count or 0 for count in kinds)
