"""Mirrored queues with a number of copies on three real nodes, of which one is stopped or killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pika
import pytest

from breakeven.errors import CaseError
from breakeven.pricing.cluster_form import ClusterForm
from breakeven.pricing.cluster_traffic import MIRROR_BYTES, hop_share, hops, replicated
from breakeven.targets.catalog import PAIR
from breakeven.targets.rabbitmq import rabbitmq_channel
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import definition_of, policy_of
from breakeven.targets.target import open_target
from local.servers.brokers import BrokerCluster
from tests.support.loaders.messages import PATIENCE_S
from tests.support.loaders.node_traffic import SMALL, beside_bodies, deliveries, sends_a_message
from tests.support.loaders.real_nodes import made_whole, some_nodes
from tests.support.servers import CREDENTIALS
from tests.support.workflow.processes import eventually

DURABLE = pika.BasicProperties(delivery_mode=2)


@pytest.fixture(scope="module")
def three_nodes(children, tmp_path_factory) -> Iterator[BrokerCluster]:
    with some_nodes(children, tmp_path_factory.mktemp("three"), CREDENTIALS, 3, PAIR) as nodes:
        yield nodes


@pytest.fixture
def cluster(three_nodes):
    return made_whole(three_nodes)


@pytest.fixture
def target(cluster):
    opened = open_target(PAIR, cluster.access)
    opened.establish()
    yield opened
    opened.dismantle()


def copies_of(cluster: BrokerCluster, queue: str) -> set[str]:
    """The nodes that a queue is on, its master's among them; a mirror counts where it is in sync."""
    view = Management(cluster.access).queue(queue)
    return {view.get("node", ""), *view.get("synchronised_slave_nodes", ())}


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_a_queue_is_on_as_many_nodes_as_its_case_says(target, cluster, queue_case, copies):
    names = [node.name for node in cluster.access.nodes]
    every = target.prepare(queue_case(PAIR), attempt=1)
    case = queue_case(PAIR, queues=3, producers=3, consumers=3, group_size=copies)
    prepared = target.prepare(case, attempt=1)
    assert prepared.mirrors == dict.fromkeys(prepared.queues, copies - 1)
    views = [Management(cluster.access).queue(queue) for queue in prepared.queues]
    assert [view["node"] for view in views] == names, "masters are spread, however many mirrors there are"
    assert [len(view["slave_nodes"]) for view in views] == [copies - 1] * 3
    assert Management(cluster.access).policy(policy_of(copies))["definition"] == definition_of(copies)
    assert every.mirrors == dict.fromkeys(every.queues, 2), "a case that says nothing beside it has all nodes"
    assert (target.lacking(), target.problem((*every.queues, *prepared.queues))) == (None, None)
    assert target.prepare(case, attempt=1) == prepared, "once more, as a run that goes on would"
    target.release((*every.queues, *prepared.queues))


def test_with_a_node_down_as_many_copies_are_made_on_the_others(target, cluster, queue_case):
    last = cluster.access.nodes[-1].name
    cluster.shut_down(last)
    left = open_target(PAIR, cluster.access, nodes_down=1)
    try:
        for copies in (2, 3):
            prepared = left.prepare(queue_case(PAIR, nodes_down=1, group_size=copies), attempt=1)
            assert prepared.mirrors == dict.fromkeys(prepared.queues, 1), "both nodes that are left"
            assert all(last not in copies_of(cluster, queue) for queue in prepared.queues)
            left.release(prepared.queues)
    finally:
        cluster.restart(last)
    assert eventually(lambda: target.lacking() is None, PATIENCE_S)


@pytest.mark.parametrize("lost", ["leader", pytest.param("other", marks=pytest.mark.thorough)])
def test_of_a_copy_that_is_lost_in_mid_case_another_is_made_and_nothing_confirmed_is_gone(
    target, cluster, queue_case, lost
):
    (queue,) = queues = target.prepare(queue_case(PAIR, group_size=2), attempt=1).queues
    with open_channel(cluster.access, cluster.access.nodes) as channel:
        channel.confirm_delivery()
        for _ in range(100):
            channel.basic_publish("", queue, b"confirmed", DURABLE, mandatory=True)
    had = copies_of(cluster, queue)
    gone = target.node_for(lost, queue)
    assert gone in had
    cluster.signal(gone, signal.SIGKILL)
    names = {node.name for node in cluster.access.nodes}
    assert eventually(lambda: copies_of(cluster, queue) == names - {gone}, PATIENCE_S), "on the third node"
    assert target.in_sync(queues)
    assert target.lacking() is not None, "the cluster is not whole, though the queue is"
    cluster.restart(gone)
    assert eventually(lambda: target.problem(queues) is None, PATIENCE_S)
    assert copies_of(cluster, queue) == names - {gone}, "the node that is back has none: there are two"
    assert target.depth(queues) == 100
    target.release(queues)


