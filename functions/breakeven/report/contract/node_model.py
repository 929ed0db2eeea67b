"""The part of the report's contract about nodes while a case ran."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from breakeven.report.contract.strict import Strict
from breakeven.targets.record import Part

#: of one figure, a value for each second of the case's axis; null where the node was not sampled
Values = list[float | None]


class SurveyedTimes(Strict):
    """Nearest ranks of an operation that was repeated ``count`` times."""

    count: int
    p50_ms: float
    p99_ms: float


class SurveyedLink(Strict):
    """The connection from one node to another."""

    peer: str
    round_trip: SurveyedTimes = Field(description="of an empty call")
    bytes_per_s: float = Field(description="over the one connection that two nodes have")


class SurveyedNode(Strict):
    """A node's volume and network before its lane's first case, by the node's own Erlang machine."""

    target: str
    node: str
    sync: SurveyedTimes | None = Field(description="of 4 KiB written and synchronized; null: see error")
    links: list[SurveyedLink] = Field(description="empty: the first node has them, or there is no other node")
    error: str | None = Field(default=None, description="why it could not be measured")


class NodeCourse(Strict):
    """One node over the seconds of its case, from the start of the first stage on.

    A list is empty where nobody knows the figure in any second. Units are those of ``docs/metrics.md``.
    """

    case_id: str
    node: str
    taken: str | None = Field(description="of what the figures of processor, memory and disks are")
    host_cores: int | None = Field(description="of the node's host, for all that runs on it")
    produced_per_s: list[float] = Field(description="of the whole case, the same for each of its nodes")
    consumed_per_s: list[float] = Field(description="likewise")
    depth: Values = Field(description="likewise: messages in all of its queues")
    cpu_cores: Values = Field(description="cores used")
    steal_cores: Values = Field(description="cores that the hypervisor withheld")
    resident_bytes: Values
    read_bytes_per_s: Values = Field(description="from disks")
    written_bytes_per_s: Values = Field(description="to disks, as handed to the kernel")
    disk_busy_share: Values = Field(description="of the second, of the busiest disk")
    memory_alarm: list[bool | None] = Field(description="whether the broker blocked publishers for memory")
    disk_alarm: list[bool | None] = Field(description="the same for lack of free disk space")
    unknown: list[str] = Field(description="what is not known in some second, and why")

    @property
    def working(self) -> range:
        """The seconds from the first in which anything was produced or consumed to the last."""
        rates = zip(self.produced_per_s, self.consumed_per_s, strict=True)
        found = [second for second, (produced, consumed) in enumerate(rates) if produced or consumed]
        return range(found[0], found[-1] + 1) if found else range(0)


class ServiceFigure(Strict):
    """One metric of CloudWatch over the minutes in which a case was watched."""

    case_id: str
    target: str
    part: Part = Field(description="the broker with all of its nodes, a node, or all queues of the case")
    name: str | None = Field(description="the node's; null of a broker and of queues")
    metric: str = Field(description="CloudWatch's name")
    statistic: Literal["Average", "Maximum", "Sum"] = Field(description="of each minute")
    unit: Literal["Percent", "Bytes", "Count", "Seconds"]
    mean: float | None = Field(description="by the seconds watched of each minute; null: none has come")
    highest: float | None = Field(description="of all minutes that have come")
    lowest: float | None = Field(description="likewise")
    total: float | None = Field(description="of a Sum, over the minutes that have come")
    minutes: int = Field(description="in which the case was watched, of each queue where there are several")
    known_minutes: int = Field(description="of them, those that CloudWatch had when it was asked")
    whole_minutes: int = Field(description="of them, those in which it was watched from begin to end")


class ServiceWatch(Strict):
    """What CloudWatch had of a run's services when it was asked, once, after the lanes had ended."""

    read_at: str | None = Field(description="null: it was not read")
    unread: str | None = Field(description="what was not read, and why; null: CloudWatch has answered all")
    figures: list[ServiceFigure]
