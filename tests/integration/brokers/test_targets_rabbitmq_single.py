"""The single node as a target: a real one, which is killed; what was not on its disk is gone, and counted."""

from __future__ import annotations

import signal
import time

import pytest

from breakeven.errors import CaseError
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.reconciliation import Account, account
from breakeven.targets.rabbitmq.rabbitmq_management import Management
from breakeven.targets.target import open_target
from tests.support.loaders.live_case import live
from tests.support.loaders.real_nodes import made_whole

TARGET = "rabbitmq-single"
#: a broker that keeps its queues in Mnesia writes that it has one up to two seconds late, as the log of that
#: (`disk_log`) is buffered for so long: killed before, it comes back without the queue. Seconds
WRITTEN_S = 3.0


@pytest.fixture
def node(rabbitmq_node):
    return made_whole(rabbitmq_node)


def test_its_queues_are_durable_and_classic_and_have_no_copies(node, queue_case):
    target = open_target(TARGET, node.access)
    assert target.establish().parameters["nodes"] == 1
    prepared = target.prepare(queue_case(TARGET, queues=2, producers=2, consumers=2), attempt=1)
    assert prepared.mirrors is None
    views = [Management(node.access).queue(queue) for queue in prepared.queues]
    assert [(view["durable"], view["type"]) for view in views] == [(True, "classic")] * 2
    assert (target.lacking(), target.problem(prepared.queues)) == (None, None)
    target.release(prepared.queues)


def test_its_queues_are_lazy_where_the_case_says(node, queue_case):
    target = open_target(TARGET, node.access)
    target.establish()
    for mode, said in (("lazy", "lazy"), ("default", None)):
        (queue,) = target.prepare(queue_case(TARGET, queue_mode=mode), attempt=1).queues
        assert Management(node.access).queue(queue)["arguments"].get("x-queue-mode") == said
        target.release((queue,))


def test_lazy_queues_are_refused_where_they_have_no_effect(node, queue_case, monkeypatch):
    target = open_target(TARGET, node.access)
    monkeypatch.setattr(Management, "overview", lambda _: {"rabbitmq_version": "3.12.0"})
    with pytest.raises(
        CaseError, match=r"queue_mode lazy has no effect on RabbitMQ 3.12.0, which ignores it"
    ):
        target.prepare(queue_case(TARGET, queue_mode="lazy"), attempt=1)


def killed_when_loaded(node, queue_case, persistent: bool) -> Account:
    """The ledger of 300 confirmed messages, whose node is killed once all of them are queued."""
    target = open_target(TARGET, node.access)
    target.establish()
    case = queue_case(
        TARGET, client="native", mode="load-unload", messages=300, persistent=persistent, drain_s=2
    )
    queues = target.prepare(case, attempt=1).queues
    with live(case, queues, target.client(case.workload), hold=["unload"]) as running:
        running.await_gate("unload")
        (name,) = (each.name for each in node.access.nodes)
        time.sleep(WRITTEN_S)
        node.signal(name, signal.SIGKILL)
        node.restart(name)
        running.open("unload")
        result = running.result()
    ledger = account([result], QueueCount(target.depth(queues)))
    target.release(queues)
    return ledger


@pytest.mark.parametrize(("persistent", "lost"), [(False, 300), (True, 0)])
def test_a_killed_node_loses_what_was_not_persistent_and_the_ledger_tells(node, queue_case, persistent, lost):
    ledger = killed_when_loaded(node, queue_case, persistent)
    assert (ledger.sent, ledger.confirmed) == (300, 300)
    assert (ledger.lost, ledger.received, ledger.unexpected) == (lost, 300 - lost, 0)
