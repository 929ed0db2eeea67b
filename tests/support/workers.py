"""Which test files one worker runs: those that share servers of a session, which each worker would start.

A pair of brokers takes 12 seconds of a processor to start, three nodes 20. And which workers begin with files
that only compute: where all began with real servers, all of these would start at the same time, on two cores,
and be late for the clock that their tests go by.
"""

from __future__ import annotations

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
#: the part of the workers that begin with the others: one of four
COMPUTING = 1 / 3


class SharedServersScheduling(LoadFileScheduling):
    """As ``--dist loadfile``, but that files that share servers are together, and that each worker has a kind
    of files to begin with: where that kind has come to its end, it helps with the other.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return OF_FILE.get(file, file)

    def _assign_work_unit(self, node: WorkerController) -> None:
        real = self.nodes.index(node) >= round(COMPUTING * len(self.nodes))
        own = (scope for scope, tests in self.workqueue.items() if next(iter(tests)).startswith(REAL) == real)
        if (scope := next(own, None)) is not None:
            self.workqueue.move_to_end(scope, last=False)
        super()._assign_work_unit(node)
