"""What a run's searches find on a programmed broker prices that same run: the deployed workflow, on AWS.

The simulated AWS, the synthesized workflow and its real handlers and loaders. Behind the instances is a
cluster of which it is known what it carries, with both nodes and with one stopped.
"""

from __future__ import annotations

import pytest

from breakeven.loadgen.search.probe import best, bound
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.money.capacity_interval import interval_of
from breakeven.steps.run.price_run import kept_capacities
from breakeven.workload.case import CLEAR_S
from tests.support.money.stored_crossings import agree
from tests.support.workflow.programmed_cluster import ProgrammedMachines, programmed_cluster
from tests.support.workflow.workflow_runs import Workflow, workflow_at

#: a search that is held up by other tests finds no rate
pytestmark = [pytest.mark.installed, pytest.mark.quiet]

RUN_ID, PAIR, REGION = "priced", "rabbitmq-mirrored-pair", "us-east-1"
#: messages a second that the cluster carries, by nodes down
CEILINGS = {0: 400.0, 1: 240.0}
#: a busy host lessens what a search finds, never adds to it
LEAST, MOST = 0.3, 1.02
SUITE = f"""
suite: priced
title: What a programmed pair carries
targets: [{PAIR}]
instrument: false
warm_up: false
defaults: {{threads: 1, message_size: 64B, warmup_s: 0.2, measure_s: 1.5, drain_s: 20}}
scenarios:
  whole: {{mode: capacity, rate: 200, consume: push, prefetch: 100, window: 100, objective_ms: 200,
          confirm_s: 3}}
  one-down: {{mode: capacity, rate: 200, consume: push, prefetch: 100, window: 100, objective_ms: 200,
              nodes_down: 1, threads: 2, loaders: 2}}
"""


@pytest.fixture(scope="module")
def workflow(assembly, sqs_endpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("priced")
    with programmed_cluster(CEILINGS) as cluster:
        machines = ProgrammedMachines(cluster)
        with workflow_at(assembly, cluster.access, sqs_endpoint, folder, machines=machines) as made:
            yield made


@pytest.fixture(scope="module")
def report(workflow: Workflow) -> Report:
    """Of the run, which has ended well."""
    return workflow.report_of(RUN_ID, SUITE)


def case_with(report: Report, nodes_down: int) -> CaseReport:
    (case,) = [case for case in report.cases if case.parameters.get("nodes_down", 0) == nodes_down]
    return case


@pytest.mark.parametrize("nodes_down", CEILINGS)
def test_a_search_finds_what_the_broker_carries_with_a_node_down_and_with_none(report, nodes_down):
    case = case_with(report, nodes_down)
    held, failed = best(case.probes), bound(case.probes)
    assert held is not None
    assert failed is not None
    assert LEAST * CEILINGS[nodes_down] <= held.rate <= MOST * CEILINGS[nodes_down]
    assert case.ledger
    assert (case.ledger.lost, case.ledger.left) == (0, 0)


def test_the_loaders_of_a_search_are_processes_that_each_have_their_share(workflow, report):
    case = case_with(report, nodes_down=1)
    held = best(case.probes)
    assert held is not None
    own, stage = case.loaders, f"probe-{held.number}"
    parts = zip(own.loader, own.stage, own.offered, strict=True)
    shares = {loader: offered for loader, of, offered in parts if of == stage}
    assert set(shares) == {0, 1}
    assert sum(shares.values()) == held.offered
    assert shares[0] == pytest.approx(shares[1], abs=2)


def test_the_report_tells_what_was_held_again_and_for_how_long(report):
    case = case_with(report, nodes_down=0)
    again = [probe for probe in case.probes if probe.confirms]
    assert again
    assert {probe.for_s for probe in again} == {3}
    tries: dict[float, list[float]] = {}
    for probe in case.probes:
        if not probe.confirms:
            tries.setdefault(probe.rate, []).append(probe.for_s)
    assert {first for first, *_ in tries.values()} == {1.5}
    # what it left open, as on a busy host, was asked again for longer
    assert {for_s for _, *later in tries.values() for for_s in later} <= {1.5, CLEAR_S}
    assert case.confirmed_s == (3 if again[-1].held else None)


def test_the_crossings_of_its_report_are_the_brute_forces_with_that_capacity(workflow, report):
    case = case_with(report, nodes_down=1)
    interval = interval_of([case])
    found = report.cost_questions[0]
    assert found.question_id == REGION
    assert found.inputs["capacity_msg_per_s"] == case.held_rate == interval.low
    assert found.inputs["capacity_high_msg_per_s"] == interval.high
    assert "with one node down, measured in this run" in found.capacity
    ends = (interval.low, interval.high if interval.high else interval.low)
    assert agree(workflow.store(), RUN_ID, report, REGION, (interval.low, *ends)) > 1


def test_both_capacities_are_kept_for_later_runs(workflow, report):
    kept = {one.nodes_down: one for one in kept_capacities(workflow.store())}
    assert {down: one.msg_per_s for down, one in kept.items()} == {
        down: case_with(report, down).held_rate for down in CEILINGS
    }
    assert {one.run_id for one in kept.values()} == {RUN_ID}
    assert {one.release for one in kept.values()} == {"RabbitMQ 3.10.8, Erlang 25.2.3"}
