"""Loss is seen where there is some and nowhere else: whole loaders, real nodes, kill -9.

Its nodes are killed; before each test all of them are up again, and after the last.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psutil
import pytest

from breakeven.clients import connections
from breakeven.clients.factory import make_client
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import RabbitMQMirroredPair
from breakeven.targets.sqs.sqs_standard import SqsStandard
from local.servers.brokers import BrokerCluster
from local.servers.sqs_server import SqsServer
from tests.support.loaders.live_case import PATIENCE_S, LiveCase, assert_failed_whole, live
from tests.support.loaders.real_nodes import process_ids
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-mirrored-pair"
#: a durable queue on the first node alone: no policy of ours has its name
HOMEBOUND = "on-the-first-node"


class Pair:
    """Two nodes, and what the tests do to them."""

    def __init__(self, cluster: BrokerCluster) -> None:
        self.cluster, self.access = cluster, cluster.access
        self.management = Management(self.access)
        self.target = RabbitMQMirroredPair(self.access)
        self.target.establish()

    def kill(self, node: str) -> float:
        """kill -9; returns when it was done, epoch seconds."""
        killed_s = time.time()
        self.cluster.signal(node, signal.SIGKILL)
        assert eventually(lambda: node in self.down(), PATIENCE_S)
        return killed_s

    def freeze(self, node: str) -> None:
        """SIGSTOP, until the kernel has stopped the node: from then on it reads nothing."""
        leader = process_ids(self.cluster)[node]
        (node_itself,) = (each for each in _group(leader) if each.name() == "beam.smp")
        self.cluster.signal(node, signal.SIGSTOP)
        assert eventually(lambda: node_itself.status() == psutil.STATUS_STOPPED)

    def restart(self, node: str) -> None:
        self.cluster.restart(node)
        self.target.establish()

    def restore(self) -> None:
        """All nodes up."""
        for node in self.down():
            self.restart(node)

    def master(self, queue: str) -> str:
        return str(self.management.queue(queue)["node"])

    def await_sync(self, queue: str) -> None:
        assert eventually(lambda: self.target.mirrors((queue,)) == {queue: 1}, PATIENCE_S)

    def down(self) -> list[str]:
        return [str(node["name"]) for node in self.management.nodes() if not node.get("running")]


def _group(leader: int) -> list[psutil.Process]:
    first = psutil.Process(leader)
    return [first, *first.children(recursive=True)]


@pytest.fixture(scope="module")
def nodes(rabbitmq_two) -> Iterator[Pair]:
    made = Pair(rabbitmq_two)
    with open_channel(made.access, made.access.nodes) as channel:
        channel.queue_declare(HOMEBOUND, durable=True, arguments={"x-queue-master-locator": "client-local"})
    yield made
    made.restore()


@pytest.fixture
def pair(nodes: Pair) -> Pair:
    nodes.restore()
    return nodes


@pytest.fixture
def half(nodes: Pair) -> Pair:
    """The first node is down; the test before this may have left it so."""
    if nodes.down() != [nodes.access.nodes[0].name]:
        nodes.restore()
        nodes.kill(nodes.access.nodes[0].name)
    return nodes


def assert_all_accounted(ledger: Account) -> None:
    """The sums of the ledger hold, and nothing that was confirmed is missing."""
    assert ledger.complete
    assert ledger.sent == ledger.confirmed + ledger.returned + ledger.nacked + ledger.unknown
    assert ledger.sent == ledger.received + ledger.missing + ledger.left
    assert (ledger.lost, ledger.unexpected, ledger.left) == (0, 0, 0)
    assert ledger.confirmed > 0


@pytest.mark.parametrize(
    ("kill", "consume"),
    [
        (1, "get"),
        (2, "push"),
        *(
            pytest.param(kill, consume, marks=pytest.mark.installed)
            for kill, consume in ((3, "get"), (4, "push"), (5, "get"))
        ),
    ],
)
def test_a_master_killed_in_mid_case_loses_nothing_confirmed(pair, queue_case, kill, consume):
    in_turn = pair.access.model_copy(update={"nodes": pair.access.nodes[:: 1 if kill % 2 else -1]})
    target = RabbitMQMirroredPair(in_turn)
    case = queue_case(
        TARGET, client="native", consume=consume, producers=4, consumers=2, measure_s=2.5, drain_s=60
    )
    prepared = target.prepare(case, attempt=1)
    (queue,) = prepared.queues
    with live(case, prepared.queues, target.client(case.workload)) as running, ThreadPoolExecutor(1) as pool:
        running.await_traffic()
        master = pair.master(queue)
        assert master == in_turn.nodes[0].name
        killed_s = pair.kill(master)
        restarted = pool.submit(pair.restart, master)
        result = running.result()
        restarted.result()
    assert result.stages["measure"] < killed_s < result.stages["drain"], "in mid-case"
    assert result.errors["connection_lost"] > 0, "the clients were on it"
    assert_all_accounted(account([result], QueueCount(pair.target.depth(prepared.queues))))
    assert "drain_deadline" not in result.flags
    pair.target.release(prepared.queues)


def test_one_kill_after_the_other_loses_nothing_when_the_sync_is_awaited(pair, queue_case):
    """In the load the master; when it is back and in sync, in the unload, the one that took its place."""
    messages = 4000
    # a message at a time, and a millisecond for each: however fast the machine, the unload takes four seconds
    sizes = {"messages": messages, "producers": 2, "consumers": 1, "processing_ms": 1.0, "drain_s": 60}
    case = queue_case(TARGET, client="native", mode="load-unload", **sizes)
    (queue,) = queues = pair.target.prepare(case, attempt=1).queues

    def under_way(left: bool) -> bool:
        depth = pair.target.depth(queues)
        return depth < messages * 9 / 10 if left else depth > messages / 10

    with live(case, queues, pair.target.client(case.workload), hold=["unload"]) as running:
        assert eventually(lambda: under_way(left=False), PATIENCE_S)
        first = pair.master(queue)
        first_killed_s = pair.kill(first)
        running.await_gate("unload")
        loaded_s = time.time()
        pair.restart(first)
        pair.await_sync(queue)
        running.open("unload")
        assert eventually(lambda: under_way(left=True), PATIENCE_S)
        assert pair.target.depth(queues) > 0, "there is something left to lose"
        second = pair.master(queue)
        assert second != first
        pair.kill(second)
        result = running.result()
    assert result.stages["load"] < first_killed_s < loaded_s < result.stages["unload"]
    assert result.errors["connection_lost"] >= 2
    ledger = account([result], QueueCount(pair.target.depth(queues)))
    assert_all_accounted(ledger)
    assert ledger.sent == messages
    pair.target.release(queues)


def test_what_a_dead_master_had_not_read_is_missing(pair, queue_case, monkeypatch):
    """The control that must see loss: the sender is on the master, which reads nothing and then is killed.

    No confirms, or no message would have been sent after the first: so none of them is called lost.
    """
    monkeypatch.setattr(connections, "CLOSE_TIMEOUT_S", 0.5)  # a frozen node answers no close
    case = queue_case(TARGET, client="native", mode="load-unload", messages=500, confirms=False)
    (queue,) = queues = pair.target.prepare(case, attempt=1).queues
    master = pair.master(queue)
    assert master == pair.access.nodes[0].name, "where the first sender goes"
    with live(case, queues, pair.target.client(case.workload), hold=["start", "unload"]) as running:
        running.await_gate("start")
        pair.freeze(master)
        running.open("start")
        running.await_gate("unload")  # all are written
        pair.kill(master)
        running.open("unload")
        result = running.result()
    ledger = account([result], QueueCount(pair.target.depth(queues)))
    assert (ledger.sent, ledger.unknown, ledger.received, ledger.left) == (500, 500, 0, 0)
    assert (ledger.missing, ledger.lost, ledger.complete) == (500, 0, True)
    pair.target.release(queues)


def test_a_target_that_vanishes_fails_its_case_with_the_ledger_whole(
    pair, sqs_environment, monkeypatch, children, tmp_path, queue_case
):
    """A broker, the only node that its clients know, and an SQS server; each with all that may talk to it."""
    server = SqsServer(children, tmp_path)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", server.start())
    lone = pair.access.model_copy(update={"nodes": pair.access.nodes[:1]})
    with ExitStack() as stack:
        running = [
            stack.enter_context(started(queue_case, target, access, client, in_flight))
            for target, access, client, in_flight in (
                (pair.target, lone, "native", 1),
                (pair.target, lone, "pika", 1),
                (SqsStandard(), None, "native", 1),
                (SqsStandard(), None, "native", 3),
                (SqsStandard(), None, "boto3", 1),
            )
        ]
        for each in running:
            each.await_gate("start")
        for each in running:
            each.open("start")
        for each in running:
            each.await_traffic()
        gone_s = pair.kill(lone.nodes[0].name)
        server.stop()
        for each in running:
            assert_failed_whole(each, gone_s)


@contextmanager
def started(queue_case, target, access, client, in_flight) -> Iterator[LiveCase]:
    case = queue_case(target.name, client=client, in_flight=in_flight, producers=2, consumers=2, measure_s=20)
    queues = target.prepare(case, attempt=1).queues
    with live(case, queues, make_client(case.workload, access), hold=["start"]) as running:
        yield running


def test_a_queue_whose_home_is_down_returns_every_message(half, queue_case):
    """Durable and not mirrored. Confirms alone would hide it: the broker confirms what it cannot route."""
    case = queue_case(TARGET, client="native", mode="load-unload", messages=200, producers=2)
    left = half.access.model_copy(update={"nodes": half.access.nodes[1:]})
    with live(case, (HOMEBOUND,), make_client(case.workload, left)) as running:
        result = running.result()
    ledger = account([result], QueueCount(0))
    assert (ledger.sent, ledger.returned, ledger.confirmed, ledger.unknown) == (200, 200, 0, 0)
    assert (ledger.received, ledger.lost, ledger.complete) == (0, 0, True)
    half.restore()
    assert half.target.depth((HOMEBOUND,)) == 0
