"""Descriptors and threads that a loader holds while it works, and how many its place allows.

A function has 1,024 file descriptors and 1,024 execution processes and threads, which cannot be raised
(Lambda guide, "Lambda quotas"). A task has 65,535 descriptors, as its definition asks for (ECS API reference,
Ulimit); its threads are bounded by its memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from breakeven.planning.refusal import Refusal, origin
from breakeven.planning.sizing import dealt
from breakeven.targets.catalog import record_of
from breakeven.workload.case import Case, LoaderKind, Workload
from breakeven.workload.suite import Suite


@dataclass(frozen=True, slots=True)
class Footprint:
    """Of one loader, or that there is room for in its process."""

    descriptors: int
    threads: int

    def fits(self, room: Footprint) -> bool:
        return self.descriptors <= room.descriptors and self.threads <= room.threads


#: a task has 2 GB of memory, and each thread keeps about 100 KB of its stack resident
ROOM: Mapping[LoaderKind, Footprint] = {
    "lambda": Footprint(1024, 1024),
    "fargate": Footprint(65_535, 8192),
}
PLACE: Mapping[LoaderKind, str] = {"lambda": "a function", "fargate": "a task"}
#: what a loader holds beside its workers and their connections: pipes and logs, the runtime's own, kept
#: connections to DynamoDB, S3 and X-Ray, and sockets of connections that are just being replaced; the main
#: thread, heartbeat, lag meter, keeper of heartbeats, and the runtime's
BESIDE = Footprint(64, 32)
#: descriptors of one connection: pika's loop has an epoll and a pair of sockets of its own
EACH = {"native": 1, "boto3": 1, "pika": 4}


def connections(workload: Workload, target: str, loaders: int = 1) -> int:
    """Of the fullest of so many loaders, at its most; of all where it is one."""
    producers, consumers = ceil(workload.producers / loaders), ceil(workload.consumers / loaders)
    at_once = workload.in_flight if record_of(target).window_is_connections else 1
    receiving = 2 * at_once if workload.is_pooled else 1  # settlements have connections of their own
    sending = receiving if workload.mode == "parallel" else at_once  # producers help with the drain
    return producers * sending + consumers * receiving


def footprint(workload: Workload, target: str, loaders: int) -> Footprint:
    """Of the fullest of so many loaders, at its most."""
    opened = connections(workload, target, loaders)
    workers = ceil(workload.producers / loaders) + ceil(workload.consumers / loaders)
    pooled = opened if workload.is_pooled else 0  # each has a thread, beside its worker's
    return Footprint(
        descriptors=BESIDE.descriptors + opened * EACH[workload.client],
        threads=BESIDE.threads + workers + pooled,
    )


def least_loaders(workload: Workload, target: str, kind: LoaderKind, most: int) -> int | None:
    """The fewest of at most so many loaders that each fit into their process; None where none do."""
    counts = range(1, most + 1)
    return next((count for count in counts if footprint(workload, target, count).fits(ROOM[kind])), None)


def refusals(suite: Suite, cases: Sequence[Case]) -> Iterator[Refusal]:
    """Cases whose loaders would hold more open than their place lets them."""
    for case in cases:
        each, room = footprint(case.workload, case.target, case.loaders), ROOM[case.loader]
        if each.fits(room):
            continue
        held = f"{each.descriptors:,} file descriptors and {each.threads:,} threads"
        has = f"{PLACE[case.loader]} has {room.descriptors:,} and {room.threads:,}"
        field, value, fits = _what_fits(suite, case)
        why = f"a loader would hold up to {held}, and {has}"
        yield Refusal(case_id=case.case_id, field=field, value=value, remedy=f"{why}: {fits}")


def _what_fits(suite: Suite, case: Case) -> tuple[str, int, str]:
    """The field that asks for too much, its value, and what would do."""
    work, most = case.workload, dealt(case.workload.producers, case.workload.consumers)
    other = "" if case.loader == "fargate" or not _fits(case, loader="fargate") else ", or loader: fargate"
    least = least_loaders(work, case.target, case.loader, most.loaders)
    if least is not None:
        return origin(suite, case.scenario, "loaders"), case.loaders, f"{least} loaders do{other}"
    if work.in_flight > 1:
        field = origin(suite, case.scenario, "window")
        windows = range(work.in_flight - 1, 0, -1)
        found = next((each for each in windows if _fits(case, loaders=most.loaders, in_flight=each)), None)
        if found is not None:
            return field, work.in_flight, f"at most {found} here{other}"
    return *workers_asked(suite, case), f"fewer of them ({most.why}){other}"


def workers_asked(suite: Suite, case: Case) -> tuple[str, int]:
    """The field that asks for most of the case's workers, and its value."""
    work = case.workload
    name = "producers" if work.producers >= work.consumers else "consumers"
    asked = origin(suite, case.scenario, "threads" if _threads(suite, case.scenario) else name)
    return asked, max(work.producers, work.consumers)


def _fits(
    case: Case, *, loader: LoaderKind | None = None, loaders: int | None = None, in_flight: int | None = None
) -> bool:
    """Whether the case would fit with these in the place of its own."""
    work = case.workload if in_flight is None else case.workload.model_copy(update={"in_flight": in_flight})
    each = footprint(work, case.target, loaders or case.loaders)
    return each.fits(ROOM[loader or case.loader])


def _threads(suite: Suite, scenario: str) -> bool:
    """Whether the scenario counts its workers by threads."""
    layers = (suite.scenarios[scenario], suite.defaults, *(suite.scenarios[scenario].cells or ()))
    return any(getattr(layer, "threads", None) is not None for layer in layers)
