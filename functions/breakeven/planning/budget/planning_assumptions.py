"""Assumptions before anything is measured, for the time and dollars of a plan, and never for a result.

Each figure says where it is from; those of one target are its record's (``targets.catalog``).
``docs/suites.md`` prints the same tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from breakeven.agent.bucket import IDLE_LOOK_S, Samples
from breakeven.terms import Environment


@dataclass(frozen=True, slots=True)
class Overheads:
    """Seconds around the stages of a case, a lane and a run; until a lane is open is its target's to say.

    ``gate``: from the first loader's start to the start instant; it counts towards the loader's limit.
    ``task_start``: from the case's start to its loaders' where they are tasks, beside a function's.
    ``more_node``: until a lane is open, for each node beyond those that its target usually has.
    ``nodes_down``: stopping nodes before a case that wants some down, and having them back after it.
    ``faults``: having a cluster whole again after a case with faults, beyond the case's own stages.
    """

    before_case: float
    gate: float
    after_case: float
    more_node: float
    close_lane: float
    around_run: float
    nodes_down: float
    faults: float
    task_start: float


OVERHEADS: Mapping[Environment, Overheads] = {
    # cold starts, queue creation, instances that boot and form a cluster: assumed, generously
    "aws": Overheads(
        before_case=5,
        gate=8,
        after_case=8,
        more_node=30,
        close_lane=20,
        around_run=60,
        nodes_down=210,
        faults=60,
        # a network interface, an image of some 100 MB, a Python: assumed
        task_start=75,
    ),
    # two nodes clustered in 20 s, five in 58 s on a busy machine; a case takes 3.5 s beside its stages, and
    # loaders wait 2 s of it
    "local": Overheads(
        before_case=0.5,
        gate=3,
        after_case=0.5,
        more_node=15,
        close_lane=3,
        around_run=20,
        nodes_down=20,
        faults=10,
        task_start=2,
    ),
}

#: of a function, MB: of a loader, which has one vCPU with so much (with less it would measure its own
#: throttling), and of a step. They are deployed with it, and priced by it
ONE_CORE_MB, STEP_MB = 1769, 512
LOADER_MEMORY_GB, STEP_MEMORY_GB = ONE_CORE_MB / 1024, STEP_MB / 1024
STEPS_S = 10.0  # prepare and settle of a case, billed together
#: calls beside the loaders: prepare, watch and settle of a case, what stops, starts and awaits its nodes, and
#: what has its broker rebooted; of a lane; of a run, of what it makes for tasks, and of a watch that is
#: called again, and of metrics that are read; a test counts them
CALLS = {
    "case": 3,
    "nodes_down": 3,
    "faults": 1,
    "reboot": 1,
    "lane": 5,
    "run": 7,
    "tasks": 2,
    "watch": 1,
    "metrics": 1,
    "broker_look": 1,
}
#: states entered, of the definition in infra/, when all goes well; a test counts them there. ``broker_look``:
#: another look at a broker that Amazon MQ creates, beside the lane's first
TRANSITIONS = {
    **{"case": 13, "nodes_down": 3, "faults": 1, "loader": 1, "lane": 15, "run": 38, "tasks": 5, "watch": 2},
    "broker_look": 3,
    "metrics": 2,
    "reboot": 2,
}
ROWS_PER_CASE = 11  # objects written beside the loaders' own: rows of each table, case, watch
READS_PER_LOADER = 4
#: requests of a node's agent in an hour, all billed as writing is: looks for orders, and batches of samples
AGENT_CALLS_PER_HOUR = 3600 / IDLE_LOOK_S + 3600 / Samples.BATCH
#: reads and writes of the state table by a loader each second, and by a case for itself; each is of one
#: unit, for of many loaders one alone reads all of them
STATE_CALLS_PER_S = 1
STATE_CALLS_PER_CASE = 10
WATCH_READS_PER_S = 4
#: how often what has a broker rebooted looks for the order, at the bucket and at the loaders' items
ORDER_LOOKS_PER_S = 1
#: lists of the bucket, and objects read of it, by a watch that awaits a reboot beyond its loaders' end
FAULT_LISTS_PER_S = 4
#: of all loaders' items, two by the watch and one by the first loader: many take more than one unit each
READS_OF_ALL_PER_S = 3
#: of a search by several loaders, for each of them: units of reads a second, most of them to see whether a
#: rate was stopped; and units of what it writes of each rate, of some 10 KB
SEARCH_READS_PER_S, WRITES_PER_PART = 3, 12
ATHENA_LEAST_TB = 10e6 / 1e12  # billed for a query at least
ZONES = 2  # of the network in infra/
#: of structured logs, metrics among them, and Lambda's own three lines; assumed, generously
LOG_BYTES_PER_CALL = 8192
#: tasks, seconds: endpoints until they answer; an image of some 100 MB, built and pushed; a task, from when
#: it is paid for until its loader begins; on one machine none of it takes its time. All assumed
ENDPOINTS_S, IMAGE_BUILD_S, TASK_BEFORE_S, TASKS_LOCAL_S = 120.0, 240.0, 45.0, 5.0
#: an image of brokers, seconds: its builder boots, installs and powers off; its snapshot is taken. Assumed
BUILDER_S, SNAPSHOT_S = 300.0, 240.0
METRICS = 3  # names of the functions' custom metrics; billed for each hour in which one is sent
