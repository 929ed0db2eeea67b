"""Program of the instrument. Carried in a case's workload, so it is in the plan and in the record."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from breakeven.terms import Frozen

Protocol = Literal["amqp", "sqs"]

#: the percentiles that a reading is compared by, in thousandths: p50, p90, p99, p99.9
PER_MILLE = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}
#: of the messages, the part that may be dropped, copied, put behind another, returned or refused
MOST_MARKED = 0.25


class Step(Frozen):
    """Samples of a rank up to this share of all take ``ms`` milliseconds."""

    up_to: float = Field(gt=0, le=1)
    ms: float = Field(ge=0, le=60_000)


class Latency(Frozen):
    """A table of quantiles with plateaus, of which a finite sample gets exactly its share.

    A percentile in the middle of a plateau is exact, and so little moved by what a busy host adds to a few.
    """

    steps: tuple[Step, ...] = (Step(up_to=1, ms=0),)

    @model_validator(mode="after")
    def _ascending_to_one(self) -> Self:
        shares, times = [s.up_to for s in self.steps], [s.ms for s in self.steps]
        if not shares or shares[-1] != 1 or shares != sorted(set(shares)) or times != sorted(times):
            raise ValueError("steps ascend in share and in time, and the last goes up to 1")
        return self


class Stall(Frozen):
    """Nothing is answered from ``at_s`` after the first message, for ``for_s`` seconds."""

    at_s: float = Field(ge=0)
    for_s: float = Field(gt=0)


class Program(Frozen):
    """``messages``: how many the distributions and the fates are spread over.

    A sample of that many published (``deliveries`` delivered) messages has exactly the table's percentiles
    and exactly the counts; what is published beyond them has the distributions over again and no fate.
    """

    protocol: Protocol
    messages: int = Field(ge=1, le=10_000_000)
    seed: int = Field(default=1, ge=0)
    publish: Latency = Latency()
    deliver: Latency = Latency()
    stalls: tuple[Stall, ...] = ()
    messages_per_s: float | None = Field(
        default=None, gt=0, description="answered at most, published and delivered each for itself"
    )
    lost: int = Field(default=0, ge=0, description="confirmed and never delivered")
    duplicated: int = Field(default=0, ge=0, description="delivered twice")
    reordered: int = Field(default=0, ge=0, description="delivered behind a later one of the same producer")
    returned: int = Field(default=0, ge=0, description="AMQP: returned as unroutable, and confirmed")
    nacked: int = Field(default=0, ge=0, description="AMQP: refused")
    multiple: bool = Field(default=False, description="AMQP: confirms that are due together go as one")

    @model_validator(mode="after")
    def _can_be_done(self) -> Self:
        marked = self.lost + self.duplicated + self.reordered + self.returned + self.nacked
        if marked > MOST_MARKED * self.messages:
            raise ValueError(f"{marked} of {self.messages} messages have a fate; at most a quarter may")
        if self.protocol == "sqs" and (self.returned or self.nacked or self.multiple):
            raise ValueError("SQS neither returns nor refuses a message, and confirms each by itself")
        ends = 0.0
        for stall in self.stalls:
            if stall.at_s < ends:
                raise ValueError("stalls go in order and do not overlap")
            ends = stall.at_s + stall.for_s
        return self

    @property
    def deliveries(self) -> int:
        """How many deliveries the program's messages make, copies included."""
        return self.messages - self.lost - self.returned - self.nacked + self.duplicated