def test_a_queue_without_a_mirror_comes_back_with_its_node(target, cluster, queue_case):
    (queue,) = queues = target.prepare(queue_case(PAIR, group_size=1), attempt=1).queues
    with open_channel(cluster.access, cluster.access.nodes) as channel:
        channel.confirm_delivery()
        channel.basic_publish("", queue, b"confirmed", DURABLE, mandatory=True)
    master = target.node_for("leader", queue)
    assert copies_of(cluster, queue) == {master}
    cluster.signal(master, signal.SIGKILL)
    cluster.restart(master)
    assert eventually(lambda: target.problem(queues) is None, PATIENCE_S)
    assert eventually(lambda: target.depth(queues) == 1, PATIENCE_S)
    target.release(queues)


@pytest.mark.parametrize("copies", [None, 2])
def test_a_policy_of_others_that_has_its_way_fails_the_case(target, cluster, queue_case, copies):
    management = Management(cluster.access)
    management.set_policy("of-others", "^be-", {"ha-mode": "all"}, priority=10)
    try:
        with pytest.raises(CaseError, match="would follow the policy 'of-others', which another"):
            target.prepare(queue_case(PAIR, group_size=copies), attempt=1)
    finally:
        management.delete_policy("of-others")
    assert eventually(lambda: target.lacking() is None, PATIENCE_S), "no queue of it is left"


def test_a_queue_that_does_not_answer_keeps_nobody_for_ever(target, cluster, queue_case, monkeypatch):
    """Its broker goes on and sends heartbeats: there is nothing else that would end the wait."""
    monkeypatch.setattr(rabbitmq_channel, "MOST_S", 2.0)
    (queue,) = target.prepare(queue_case(PAIR, group_size=1), attempt=1).queues
    found = f'{{ok, Q}} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"{queue}">>))'
    master = target.node_for("leader", queue)
    cluster.evaluate(master, f"{found}, sys:suspend(amqqueue:get_pid(Q)).", PATIENCE_S)
    try:
        with pytest.raises(CaseError, match="no answer within 2 s"):
            target.depth((queue,))
    finally:
        cluster.evaluate(master, f"{found}, sys:resume(amqqueue:get_pid(Q)).", PATIENCE_S)
    assert target.depth((queue,)) == 0
    target.release((queue,))


def test_dismantling_takes_the_policies_away(target, cluster, queue_case):
    target.release(target.prepare(queue_case(PAIR, group_size=2), attempt=1).queues)
    target.dismantle()
    with pytest.raises(ManagementError) as caught:
        Management(cluster.access).policy(policy_of(2))
    assert caught.value.status == 404


@pytest.mark.parametrize("copies", [pytest.param(2, marks=pytest.mark.thorough), 3])
def test_nodes_send_each_message_as_often_as_is_priced(target, cluster, queue_case, copies):
    (queue,) = target.prepare(queue_case(PAIR, group_size=copies), attempt=1).queues
    form = ClusterForm(deployment="pair", cluster_nodes=3, group_size=copies)
    hop = hop_share(form.nodes, None)
    assert sends_a_message(cluster, queue) == pytest.approx(replicated(form, hop) + hop, rel=0.1)
    found = deliveries(cluster, queue)
    assert sum(found.values()) / len(found) == pytest.approx(hops(form, hop) - hop, rel=0.1)


def test_what_goes_beside_a_body_is_about_what_is_priced(target, cluster, queue_case):
    (queue,) = target.prepare(queue_case(PAIR, group_size=2), attempt=1).queues
    master, sends = Management(cluster.access).queue(queue)["node"], 2 + 1
    beside = beside_bodies(cluster, queue, master) - sends * SMALL
    # more where a busy machine makes batches smaller
    assert 0.7 * MIRROR_BYTES < beside / sends < 3 * MIRROR_BYTES
