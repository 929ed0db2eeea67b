"""Figures that a case leaves of its ledger, of each loader, probe and node: shapes that are declared once.

Rows, the columns of their tables (``results.schemas``), a loader's result and the report's contract are all
made from these.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, Field, StringConstraints

from breakeven.terms import Frozen
from breakeven.workload.case import MAX_LOADERS

MOST_WORDS = 300  # characters
#: ends up on terminals and in reports: nothing that a terminal would take for a command
Word = Annotated[str, StringConstraints(max_length=MOST_WORDS, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Ledger(Frozen):
    """sent = confirmed + returned + nacked + unknown; sent = received + missing + left."""

    sent: int
    confirmed: int
    returned: int
    nacked: int
    unknown: int
    received: int
    missing: int
    left: int = Field(  # LEFT is a word of SQL's own
        validation_alias=AliasChoices("left", "left_in_queue"), serialization_alias="left_in_queue"
    )
    lost: int | None = Field(
        description="confirmed and missing; null when a loader's ledger is incomplete, or the drain was cut"
        " short and only an estimate says how many are left"
    )
    duplicates: int
    redelivered: int
    out_of_order: int
    unexpected: int
    closed: bool
    queue_count: int | None = Field(
        default=None, description="what the target said is in the queues; null: not asked, all was received"
    )
    queue_count_exact: bool | None = Field(default=None, description="false: an estimate")
    queue_count_steady: bool | None = Field(default=None, description="false: an estimate that changed")


class Usage(Frozen):
    """What a loader measured of itself in a measured stage; null where a closed loop has no such thing."""

    stage: str
    cpu_share: float = Field(description="cores that its process used")
    lag_p99_ms: float | None = Field(description="how late a sleeping thread of it woke")
    offered: int | None = Field(description="messages due within the stage")
    achieved: int | None = Field(description="of any, handed over within the stage")
    pacing_p99_ms: float | None = Field(description="how late messages were handed over")
    blocked_share: float | None = Field(description="of the stage: a message was due and the window was full")
    others_share: float | None = Field(
        default=None, description="of its host's processor time: used by other programs than the run's"
    )
    steal_share: float | None = Field(default=None, description="of the same: withheld by the hypervisor")
    idle_share: float | None = Field(default=None, description="of the same: not used")
    work_before_ms: float | None = Field(
        default=None,
        description="what a fixed piece of work took on its host before the case; null: it has a host of its"
        " own, or is of earlier versions",
    )
    work_after_ms: float | None = Field(default=None, description="the same work after the case")


class LoaderReport(Usage):
    """The same with which loader it was, where it ran, and whether it was the limit of the figures."""

    loader: int
    saturated: bool
    evidence: str | None = Field(description="why its figures are a lower bound, in words")
    zone: str | None = Field(
        default=None,
        description="availability zone: of a function its id, of a task its name; null: not known",
    )
    zone_unknown: str | None = Field(default=None, description="why the zone is not known")
    runtime: str | None = Field(default=None, description="the release of Python")
    openssl: str | None = Field(default=None, description="the release of OpenSSL")
    fallback: str | None = Field(
        default=None,
        description="why the general path drove what is the compiled core's; null where it did not",
    )


class ProbeReport(Frozen):
    """A rate that a capacity search tried. Messages a second."""

    number: int
    rate: float = Field(description="offered")
    offered: int = Field(description="messages due within the probe")
    achieved: int = Field(description="handed over within it")
    backlog_per_s: float | None = Field(description="by how much the backlog grew")
    backlog_per_s_high: float | None = Field(description="its upper 95% bound, one-sided")
    end_to_end_p99_ms: float | None
    held: bool
    reason: str | None = Field(description="why it was not held")
    for_s: float | None = Field(
        default=None, description="how long it was to be held, seconds; null: of earlier versions"
    )
    confirms: bool | None = Field(
        default=None, description="it was held again to confirm what the search had found; null: as for_s"
    )
    scouts: bool | None = Field(
        default=None,
        description="a short one, which only said near which rate to look: no capacity rests on it; null: of"
        " earlier versions, which had none",
    )


class NodeFigures(Frozen):
    """One second of one node; null where nobody can tell, or nobody did in that second (``unknown``)."""

    taken: str | None = Field(
        default=None,
        description="of what the figures from cpu_cores to sent_bytes_per_s are: process tree, of the node's"
        " processes by /proc; null: they are not known",
    )
    cpu_cores: float | None = Field(default=None, description="cores used, on average over the second")
    user_cores: float | None = Field(default=None, description="of these, in the programs themselves")
    system_cores: float | None = Field(default=None, description="of these, in the kernel")
    iowait_cores: float | None = Field(default=None, description="cores that only waited for disks")
    steal_cores: float | None = Field(default=None, description="cores withheld by the hypervisor")
    host_cores: int | None = Field(default=None, description="that the node's host has, for all on it")
    resident_bytes: int | None = Field(default=None, description="resident memory")
    read_bytes_per_s: float | None = Field(default=None, description="from disks")
    written_bytes_per_s: float | None = Field(
        default=None, description="to files on disks, as handed to the kernel, which writes them out later"
    )
    disk_operations_per_s: float | None = Field(default=None, description="reads and writes of the disks")
    disk_busy_share: float | None = Field(default=None, description="of the second, of the busiest disk")
    received_bytes_per_s: float | None = Field(default=None, description="by network")
    sent_bytes_per_s: float | None = Field(default=None, description="by network")
    peer_received_bytes_per_s: float | None = Field(
        default=None, description="from the cluster's other nodes, as the broker tells every 5 s"
    )
    peer_sent_bytes_per_s: float | None = Field(default=None, description="to them, likewise")
    memory_bytes: int | None = Field(default=None, description="in use, as the broker tells every 5 s")
    memory_limit_bytes: int | None = Field(default=None, description="above which the broker blocks")
    disk_free_bytes: int | None = Field(default=None, description="as the broker tells every 5 s")
    file_descriptors: int | None = Field(default=None, description="open, as the broker tells every 5 s")
    alarms: str | None = Field(
        default=None, description="the broker's that are raised: memory, disk; empty: none"
    )
    ready: int | None = Field(default=None, description="messages waiting, in all of the case's queues")
    unacknowledged: int | None = Field(
        default=None, description="messages in consumers' hands, likewise; up to 5 s old"
    )
    depth: int | None = Field(default=None, description="both; of SQS its own approximate counts")
    unknown: str | None = Field(default=None, description="what is null, and why")


class CallErrors(Frozen):
    """Calls of one operation that failed alike, of one loader or of a case's."""

    operation: str = Field(description="produce, consume, ...")
    kind: str = Field(description="the target's name for the error, connection_lost, or how a message ended")
    count: int
    first_at: str = Field(description="UTC")
    last_at: str = Field(description="UTC")
    said: str | None = Field(description="what one of them was told, without secrets; null: nothing")


class Limit(Frozen):
    """The busiest loader of those that were the limit, in one of its stages."""

    loader: int = Field(ge=0, lt=MAX_LOADERS)
    stage: Word
    cpu_share: float = Field(ge=0, allow_inf_nan=False, description="cores that its process used")
    evidence: Word
