"""How many loaders drive a case."""

from __future__ import annotations

from math import ceil

from breakeven.report.model import Environment
from breakeven.workload.case import Workload

#: an inline map of the workflow runs at most this many at once, and a case needs all of its loaders at once
MAX_LOADERS = 40
#: Workers of one loader. On AWS a loader has one vCPU, and a boto3 call takes 1.3-1.7 ms of it in about
#: 16 ms: eight workers keep it at about 75%, under the 80% at which a figure is only a lower bound (pika was
#: not measured there and gets the same). On one machine more processes would only share the same two cores
#: with the brokers.
WORKERS_PER_LOADER: dict[Environment, int] = {"aws": 8, "local": 40}


#: load-unload has no end to end latency, which only the loader that sent a message can tell: nothing is lost
#: by using both cores of one machine from the start
LEAST_FOR_LOAD_UNLOAD = 2


def loaders_for(workload: Workload, environment: Environment) -> int:
    """Loaders of a case, 1 to 40: never so many that one of them would have no worker."""
    workers = workload.producers + workload.consumers
    wanted = ceil(workers / WORKERS_PER_LOADER[environment])
    if workload.mode == "load-unload":
        wanted = max(wanted, LEAST_FOR_LOAD_UNLOAD)
    return max(1, min(wanted, MAX_LOADERS, max(workload.producers, workload.consumers)))
