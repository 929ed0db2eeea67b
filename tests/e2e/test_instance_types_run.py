"""A suite that needs EC2, on the simulated AWS: its sizes as lanes, and the boards of its report.

Behind the instances is a programmed cluster, as large as any size: what the run shows is that each size is
launched, measured and priced as what it is, and not what a larger machine carries.
"""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.boards.size_scaling import scaling_boards
from breakeven.report.contract.report_model import Report
from breakeven.workload.read import parse_suite, parse_yaml, scenarios
from tests.support.workflow.programmed_cluster import ProgrammedMachines, programmed_cluster
from tests.support.workflow.workflow_runs import workflow_at

pytestmark = pytest.mark.installed

RUN_ID, PAIR = "sizes", "rabbitmq-mirrored-pair"
#: of the suite, the type of today in the place of the source's, and its vCPUs
SIZES = {"cores-2": ("r7g.xlarge", 4), "cores-8": ("r7g.4xlarge", 16)}


def shortened() -> dict[str, Any]:
    """The shipped suite with two of its sizes and its first cell, each for moments."""
    found = parse_yaml((scenarios() / "instance-types.yaml").read_bytes(), "instance-types")
    assert isinstance(found, dict)
    del found["scale"]
    sizes = found["machines"][PAIR]
    found["machines"] = {PAIR: {name: sizes[name] for name in SIZES}}
    found["defaults"] |= {"warmup_s": 0.2, "measure_s": 1.5, "drain_s": 20}
    found["scenarios"] = {"cores": {"cells": found["scenarios"]["cores"]["cells"][:1]}}
    return parse_suite({**found, "instrument": False, "warm_up": False}, "instance-types").document()


@pytest.fixture(scope="module")
def report(assembly, sqs_endpoint, tmp_path_factory) -> Report:
    folder = tmp_path_factory.mktemp("sizes")
    with programmed_cluster({0: 20_000.0, 1: 20_000.0}) as cluster:
        machines = ProgrammedMachines(cluster)
        with workflow_at(assembly, cluster.access, sqs_endpoint, folder, machines=machines) as made:
            return made.report_of(RUN_ID, shortened())


def test_each_size_is_a_lane_of_the_type_that_stands_for_the_sources(report):
    assert {case.target for case in report.cases} == {f"{PAIR}_{name}" for name in SIZES}
    for case in report.cases:
        assert (case.environment, case.ledger.lost, case.ledger.left) == ("aws", 0, 0)
        facts = report.manifest.targets[case.target]
        instance, vcpus = SIZES[case.target.removeprefix(f"{PAIR}_")]
        assert (facts["instance_type"], facts["vcpu"]) == (instance, vcpus)


def test_the_board_of_cores_has_each_size_and_the_sources_own(report):
    cores, _ = scaling_boards(report)
    own = {row.labels: row.cells for row in cores.rows if row.origin != "published"}
    assert {labels[-1] for labels in own} == {instance for instance, _ in SIZES.values()}, cores.rows
    assert any(row.origin == "published" for row in cores.rows)


def test_the_larger_size_costs_more(report):
    usd = {price.target: price.usd for price in report.cluster_prices if "us-east-1" in price.book}
    small, large = (usd[f"{PAIR}_{name}"] for name in SIZES)
    assert 0 < 3 * small < large
