"""Faults of the nodes of a mirrored pair in mid-case, with the reference client."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from breakeven.targets.target import open_target
from breakeven.workload.node_faults import NodeFault
from local.servers.brokers import BrokerCluster
from tests.support.loaders.fault_lane import (
    BACKLOG,
    COMMAND_LATEST_S,
    Lane,
    assert_carried_out,
    assert_none_lost,
    assert_only_consumed,
    assert_rolled,
    case_with_faults,
    fault_lane,
    measured_at,
)
from tests.support.loaders.real_nodes import made_whole

TARGET = "rabbitmq-mirrored-pair"


@pytest.fixture
def cluster(rabbitmq_two) -> BrokerCluster:
    open_target(TARGET, made_whole(rabbitmq_two).access).establish()
    return rabbitmq_two


@pytest.fixture
def lane(cluster, monkeypatch) -> Iterator[Lane]:
    with fault_lane(monkeypatch, TARGET, cluster) as made:
        yield made


@pytest.fixture
def faulty_case(queue_case):
    return partial(case_with_faults, queue_case, TARGET, client="pika")


@pytest.mark.installed
def test_a_pair_that_parts_is_one_again_and_every_message_is_accounted_for(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="partition", node="leader", for_s=4), measure_s=10)
    lane.prepare(case)
    (row,), ledger = lane.run(case)
    assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert ledger["sent"] == ledger["received"] + ledger["missing"] + ledger["left_in_queue"]
    assert ledger["confirmed"] > 0


@pytest.mark.installed
def test_a_rolling_restart_takes_one_node_after_the_other_and_loses_nothing(lane, faulty_case):
    case = faulty_case(NodeFault(at_s=2, kind="rolling-restart", for_s=1), measure_s=60)
    lane.prepare(case)
    assert_rolled(lane, case, *lane.run(case))


@pytest.mark.thorough
def test_alarms_block_publishers_alone_and_lose_nothing(lane, faulty_case):
    case = faulty_case(
        NodeFault(at_s=1, kind="disk-alarm", node="leader", for_s=4),
        NodeFault(at_s=6, kind="memory-alarm", node="other", for_s=4),
        measure_s=11,
        **BACKLOG,
    )
    lane.prepare(case)
    rows, ledger = lane.run(case)
    for row in rows:
        assert_carried_out(row, measured_at(lane, case), COMMAND_LATEST_S)
    assert_none_lost(ledger)
    assert_only_consumed(lane, case, rows)
