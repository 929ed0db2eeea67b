"""A quorum cluster of five nodes, in a run as a user starts it: with all of them, and with one down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    command = Command(SUITE, Path(tmp_path_factory.mktemp("five")))
    code, out, err = command.end()
    assert code == 0, f"{out}\n{err}"
    assert command.left_running() == set()
    return command.report()


def test_every_message_is_accounted_for_with_five_nodes_and_with_four(report: dict[str, Any]) -> None:
    assert len(report["cases"]) == 3
    for case in report["cases"]:
        ledger = case["ledger"]
        assert (case["status"], ledger["lost"], ledger["missing"]) == ("ok", 0, 0), case["reason"]
        assert ledger["received"] > 0
    assert report["manifest"]["targets"][TARGET]["nodes"] == 5


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
    assert found.keys() == due.keys()
    for case_id, copies in due.items():
        assert set(found[case_id]["mirrors"]["before"].values()) == copies
        assert set(found[case_id]["mirrors"]["after"].values()) == copies
        assert "mirrors_out_of_sync" not in found[case_id]["flags"]
