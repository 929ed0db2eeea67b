"""Samples that agents on nodes left, in the rows of a case's watch."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.results.schemas import NODES
from breakeven.steps.case.host_samples import HOST, NOT_SAMPLED, with_host_samples
from breakeven.steps.case.watch_rows import NO_ANSWER, WatchRows
from breakeven.steps.services import Services
from breakeven.targets.rabbitmq.rabbitmq_node import ON_OTHER_HOSTS
from breakeven.targets.target import NodeSample
from tests.support.aws.moto_results import installed
from tests.support.cases import case_with, workload_with

TRIO, START_S = "rabbitmq-quorum-trio", 1000.25
CASE = case_with(workload_with(), target=TRIO)


@pytest.fixture
def services(monkeypatch):
    with installed(monkeypatch) as found:
        yield found


def noted(*seconds: int, node: str = "a") -> list[dict[str, Any]]:
    """Rows as the watch has them of a node on another host, which began at ``START_S``."""
    rows = WatchRows(CASE.case_id)
    rows._start_s, found = START_S, []
    rows.add_samples([NodeSample(node, memory_bytes=7, file_descriptors=5, no_process=ON_OTHER_HOSTS)], None)
    (row,) = rows.rows()
    for second in seconds:
        found.append({**row, "second": second, "at_s": START_S + second})
    return found


def leave(services: Services, node: str, *instants: float, **figures: Any) -> None:
    samples = [
        {"at_s": at_s, "cpu_cores": at_s - 1000, "host_cores": 2, "file_descriptors": 9, **figures}
        for at_s in instants
    ]
    key = f"{layout.samples_prefix(CASE.run_id, TRIO)}{node}/{instants[0]:.0f}-{instants[-1]:.0f}.json.gz"
    services.store.put_bytes(key, gzip.compress(json.dumps(samples).encode()))


def by_second(rows: list[dict[str, Any]], figure: str) -> dict[tuple[int, str], Any]:
    return {(row["second"], row["node"]): row[figure] for row in rows}


def test_each_sample_is_in_the_row_of_the_second_that_ended_nearest_to_it(services):
    leave(services, "a", *range(998, 1003))
    leave(services, "a", *range(1003, 1008))
    rows = with_host_samples(services, CASE, noted(0, 1, 2, 3))
    assert by_second(rows, "cpu_cores") == {(second, "a"): float(second) for second in range(4)}
    assert {row["taken"] for row in rows} == {HOST}
    assert {row["unknown"] for row in rows} == {None}
    services.store.put_rows("nodes", CASE.run_id, CASE.case_id, rows)
    assert set(rows[0]) == set(NODES.columns)


def test_what_the_broker_tells_stays_and_only_what_it_does_not_is_the_hosts(services):
    leave(services, "a", 1000, 1001, 1002)
    rows = with_host_samples(services, CASE, [*noted(0), *[{**noted(1)[0], "file_descriptors": None}]])
    assert by_second(rows, "file_descriptors") == {(0, "a"): 5, (1, "a"): 9}
    assert by_second(rows, "memory_bytes") == {(0, "a"): 7, (1, "a"): 7}


def test_seconds_in_which_nothing_was_told_of_a_node_have_its_hosts_figures(services):
    """As while its broker is down."""
    leave(services, "a", *range(1000, 1004))
    rows = with_host_samples(services, CASE, noted(0, 3))
    assert by_second(rows, "unknown") == {
        (0, "a"): None,
        (1, "a"): NO_ANSWER,
        (2, "a"): NO_ANSWER,
        (3, "a"): None,
    }
    assert by_second(rows, "memory_bytes")[1, "a"] is None
    assert by_second(rows, "cpu_cores")[1, "a"] == 1.0


def test_a_second_that_was_not_sampled_says_so(services):
    leave(services, "a", 1000, 1002)
    rows = with_host_samples(services, CASE, noted(0, 1, 2))
    assert by_second(rows, "unknown")[1, "a"] == NOT_SAMPLED
    assert by_second(rows, "taken")[1, "a"] is None
    assert by_second(rows, "cpu_cores")[1, "a"] is None


def test_a_node_whose_agent_has_ended_is_waited_for_and_then_left(services):
    leave(services, "a", 1000, 1001)
    leave(services, "b", 1000, 1001, 1002, 1003)
    rows = with_host_samples(services, CASE, noted(0, 1, 2), wait_s=0.0)
    assert by_second(rows, "taken")[2, "a"] is None
    assert by_second(rows, "taken")[2, "b"] == HOST


def test_rows_of_a_lane_whose_nodes_carry_no_agent_stay_as_they_are(services):
    assert with_host_samples(services, CASE, noted(0, 1)) == noted(0, 1)
    assert with_host_samples(services, CASE, []) == []
