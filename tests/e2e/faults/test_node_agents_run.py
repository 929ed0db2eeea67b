"""A run on the simulated AWS whose nodes have their agents: faults and samples by way of the bucket alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from breakeven.agent import order_agent
from breakeven.brokers.access import Access
from breakeven.report.contract.report_model import Report
from breakeven.steps.case.host_samples import HOST
from breakeven.targets.catalog import TRIO
from tests.support.loaders.real_nodes import some_nodes
from tests.support.workflow.node_agents import MachinesWithAgents, nodes_have_their_role
from tests.support.workflow.workflow_runs import Workflow, workflow_at

pytestmark = pytest.mark.installed

RUN_ID = "agents"
SUITE = f"""
suite: agents
title: Nodes with their agents
targets: [{TRIO}]
instrument: false
warm_up: false
defaults: {{threads: 2, rate: 100, warmup_s: 1, measure_s: 14, drain_s: 60, message_size: 1KiB}}
scenarios:
  killed: {{faults: [{{at_s: 4, kind: kill, node: leader, for_s: 2}}]}}
  rolled: {{measure_s: 60, faults: [{{at_s: 4, kind: rolling-restart, for_s: 1}}]}}
"""


@pytest.fixture(scope="module")
def machines(children, tmp_path_factory) -> Iterator[MachinesWithAgents]:
    credentials = Access(username="breakeven-agents", password="-the_ninth~1")
    with (
        some_nodes(children, tmp_path_factory.mktemp("nodes"), credentials, 3, TRIO) as cluster,
        pytest.MonkeyPatch.context() as patch,
    ):
        made = MachinesWithAgents(cluster)
        # a busy machine may find an order seconds after it was given
        patch.setattr(order_agent, "LATE_S", 20.0)
        yield made
        made.end()


@pytest.fixture(scope="module")
def workflow(assembly, sqs_endpoint, machines, tmp_path_factory) -> Iterator[Workflow]:
    folder = tmp_path_factory.mktemp("agents")
    with (
        nodes_have_their_role(),
        workflow_at(assembly, machines.access, sqs_endpoint, folder, machines=machines) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def report(workflow: Workflow) -> Report:
    return workflow.report_of(RUN_ID, SUITE)


def test_each_agent_carries_out_the_orders_of_its_node_and_nothing_is_lost(report, machines) -> None:
    assert machines.failures == []
    kinds = {fault.kind: [] for fault in report.faults}
    for fault in report.faults:
        assert (fault.error, fault.expected_loss, fault.held) == (None, "none", True), fault
        assert fault.back_s > fault.done_s
        kinds[fault.kind].append(fault.node)
    names = [node.name for node in machines.access.nodes]
    assert sorted(kinds["rolling-restart"]) == names  # each once, from the node of the queue's leader on
    assert kinds["kill"][0] in names
    for case in report.cases:
        assert (case.environment, case.ledger.lost, case.ledger.left) == ("aws", 0, 0)


def test_the_samples_that_agents_leave_are_in_the_rows_of_their_seconds(workflow, report, machines) -> None:
    for case in report.cases:
        rows = workflow.store().rows("nodes", RUN_ID, case.case_id)
        taken = {row["node"] for row in rows if row["taken"] == HOST and row["cpu_cores"] is not None}
        assert taken == {node.name for node in machines.access.nodes}
