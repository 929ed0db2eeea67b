"""A fault as a suite says it: its fields, their ranges and the words of their errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from breakeven.terms import MAX_NODES
from breakeven.workload.fields import FAULT, MAX_STAGE_S, DistinctList, Strict, wrong
from breakeven.workload.node_faults import MAX_FAULT_S, REBOOT, ROLLING_RESTART, SLOW, UPGRADE, AskedKind
from breakeven.workload.service_faults import SERVICE_FAULTS, CallKind, ServiceFaultKind, Status, When

#: of one case
MAX_FAULTS = 20
NODES = f"leader, other, or a node's number from 1 to {MAX_NODES}"


def _node(value: Any) -> Any:
    if value in ("leader", "other") or (type(value) is int and 1 <= value <= MAX_NODES):
        return value
    raise PydanticCustomError(FAULT, "{remedy}", {"remedy": f"must be {NODES}"})


#: the number has the words, as it is the first that error messages ask
_Number = Annotated[int, Field(ge=1, le=MAX_NODES, json_schema_extra={"allowed": NODES})]
_Time = Annotated[
    float,
    Field(
        ge=0,
        le=MAX_STAGE_S,
        json_schema_extra={"allowed": f"seconds since the measured stage's start, 0 to {MAX_STAGE_S}"},
    ),
]
_Length = Annotated[
    float,
    Field(
        gt=0,
        le=MAX_FAULT_S,
        json_schema_extra={"allowed": f"seconds, over 0 and at most {MAX_FAULT_S:g}"},
    ),
]


SERIES = 'a series of RabbitMQ in quotes, such as "4.3"'
_Series = Annotated[str, Field(pattern=r"^\d{1,2}\.\d{1,2}$", json_schema_extra={"allowed": SERIES})]
#: of an answer: a loader gives up a call after 30 s (``clients.base.CALL_TIMEOUT_S``)
MAX_DELAY_MS = 20_000.0
#: of a slow network, Mbit/s
MIN_RATE, MAX_RATE = 0.1, 10_000.0
#: beyond it connections of TCP hardly get on: a cut says what is meant
MAX_LOSS_PERCENT = 50.0
MAX_SEED = 2**31 - 1
_Percent = Annotated[
    float, Field(gt=0, le=100, json_schema_extra={"allowed": "percent, over 0 and at most 100"})
]
_Delay = Annotated[
    float,
    Field(
        gt=0,
        le=MAX_DELAY_MS,
        json_schema_extra={"allowed": f"milliseconds, over 0 and at most {MAX_DELAY_MS:g}"},
    ),
]
_Rate = Annotated[
    float,
    Field(
        ge=MIN_RATE,
        le=MAX_RATE,
        json_schema_extra={"allowed": f"megabits a second, {MIN_RATE:g} to {MAX_RATE:g}"},
    ),
]
_Loss = Annotated[
    float,
    Field(
        ge=0.01,
        le=MAX_LOSS_PERCENT,
        json_schema_extra={
            "allowed": f"percent of packets, 0.01 to {MAX_LOSS_PERCENT:g}; "
            "to lose all, use cut-clients or cut-peers"
        },
    ),
]
_Status = Annotated[Status, Field(json_schema_extra={"allowed": "500 or 503"})]
#: fields that some kinds cannot be without, each with its kinds and what it says
NEEDED: dict[str, tuple[tuple[str, ...], str]] = {
    "percent": (SERVICE_FAULTS, "of the calls that meet it, over 0 and at most 100"),
    "status": (("error",), "500 or 503"),
    "delay_ms": (("delay",), f"milliseconds, over 0 and at most {MAX_DELAY_MS:g}"),
    "when": (("reset",), "before or after the service has taken the call"),
}
#: fields that some kinds may have, likewise
OPTIONAL: dict[str, tuple[str, ...]] = {
    "calls": ("throttle", "error", "delay", "reset"),
    "seed": SERVICE_FAULTS,
    "delay_ms": ("delay", *SLOW),
    "mbit_per_s": SLOW,
    "loss_percent": SLOW,
}
#: of which those kinds need one at least
EXTENT = ("delay_ms", "mbit_per_s", "loss_percent")


class FaultEntry(Strict):
    """One of a scenario's list ``faults``."""

    at_s: _Time
    kind: Literal[AskedKind, ServiceFaultKind]
    node: Annotated[_Number | Literal["leader", "other"], BeforeValidator(_node)] | None = None
    for_s: _Length | None = None
    to: _Series | None = None
    percent: _Percent | None = None
    calls: DistinctList[CallKind] | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    status: _Status | None = None
    delay_ms: _Delay | None = None
    mbit_per_s: _Rate | None = None
    loss_percent: _Loss | None = None
    when: When | None = None

    @model_validator(mode="after")
    def _of_calls_or_not(self) -> Self:
        if self.kind in SLOW and all(getattr(self, name) is None for name in EXTENT):
            raise wrong("delay_ms", f"{self.kind} needs one of {', '.join(EXTENT)}: nothing would be slow")
        for name, (kinds, says) in NEEDED.items():
            if self.kind in kinds and getattr(self, name) is None:
                raise wrong(name, f"is required: {says}")
        for name, kinds in {**{name: kinds for name, (kinds, _) in NEEDED.items()}, **OPTIONAL}.items():
            if self.kind not in kinds and getattr(self, name) is not None:
                raise wrong(name, f"belongs to {', '.join(kinds)}, and this is {self.kind}; remove it")
        return self

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> Self:
        of_calls, of_all = self.kind in SERVICE_FAULTS, self.kind in (ROLLING_RESTART, REBOOT, UPGRADE)
        if self.kind == REBOOT and self.for_s is not None:
            raise wrong("for_s", f"{REBOOT} takes as long as the service does; remove it")
        if self.kind == REBOOT and self.node is not None:
            raise wrong("node", f"{REBOOT} is of the whole broker; remove it")
        if self.kind != REBOOT and self.for_s is None:
            raise wrong("for_s", f"is required: seconds, over 0 and at most {MAX_FAULT_S:g}")
        if of_calls and self.node is not None:
            raise wrong("node", f"{self.kind} is of calls, and of no node; remove it")
        if of_all and self.node is not None:
            raise wrong("node", f"{self.kind} is of all nodes, one after the other; remove it, or use stop")
        if not (of_calls or of_all) and self.node is None:
            raise wrong("node", f"is required: {NODES}")
        if self.kind == UPGRADE and self.to is None:
            raise wrong("to", f"is required: {SERIES}")
        if self.kind != UPGRADE and self.to is not None:
            raise wrong("to", f"is of an upgrade, and this is {self.kind}; remove it")
        return self


FaultList = Annotated[list[FaultEntry], Field(min_length=1, max_length=MAX_FAULTS)]
