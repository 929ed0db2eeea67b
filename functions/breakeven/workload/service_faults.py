"""Faults of calls to a managed queue service at a set time of a case (rule 14 of docs/rules.md)."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from breakeven.terms import Frozen
from breakeven.workload.node_faults import FaultKind, NodeFault

#: throttle: denied, as too many were made; error: answered with a status of 5xx; delay: passed on later;
#: reset: the connection is; duplicate: a message that was handed out is handed out once more
ServiceFaultKind = Literal["throttle", "error", "delay", "reset", "duplicate"]
SERVICE_FAULTS: tuple[ServiceFaultKind, ...] = get_args(ServiceFaultKind)
AnyFaultKind = Literal[FaultKind, ServiceFaultKind]
CallKind = Literal["send", "receive", "delete"]
CALL_KINDS: tuple[CallKind, ...] = ("send", "receive", "delete")
#: of an ``error``: SQS' InternalFailure and ServiceUnavailable
Status = Literal[500, 503]
#: of a ``reset``: the service has not taken the call, or has, and its answer is lost
When = Literal["before", "after"]
#: each decides what becomes of a call: one of them at a time
EXCLUSIVE: frozenset[ServiceFaultKind] = frozenset({"throttle", "error", "reset"})


class ServiceFault(Frozen):
    """One of a case's. Times are seconds, ``at_s`` since the start of the measured stage."""

    at_s: float = Field(ge=0)
    kind: ServiceFaultKind
    for_s: float = Field(gt=0, description="how long calls that are made may meet it")
    percent: float = Field(gt=0, le=100, description="of the calls, or of the deliveries of a duplicate")
    calls: tuple[CallKind, ...] = Field(default=CALL_KINDS, description="that may meet it")
    seed: int = Field(default=1, description="of the draw that chooses among them")
    status: Status | None = Field(default=None, description="error: of the answer")
    delay_ms: float | None = Field(default=None, description="delay: by which a call is passed on later")
    when: When | None = Field(default=None, description="reset: whether the service has taken the call")

    @property
    def end_s(self) -> float:
        return self.at_s + self.for_s

    @property
    def aimed_at(self) -> str:
        """Which calls, in words: ``calls``, or ``send and delete calls``."""
        if self.kind == "duplicate":
            return "deliveries"
        return "calls" if len(self.calls) == len(CALL_KINDS) else f"{' and '.join(self.calls)} calls"

    @property
    def words(self) -> str:
        """Such as ``throttle 30% of calls at 10 s for 5 s``."""
        how = {
            "error": f" with {self.status}",
            "delay": f" by {self.delay_ms or 0:g} ms",
            "reset": f" {self.when} the service has taken them",
        }.get(self.kind, "")
        what = f"{self.kind} {self.percent:g}% of {self.aimed_at}{how}"
        return f"{what} at {self.at_s:g} s for {self.for_s:g} s"


#: of a node, or of calls to a service
CaseFault = Annotated[NodeFault | ServiceFault, Field(discriminator="kind")]
