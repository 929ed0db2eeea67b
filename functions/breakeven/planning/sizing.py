"""Number of loaders of a case: at first, after a run in which one was the limit, and at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from breakeven import words
from breakeven.terms import Environment
from breakeven.workload.case import MAX_LOADERS, Workload

#: Workers of one loader. On AWS a loader has one vCPU, and a boto3 call takes 1.3-1.7 ms of it in about
#: 16 ms: eight workers keep it at about 75%, under the 80% at which a figure is only a lower bound (pika was
#: not measured there and gets the same). On one machine two workers or so keep a core busy.
WORKERS_PER_LOADER: dict[Environment, int] = {"aws": 8, "local": 4}
#: On one machine more processes than this would only share the same few cores with the brokers and one
#: another, while end to end latency is known only of messages that come back to the loader that sent them.
MOST_LOADERS: dict[Environment, int] = {"aws": MAX_LOADERS, "local": 2}
#: cores that a loader shall use of its one: some room below the share that makes it saturated
WANTED_SHARE = 0.75
#: Of one machine, what loaders may take of its cores and memory: the rest is for what they measure. A loader
#: uses a core, and half a GiB at most: 64 MiB of send times, and the rest is interpreter, ledger, histograms.
LOADERS_PART, LOADER_GIB = 0.5, 0.5


@dataclass(frozen=True, slots=True)
class Most:
    """A bound on the loaders of a case, and what sets it, in words."""

    loaders: int
    why: str


def loaders_for(workload: Workload, environment: Environment) -> int:
    """Loaders of a case of which nothing is known yet, 1 to ``MAX_LOADERS``: each has a worker.

    A capacity search has one, which sees the whole backlog as it is, until it is known to be the limit.
    """
    if workload.mode == "capacity":
        return 1
    wanted = ceil((workload.producers + workload.consumers) / WORKERS_PER_LOADER[environment])
    most = dealt(workload.producers, workload.consumers).loaders
    return max(1, min(wanted, MOST_LOADERS[environment], most))


def more_loaders(loaders: int, cpu_share: float) -> int:
    """How many to use after a run in which one of so many was the limit; always more than there were.

    :param cpu_share: cores that the busiest of them used. A loader at its limit hides how much more it would
        have used, so that this can be too few; the next run then asks for more again.
    """
    return max(loaders + 1, ceil(loaders * cpu_share / WANTED_SHARE))


def dealt(producers: int, consumers: int) -> Most:
    """The most among which a case's workers can be dealt, so that none is without."""
    most = max(producers, consumers)
    if most >= MAX_LOADERS:
        return Most(MAX_LOADERS, f"a case has at most {MAX_LOADERS}")
    workers = f"{words.plural(producers, 'producer')} and {words.plural(consumers, 'consumer')}"
    return Most(max(1, most), f"{workers} give no more of them work")


def most_loaders(workload: Workload, environment: Environment, hardware: Mapping[str, object]) -> Most:
    """The most that a plan goes up to by itself.

    :param hardware: ``cores`` and ``memory_gib`` of the one machine of a local run; empty on AWS
    """
    bounds = [dealt(workload.producers, workload.consumers)]
    if environment == "local":
        # never fewer than the plan takes anyway; what is not known allows no more than that
        bounds.append(_part(hardware, "cores", "cores", 1.0))
        bounds.append(_part(hardware, "memory_gib", "GiB of memory", LOADER_GIB))
    return min(bounds, key=lambda bound: bound.loaders)


def _part(hardware: Mapping[str, object], name: str, unit: str, each: float) -> Most:
    least, there = MOST_LOADERS["local"], hardware.get(name)
    if not isinstance(there, int | float):
        return Most(least, f"how many {unit} this machine has is not known")
    why = f"this machine has {there:g} {unit}, which the brokers and servers of a local run need as well"
    return Most(max(least, int(there * LOADERS_PART / each)), why)
