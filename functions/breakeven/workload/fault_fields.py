"""A fault of a node as a suite says it: its fields, their ranges and the words of their errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from breakeven.terms import MAX_NODES
from breakeven.workload.fields import FAULT, MAX_STAGE_S, Strict, wrong
from breakeven.workload.node_faults import MAX_FAULT_S, ROLLING_RESTART, UPGRADE, AskedKind

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


class FaultEntry(Strict):
    """One of a scenario's list ``faults``."""

    at_s: _Time
    kind: AskedKind
    node: Annotated[_Number | Literal["leader", "other"], BeforeValidator(_node)] | None = None
    for_s: _Length
    to: _Series | None = None

    @model_validator(mode="after")
    def _fields_of_its_kind(self) -> Self:
        of_all = self.kind in (ROLLING_RESTART, UPGRADE)
        if of_all and self.node is not None:
            raise wrong("node", f"{self.kind} is of all nodes, one after the other; remove it, or use stop")
        if not of_all and self.node is None:
            raise wrong("node", f"is required: {NODES}")
        if self.kind == UPGRADE and self.to is None:
            raise wrong("to", f"is required: {SERIES}")
        if self.kind != UPGRADE and self.to is not None:
            raise wrong("to", f"is of an upgrade, and this is {self.kind}; remove it")
        return self


FaultList = Annotated[list[FaultEntry], Field(min_length=1, max_length=MAX_FAULTS)]
