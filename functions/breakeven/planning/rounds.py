"""Rounds of a run, as its plan has them and as the workflow hands them to functions."""

from __future__ import annotations

from pydantic import Field

from breakeven.terms import Frozen, TargetName
from breakeven.workload.case import LoaderKind
from breakeven.workload.machines import Machines


class CaseRef(Frozen):
    case_id: str
    loaders: list[int] = Field(description="indexes from 0, one loader each")
    nodes_down: int = Field(description="nodes that are stopped before the case and started again after it")
    faults: int = Field(default=0, description="of nodes in its measured stage; they are awaited after it")
    reboots: int = Field(default=0, description="of them those that a service is asked for")
    loader: LoaderKind = Field(default="lambda", description="what the loaders run as")


class Leg(Frozen):
    """Cases of one target, one after another. ``opens`` and ``closes``: its lane's first and last leg."""

    leg_id: str
    target: TargetName
    machines: Machines | None = Field(default=None, description="of the lane's own brokers")
    opens: bool
    closes: bool
    cases: list[CaseRef]
