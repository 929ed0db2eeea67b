"""How many loaders drive a case."""

from __future__ import annotations

from math import ceil

from breakeven.report.model import Environment
from breakeven.workload.case import Workload

#: an inline map of the workflow runs at most this many at once, and a case needs all of its loaders at once
MAX_LOADERS = 40
#: Workers of one loader. On AWS a loader has one vCPU, and a boto3 call takes 1.3-1.7 ms of it in about
#: 16 ms: eight workers keep it at about 75%, under the 80% at which a figure is only a lower bound (pika was
#: not measured there and gets the same). On one machine two workers or so keep a core busy.
WORKERS_PER_LOADER: dict[Environment, int] = {"aws": 8, "local": 4}
#: On one machine more processes than this would only share the same few cores with the brokers and one
#: another, while end to end latency is known only of messages that come back to the loader that sent them.
MOST_LOADERS: dict[Environment, int] = {"aws": MAX_LOADERS, "local": 2}


def loaders_for(workload: Workload, environment: Environment) -> int:
    """Loaders of a case, 1 to 40: never so many that one of them would have no worker."""
    if workload.mode == "capacity":
        return 1  # which sees the whole backlog, and every message's latency
    wanted = ceil((workload.producers + workload.consumers) / WORKERS_PER_LOADER[environment])
    return max(1, min(wanted, MOST_LOADERS[environment], max(workload.producers, workload.consumers)))
