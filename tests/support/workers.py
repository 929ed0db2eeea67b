"""Which test files one worker runs: those that share servers of a session, which each worker would start.

A pair of brokers takes 12 seconds of a processor to start, three nodes 20. And which workers begin with files
that only compute: where all began with real servers, all of these would start at the same time, on two cores,
and be late for the clock that their tests go by.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

BROKERS, LOADERS = "tests/integration/brokers", "tests/integration/loaders"
QUEUES = "tests/integration/queues"
#: by the fixture that they share; the long ones that have it besides are workers' of their own
SHARING = {
    "rabbitmq_pair": (
        f"{BROKERS}/test_brokers.py",
        f"{BROKERS}/test_brokers_existing.py",
        f"{BROKERS}/test_targets_rabbitmq.py",
        f"{LOADERS}/test_both_clients.py",
        f"{LOADERS}/test_foreign_messages.py",
        f"{LOADERS}/test_loader.py",
        f"{LOADERS}/test_perftest_files.py",
        f"{QUEUES}/test_amqp_native.py",
        f"{QUEUES}/test_clients_amqp.py",
    ),
    "rabbitmq_pair of a run": ("tests/e2e/test_bad_input.py", "tests/e2e/test_weather.py"),
    "rabbitmq_trio": (
        f"{BROKERS}/test_faults.py",
        f"{BROKERS}/test_node_survey.py",
        f"{BROKERS}/test_targets_rabbitmq_quorum.py",
    ),
    "rabbitmq_two": (f"{BROKERS}/test_pair_faults.py", f"{LOADERS}/test_loss.py"),
    "rabbitmq_node": (
        f"{BROKERS}/test_targets_rabbitmq_single.py",
        f"{BROKERS}/test_watched_nodes.py",
        f"{LOADERS}/test_open_loop.py",
    ),
}
OF_FILE = {file: name for name, files in SHARING.items() for file in files}


#: of folders that drive real servers in real time
REAL = ("tests/e2e/", "tests/integration/")
#: the part of the workers that begin with the others: two of five
COMPUTING = 0.4
#: by how much these make way, so that they have what real servers and their loaders leave, and these are in
#: time; setup/tests.sh has the others' 10
NICENESS = 15


def computes(worker: str, of: int) -> bool:
    """Does a worker begin with what only computes?

    :param worker: its name, such as ``gw0``; one in the place of a worker that died has the next number
    """
    return int(worker.removeprefix("gw")) < round(COMPUTING * of)


def make_way(worker: str, of: int) -> None:
    """Have a worker that begins with what only computes make way for the others.

    In a session of its own: Linux may weigh sessions against one another before processes (sched(7), "The
    autogroup feature"), and the others' would share what all workers have with them.
    """
    if not computes(worker, of):
        return
    os.setsid()
    os.nice(max(0, NICENESS - os.nice(0)))
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))


class SharedServersScheduling(LoadFileScheduling):
    """As ``--dist loadfile``, but that files that share servers are together, and that each worker has a kind
    of files to begin with: where that kind has come to its end, it helps with the other.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return OF_FILE.get(file, file)

    def _assign_work_unit(self, node: WorkerController) -> None:
        real = not computes(node.gateway.id, len(self.nodes))
        own = (scope for scope, tests in self.workqueue.items() if next(iter(tests)).startswith(REAL) == real)
        if (scope := next(own, None)) is not None:
            self.workqueue.move_to_end(scope, last=False)
        super()._assign_work_unit(node)
