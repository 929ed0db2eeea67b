"""The quorum trio as a target: real queues with members on three real nodes, one of which is killed."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from breakeven.clients.connections import LOADER_CONNECTION
from breakeven.errors import CaseError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import account
from breakeven.pricing.cluster_form import ClusterForm
from breakeven.pricing.cluster_traffic import MEMBER_BYTES, hop_share, hops, replicated
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.target import open_target
from local.servers.broker_releases import PrivateRoot, release_of
from local.servers.brokers import BrokerCluster
from tests.support.loaders.live_case import PATIENCE_S, live
from tests.support.loaders.node_traffic import SMALL, beside_bodies, deliveries, sends_a_message
from tests.support.loaders.real_nodes import made_whole
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-quorum-trio"


@pytest.fixture
def cluster(rabbitmq_trio):
    """On 4.x where this machine has it, also in a private root."""
    return made_whole(rabbitmq_trio)


@pytest.fixture
def target(cluster):
    opened = open_target(TARGET, cluster.access)
    opened.establish()
    return opened


def views(cluster: BrokerCluster, queues: tuple[str, ...]) -> list[dict[str, object]]:
    return [Management(cluster.access).queue(queue) for queue in queues]


def test_the_manifest_has_what_quorum_queues_depend_on(target):
    said = target.establish()
    release = release_of(TARGET)
    assert said.server.startswith(f"RabbitMQ {release.version}")
    old = release.version.startswith("3.")
    assert not (old and isinstance(release, PrivateRoot)), "a root has 4.x"
    assert said.parameters["nodes"] == 3
    assert said.parameters["delivery_limit"] == ("none" if old else 20)
    assert said.parameters["quorum_commands_soft_limit"] == 32


@pytest.mark.parametrize(("leaders", "on"), [("spread", [0, 1, 2, 0]), ("one", [0, 0, 0, 0])])
def test_every_queue_has_three_members_and_its_leader_where_the_case_says(
    target, cluster, queue_case, leaders, on
):
    case = queue_case(TARGET, queues=4, producers=4, consumers=4, leaders=leaders, group_size=3)
    prepared = target.prepare(case, attempt=1)
    names = [node.name for node in cluster.access.nodes]
    found = views(cluster, prepared.queues)
    assert [view["type"] for view in found] == ["quorum"] * 4
    assert [view["leader"] for view in found] == [names[index] for index in on]
    assert all(sorted(view["members"]) == sorted(view["online"]) == sorted(names) for view in found)
    assert prepared.mirrors == dict.fromkeys(prepared.queues, 2)
    assert (target.lacking(), target.problem(prepared.queues)) == (None, None)
    target.release(prepared.queues)


@pytest.mark.parametrize("client", ["native", "pika"])
@pytest.mark.parametrize(("connect_to", "on_leader"), [("leader", {True}), ("other", {False})])
def test_clients_connect_where_the_case_says(target, cluster, queue_case, client, connect_to, on_leader):
    fields = {"queues": 3, "producers": 3, "consumers": 3, "group_size": 3, "client": client}
    case = queue_case(TARGET, connect_to=connect_to, **fields)
    queues = target.prepare(case, attempt=1).queues
    leaders = {str(view["leader"]) for view in views(cluster, queues)}
    assert len(leaders) == 3
    found = set()
    for queue, view in zip(queues, views(cluster, queues), strict=True):
        opened = target.client(case.workload)
        opened.sender(queue), opened.receiver(queue)
        assert eventually(lambda: len(nodes_with_loaders(cluster)) == 2)
        found |= {node == view["leader"] for node in nodes_with_loaders(cluster)}
        opened.close()
        assert eventually(lambda: not nodes_with_loaders(cluster))
    assert found == on_leader
    target.release(queues)


def nodes_with_loaders(cluster: BrokerCluster) -> list[str]:
    connections = Management(cluster.access).connections()
    return [one.node for one in connections if (one.name or "").startswith(LOADER_CONNECTION)]


def test_a_mirrored_pair_cannot_run_on_a_release_without_mirroring(cluster, monkeypatch):
    def overview(_: Management) -> dict[str, str]:
        return {"rabbitmq_version": "4.0.5", "erlang_version": "27.3.4"}

    monkeypatch.setattr(Management, "overview", overview)
    with pytest.raises(CaseError) as caught:
        open_target("rabbitmq-mirrored-pair", cluster.access).establish()
    assert str(caught.value) == (
        "rabbitmq-mirrored-pair: RabbitMQ 4.0.5 has no mirrored queues, which left it in 4.0: run it on 3.x, "
        "or rabbitmq-quorum-trio in its place"
    )


def test_with_one_node_down_queues_keep_their_majority(target, cluster, queue_case):
    case = queue_case(TARGET, client="native", producers=2, consumers=2, nodes_down=1, group_size=3)
    last = cluster.access.nodes[-1].name
    cluster.shut_down(last)
    two = open_target(TARGET, cluster.access, nodes_down=1)
    try:
        prepared = two.prepare(case, attempt=1)
        assert prepared.mirrors == dict.fromkeys(prepared.queues, 1)
        with live(case, prepared.queues, two.client(case.workload)) as running:
            result = running.result()
        ledger = account([result], QueueCount(two.depth(prepared.queues)))
        assert ledger.complete
        assert (ledger.lost, ledger.missing, ledger.confirmed > 0) == (0, 0, True)
        assert str(target.lacking()).startswith(f"{last} is not running")
        two.release(prepared.queues)
    finally:
        cluster.restart(last)
    assert eventually(lambda: target.lacking() is None, PATIENCE_S)


#: five kills in all: two in `npm test`, three in `npm run test:thorough`
KILLS = (
    "get",
    "push",
    *(pytest.param("push", marks=pytest.mark.thorough, id=f"push-again-{n}") for n in range(3)),
)


@pytest.mark.parametrize("consume", KILLS)
def test_a_leader_killed_in_mid_case_loses_nothing_confirmed(target, cluster, queue_case, consume):
    sizes = {"producers": 4, "consumers": 2, "measure_s": 2.5, "drain_s": 60, "group_size": 3}
    case = queue_case(TARGET, client="native", consume=consume, **sizes)
    (queue,) = queues = target.prepare(case, attempt=1).queues
    (leader,) = {str(view["leader"]) for view in views(cluster, queues)}
    with live(case, queues, target.client(case.workload)) as running, ThreadPoolExecutor(1) as pool:
        running.await_traffic()
        killed_s = time.time()
        cluster.signal(leader, signal.SIGKILL)
        restarted = pool.submit(cluster.restart, leader)
        result = running.result()
        restarted.result()
    assert result.stages["measure"] < killed_s < result.stages["drain"], "in mid-case"
    assert result.errors["connection_lost"] > 0, "clients were on it"
    ledger = account([result], QueueCount(target.depth(queues)))
    assert ledger.sent == ledger.confirmed + ledger.returned + ledger.nacked + ledger.unknown
    assert ledger.sent == ledger.received + ledger.missing + ledger.left
    assert (ledger.lost, ledger.left, ledger.unexpected, ledger.complete) == (0, 0, 0, True)
    assert ledger.confirmed > 0
    assert eventually(lambda: target.problem((queue,)) is None, PATIENCE_S), "the member is back"
    target.release(queues)


def test_nodes_send_each_message_as_often_as_is_priced(target, cluster, queue_case):
    (queue,) = target.prepare(queue_case(TARGET, group_size=3), attempt=1).queues
    form = ClusterForm(deployment="trio")
    hop = hop_share(form.nodes, None)
    assert sends_a_message(cluster, queue) == pytest.approx(replicated(form, hop) + hop, rel=0.1)
    assert hops(form, hop) == hop
    assert deliveries(cluster, queue) == pytest.approx(
        dict.fromkeys((node.name for node in cluster.access.nodes), 0), abs=0.1
    )


def test_what_goes_beside_a_body_is_about_what_is_priced(target, cluster, queue_case):
    (queue,) = target.prepare(queue_case(TARGET, group_size=3), attempt=1).queues
    leader = Management(cluster.access).queue(queue)["leader"]
    beside = beside_bodies(cluster, queue, leader) - 2 * SMALL
    # more where a busy machine makes batches smaller
    assert 0.7 * MEMBER_BYTES < beside / 2 < 3 * MEMBER_BYTES
