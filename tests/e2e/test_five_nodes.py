"""A quorum cluster of five nodes, in a run as a user starts it: with all of them, one down, one killed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.workflow.command import Command

pytestmark = pytest.mark.installed

TARGET = "rabbitmq-quorum-trio_five"
SUITE = """
suite: five-nodes
title: A quorum cluster of five nodes
targets: [rabbitmq-quorum-trio]
instrument: false
warm_up: false
machines: {rabbitmq-quorum-trio: {five: {nodes: 5}}}
defaults: {threads: 5, queues: 5, warmup_s: 1, measure_s: 3, drain_s: 60, message_size: 1KiB}
scenarios:
  threes: {nodes_down: [0, 1]}
  fives: {group_size: 5, nodes_down: 1}
  killed: {measure_s: 8, rate: 50, faults: [{at_s: 2, kind: kill, node: leader, for_s: 1}]}
"""
KILLED = f"killed.rate-50.{TARGET}.r1"


class Ended(NamedTuple):
    """What the run has left."""

    report: dict[str, Any]
    faults: list[dict[str, Any]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    command = Command(SUITE, Path(tmp_path_factory.mktemp("five")))
    code, out, err = command.end()
    assert code == 0, f"{out}\n{err}"
    assert command.left_running() == set()
    stored = (command.runs / "latest" / "rows" / "faults").rglob("*.json.gz")
    lines = [line for path in stored for line in gzip.decompress(path.read_bytes()).splitlines()]
    return Ended(command.report(), [json.loads(line) for line in lines])


@pytest.fixture
def report(ended: Ended) -> dict[str, Any]:
    return ended.report


def test_every_message_is_accounted_for_with_five_nodes_and_with_four(report: dict[str, Any]) -> None:
    assert len(report["cases"]) == 4
    for case in report["cases"]:
        ledger = case["ledger"]
        # what a node had not confirmed when it was killed may be gone
        unconfirmed = ledger["unknown"] if case["case_id"] == KILLED else 0
        assert (case["status"], ledger["lost"]) == ("ok", 0), case["reason"]
        assert ledger["missing"] <= unconfirmed
        assert ledger["received"] > 0
    assert report["manifest"]["targets"][TARGET]["nodes"] == 5


def test_the_first_node_was_surveyed_with_its_connections_to_the_four_others(report: dict[str, Any]) -> None:
    (survey,) = report["surveys"]
    assert (survey["target"], survey["error"]) == (TARGET, None)
    assert survey["sync"]["p50_ms"] > 0
    assert len({link["peer"] for link in survey["links"]} - {survey["node"]}) == 4
    assert all(link["bytes_per_s"] > 0 for link in survey["links"])


def test_a_group_of_three_is_whole_with_a_node_down_and_one_of_five_lacks_a_member(
    report: dict[str, Any],
) -> None:
    """The broker's own count of followers, which RabbitMQ has chosen among the nodes that ran."""
    due = {
        f"threes.nodes-down-0.{TARGET}.r1": {2},
        f"threes.nodes-down-1.{TARGET}.r1": {2},
        f"fives.nodes-down-1-group-size-5.{TARGET}.r1": {3},
    }
    found = {case["case_id"]: case for case in report["cases"]}
    assert found.keys() == {*due, KILLED}
    for case_id, copies in due.items():
        assert set(found[case_id]["mirrors"]["before"].values()) == copies
        assert set(found[case_id]["mirrors"]["after"].values()) == copies
        assert "mirrors_out_of_sync" not in found[case_id]["flags"]


def test_a_node_that_was_killed_in_mid_case_was_back_before_the_run_went_on(ended: Ended) -> None:
    (row,) = ended.faults
    assert (row["case_id"], row["kind"], row["error"], row["in_sync"]) == (KILLED, "kill", None, True)
    assert row["due_at_s"] <= row["done_at_s"] < row["due_at_s"] + 1
    assert row["back_at_s"] >= row["done_at_s"] + 1
    (case,) = (case for case in ended.report["cases"] if case["case_id"] == KILLED)
    assert case["parameters"]["faults"] == "kill the leader's node at 2 s for 1 s"
