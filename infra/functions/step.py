"""A step: one function of the workflow, or beside it, with what its deployment depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Literal

from breakeven.planning.budget.planning_assumptions import STEP_MB

#: what every function inside the VPC reads: its lane's credentials
SECRETS = "secrets/*"


@dataclass(frozen=True, slots=True)
class Needs:
    """What the code of a step calls: all that its role allows, beside its log and its traces.

    Tests hold this against the roles of the template, and these against the calls that are made, both ways
    (tests/e2e/test_clean_up.py): a call that is not here is denied on AWS, and what is here and never called
    must have a reason in tests/support/grants/implied.yaml.

    :param state: what it does to the state of runs, lanes, cases and loaders
    :param reads: objects
    :param lists: where it looks what objects there are, as it does before it reads one that may be missing
    :param queues: what it does to the managed service's queues
    :param asks: what names no resource
    :param of_ours: what it does to whatever carries this installation's owner tag
    :param bound: calls on single resources, or under conditions of their own, which ``grants`` has
    """

    state: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    of_ours: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()

    def __add__(self, other: Needs) -> Needs:
        return Needs(*((*getattr(self, each.name), *getattr(other, each.name)) for each in fields(self)))

    @property
    def actions(self) -> set[str]:
        """All calls, by their names in policies."""
        objects = {"GetObject": self.reads, "PutObject": self.writes, "DeleteObject": self.deletes}
        found = {f"s3:{action}" for action, prefixes in objects.items() if prefixes}
        found |= {"s3:ListBucket"} if self.lists else set()
        return found | {*self.state, *self.queues, *self.asks, *self.of_ours, *self.bound}


@dataclass(frozen=True, slots=True)
class Step:
    """One function, or two of the same code: one inside the VPC, which reaches brokers, and one outside.

    :param handler: its module in ``functions/handlers``
    :param limit_min: how long a call may take
    :param network: inside, outside (reaches AWS' services), or both
    :param attempts: calls that its state makes in all; 0: none again once the function may have begun
    :param inside: what its function inside the VPC needs besides
    :param outside: what the one outside needs besides
    :param service: what its log lines and metrics call it, where that is not its module's name
    :param only: the deployments that have it: those that start runs by a schedule, or those that bake images
    """

    handler: str
    limit_min: float
    needs: Needs
    network: Literal["inside", "outside", "both"] = "outside"
    memory_mb: int = STEP_MB
    attempts: int = 1
    inside: Needs = Needs()
    outside: Needs = Needs()
    service: str | None = None
    only: Literal["scheduled", "baking"] | None = None

    @property
    def limit_s(self) -> int:
        return int(self.limit_min * 60)

    @property
    def called(self) -> str:
        return self.service or self.handler.rpartition(".")[2]

    def needs_of(self, *, inside: bool) -> Needs:
        """Say what one of its functions needs; the one inside reads its lane's credentials, without SQS."""
        if inside:
            return replace(self.needs, queues=()) + Needs(reads=(SECRETS,)) + self.inside
        return self.needs + self.outside

    def functions(self, name: str) -> Iterator[tuple[str, bool]]:
        """Name of each of its functions, and whether it is inside the VPC; ``name`` is the step's."""
        if self.network == "both":
            yield from ((f"{name}InVpc", True), (f"{name}Outside", False))
        else:
            yield name, self.network == "inside"
