"""Whether this machine's memory holds a cluster's nodes, and how much of it each of them may fill."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.read import parse_suite
from local.servers.broker_memory import MIB, available_memory, check_memory, watermark

TRIO = "rabbitmq-quorum-trio"
DOCUMENT = {
    "suite": "x",
    "title": "t",
    "targets": ["sqs-standard", TRIO],
    "machines": {TRIO: {"three": {}, "nine": {"nodes": 9}}},
    "scenarios": {"s": {"threads": 1}},
}
SUITE = parse_suite(DOCUMENT, "x.yaml")
CASES = expand(SUITE, run_id="run-1")


def test_a_cluster_that_does_not_fit_is_refused_by_name():
    with pytest.raises(InputError) as caught:
        check_memory(SUITE, CASES, 2000 * MIB)
    assert (caught.value.field, caught.value.value) == (f"machines.{TRIO}.nine.nodes", 9)
    assert caught.value.remedy == (
        "9 nodes take about 2,304 MiB, and this machine has 2,000 MiB free: end other programs, ask for "
        "fewer nodes, or run it on AWS"
    )
    with pytest.raises(InputError, match="three"):
        check_memory(SUITE, CASES, 700 * MIB)


@pytest.mark.parametrize("available", [2304 * MIB, None])
def test_one_that_fits_is_not_nor_where_nothing_is_known(available):
    check_memory(SUITE, CASES, available)


def test_what_is_free_is_what_the_kernel_says(tmp_path):
    there = tmp_path / "meminfo"
    there.write_text("MemTotal:       24576000 kB\nMemFree: 1 kB\nMemAvailable:   20480 kB\n")
    assert available_memory(there) == 20 * MIB
    there.write_text("MemTotal: 1 kB\n")
    assert available_memory(there) is None
    assert available_memory(tmp_path / "none") is None
    assert (available_memory() or 0) > MIB


def test_nodes_together_fill_no_more_of_the_memory_however_many_there_are():
    assert [watermark(nodes) for nodes in (1, 2, 3)] == [0.3] * 3
    assert all(nodes * watermark(nodes) <= 0.9 + 1e-9 for nodes in range(1, 10))
