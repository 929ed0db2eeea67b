"""The mirrored pair as a target: real queues, mirrored for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.brokers.access import Node
from breakeven.errors import CaseError
from breakeven.targets.rabbitmq.rabbitmq_channel import open_channel
from breakeven.targets.rabbitmq.rabbitmq_management import Management, ManagementError
from breakeven.targets.rabbitmq.rabbitmq_mirrored_pair import POLICY, RabbitMQMirroredPair
from breakeven.targets.target import open_target, queue_names
from tests.support.loaders.messages import PATIENCE_S
from tests.support.workflow.processes import eventually

TARGET = "rabbitmq-mirrored-pair"


@pytest.fixture
def management(rabbitmq_pair):
    return Management(rabbitmq_pair)


@pytest.fixture
def target(rabbitmq_pair):
    opened = open_target(TARGET, rabbitmq_pair)
    yield opened
    opened.dismantle()


@pytest.fixture
def prepared(target, queue_case):
    target.establish()
    found = target.prepare(queue_case(TARGET, queues=3), attempt=1)
    yield found
    target.release(found.queues)


def test_establishing_puts_the_policy_in_place_and_tells_it(target, management):
    description = target.establish()
    policy = management.policy(POLICY)
    expected = {
        "ha-mode": "all",
        "ha-sync-mode": "automatic",
        "ha-promote-on-failure": "when-synced",
        "ha-promote-on-shutdown": "when-synced",
    }
    assert policy["definition"] == expected
    assert policy["pattern"] == "^be-"
    assert policy["apply-to"] == "queues"
    assert description.parameters == {
        **expected,
        "nodes": 2,
        "net_ticktime": 60,
        "cluster_partition_handling": "ignore",
    }
    assert description.provenance == "measured"
    assert description.server.startswith("RabbitMQ 3.")
    assert ", Erlang 2" in description.server
    assert target.establish() == description


def test_brokers_of_others_leave_settings_unknown(target, management):
    note = management.global_parameter("breakeven")
    management._ask("DELETE", "/api/global-parameters/breakeven")
    try:
        assert target.establish().parameters["net_ticktime"] == "not known"
    finally:
        management.set_global_parameter("breakeven", note)


def test_dismantling_takes_the_policy_away(target, management):
    target.establish()
    target.dismantle()
    target.dismantle()
    with pytest.raises(ManagementError) as caught:
        management.policy(POLICY)
    assert caught.value.status == 404


def test_every_queue_is_durable_mirrored_and_in_turn_on_both_nodes(prepared, management, rabbitmq_pair):
    assert prepared.mirrors == dict.fromkeys(prepared.queues, 1)
    views = [management.queue(queue) for queue in prepared.queues]
    assert all(view["durable"] for view in views)
    first, second = (node.name for node in rabbitmq_pair.nodes)
    assert [view["node"] for view in views] == [first, second, first]
    assert [view["synchronised_slave_nodes"] for view in views] == [[second], [first], [second]]


def test_preparing_again_gives_empty_queues(target, queue_case, rabbitmq_pair):
    target.establish()
    case = queue_case(TARGET)
    first = target.prepare(case, attempt=1)
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        channel.basic_publish("", first.queues[0], b"left over")
    assert eventually(lambda: target.depth(first.queues) == 1)
    assert target.prepare(case, attempt=1) == first
    assert target.depth(first.queues) == 0
    target.release(first.queues)


def test_without_its_mirror_a_queue_is_not_ready(target, queue_case, monkeypatch):
    monkeypatch.setattr("breakeven.targets.rabbitmq.rabbitmq_target.IN_SYNC_DEADLINE_S", 0.3)
    case = queue_case(TARGET, queues=2)
    names = queue_names(case, 1)
    with pytest.raises(CaseError, match=f"no synchronised mirror of {names[0]}, {names[1]} after"):
        target.prepare(case, attempt=1)
    assert target.mirrors(names) == dict.fromkeys(names, 0)
    target.release(names)


def test_a_node_that_was_to_be_down_and_runs_is_reported(rabbitmq_pair, queue_case, monkeypatch):
    monkeypatch.setattr("breakeven.targets.rabbitmq.rabbitmq_target.HEALTHY_DEADLINE_S", 0.1)
    half = open_target(TARGET, rabbitmq_pair, nodes_down=1)
    with pytest.raises(CaseError, match=f"{rabbitmq_pair.nodes[1].name} runs and should be stopped"):
        half.prepare(queue_case(TARGET, nodes_down=1), attempt=1)


def test_the_pair_is_whole_when_every_queue_of_ours_has_its_mirror(target, queue_case, rabbitmq_pair):
    target.establish()
    queues = target.prepare(queue_case(TARGET, queues=2), attempt=1).queues
    assert eventually(lambda: target.lacking() is None)
    target.dismantle()  # without the policy there are no mirrors
    assert eventually(lambda: target.lacking() == f"no synchronised mirror of {', '.join(sorted(queues))}")
    target.release(queues)
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        channel.queue_declare("of-others", durable=True)
        assert target.lacking() is None, "what is not ours may be as it likes"
        channel.queue_delete("of-others")
    nobody = Node(name="nobody", host="127.0.0.1", amqp_port=1, management_port=1)
    unreachable = RabbitMQMirroredPair(rabbitmq_pair.model_copy(update={"nodes": (nobody,)}))
    assert "no management API answers" in str(unreachable.lacking())


def test_depth_is_right_once_the_loaders_have_closed(target, prepared, queue_case, closing):
    client = closing(target.client(queue_case(TARGET, consume="push", prefetch=7).workload))
    senders = [client.sender(queue) for queue in prepared.queues]
    for sender in senders:
        sender.submit(range(20), [b"x" * 16] * 20)
    for sender in senders:
        answered = 0
        while answered < 20:
            answered += len(sender.poll(PATIENCE_S).sequence)
    assert target.depth(prepared.queues) == 60
    receiver = client.receiver(prepared.queues[0])
    assert eventually(lambda: receiver.receive(1.0).handle)
    assert eventually(lambda: target.depth(prepared.queues) == 60), "in flight is counted, a little late"
    client.close()
    assert target.left(prepared.queues) == 60, "what a loader held as it closed is counted once"


def test_connections_of_others_are_not_loaders(target, prepared, rabbitmq_pair, management):
    with open_channel(rabbitmq_pair, rabbitmq_pair.nodes) as channel:
        channel.basic_publish("", prepared.queues[0], b"in flight")
        assert eventually(lambda: channel.basic_get(prepared.queues[0])[0])
        # once its name is known, or has not been for long
        assert eventually(lambda: target.depth(prepared.queues) == 0), (
            "what a stranger holds is not asked for"
        )


def test_each_node_tells_its_memory_and_disk(target, rabbitmq_pair):
    assert eventually(lambda: all(sample.memory_bytes and sample.process for sample in target.samples()))
    samples = target.samples()
    assert [sample.node for sample in samples] == [node.name for node in rabbitmq_pair.nodes]
    for sample in samples:
        assert sample.memory_limit_bytes > sample.memory_bytes > 10_000_000
        assert sample.disk_free_bytes > 0
        assert sample.file_descriptors > 0
        assert sample.alarms == ""
        assert Path(f"/proc/{sample.process.pid}/comm").read_text().startswith(sample.process.program)


def test_released_queues_are_gone_and_may_be_released_again(target, queue_case):
    target.establish()
    queues = target.prepare(queue_case(TARGET), attempt=1).queues
    target.release(queues)
    target.release(queues)
    with pytest.raises(CaseError, match="NOT_FOUND"):
        target.depth(queues)
    with pytest.raises(CaseError, match="404"):
        target.mirrors(queues)


def test_a_cluster_of_one_is_not_healthy(rabbitmq_pair, monkeypatch):
    monkeypatch.setattr("breakeven.targets.rabbitmq.rabbitmq_target.HEALTHY_DEADLINE_S", 0.1)
    nobody = Node(name="nobody", host="127.0.0.1", amqp_port=1, management_port=1)
    access = rabbitmq_pair.model_copy(update={"nodes": (rabbitmq_pair.nodes[0], nobody)})
    with pytest.raises(CaseError, match=r"no management API answers: 127\.0\.0\.1:1:"):
        RabbitMQMirroredPair(access).establish()


def test_a_node_that_is_down_is_passed_over(rabbitmq_pair, target, prepared):
    nobody = Node(name="nobody", host="127.0.0.1", amqp_port=1, management_port=1)
    access = rabbitmq_pair.model_copy(update={"nodes": (nobody, rabbitmq_pair.nodes[1])})
    half = RabbitMQMirroredPair(access)
    assert half.depth(prepared.queues) == 0
    assert half.mirrors(prepared.queues) == prepared.mirrors
    unreachable = RabbitMQMirroredPair(rabbitmq_pair.model_copy(update={"nodes": (nobody,)}))
    with pytest.raises(CaseError, match=r"no node takes AMQP connections: 127\.0\.0\.1:1:"):
        unreachable.depth(prepared.queues)
