"""Faults of nodes: what a suite says of them, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.workload.case import Case, Workload
from breakeven.workload.node_faults import NodeFault
from breakeven.workload.read import parse_suite
from tests.support.fault_suites import (
    KILL,
    PAIR,
    REBOOT,
    ROLLING,
    SINGLE,
    SQS,
    TRIO,
    cases,
    fault,
    suite_of,
    upgrade,
)


def test_a_case_has_its_faults_and_says_them_in_words() -> None:
    (case,) = cases(
        {"faults": [KILL, fault(at_s=30, kind="pause", node=2), fault(at_s=40, kind="memory-alarm", node=3)]}
    )
    assert case.workload.faults == (
        NodeFault(at_s=10, kind="kill", node="leader", for_s=5),
        NodeFault(at_s=30, kind="pause", node=2, for_s=5),
        NodeFault(at_s=40, kind="memory-alarm", node=3, for_s=5),
    )
    assert case.workload.parameters()["faults"] == (
        "kill the leader's node at 10 s for 5 s, pause node 2 at 30 s for 5 s, "
        "memory-alarm on node 3 at 40 s for 5 s"
    )
    assert Case.model_validate(case.model_dump(mode="json")) == case


def test_without_any_a_case_says_nothing_of_them_and_one_stored_before_is_read() -> None:
    (case,) = cases({})
    assert case.workload.faults == ()
    assert "faults" not in case.workload.parameters()
    stored = case.workload.model_dump(mode="json")
    del stored["faults"]
    assert Workload.model_validate(stored) == case.workload


def test_a_suites_document_reads_the_same() -> None:
    suite = suite_of({"faults": [KILL, fault(at_s=30, node=3)]})
    assert parse_suite(suite.document(), "x.yaml").sha256 == suite.sha256


@pytest.mark.parametrize(
    ("entry", "path", "value", "remedy"),
    [
        (fault(at_s=-1), "faults.0.at_s", -1, "seconds since the measured stage's start, 0 to 10800"),
        (fault(for_s=0), "faults.0.for_s", 0, "over 0 and at most 240"),
        (fault(for_s=-5), "faults.0.for_s", -5, "over 0 and at most 240"),
        (fault(for_s=241), "faults.0.for_s", 241, "over 0 and at most 240"),
        (
            fault(kind="burn"),
            "faults.0.kind",
            "burn",
            "one of kill, stop, pause, memory-alarm, disk-alarm, partition,",
        ),
        (
            fault(kind="rolling-restart"),
            "faults.0.node",
            "leader",
            "is of all nodes, one after the other; remove it",
        ),
        (fault(node="first"), "faults.0.node", "first", "leader, other, or a node's number from 1 to 9"),
        (fault(node=0), "faults.0.node", 0, "leader, other, or a node's number from 1 to 9"),
        (fault(node=True), "faults.0.node", True, "leader, other, or a node's number from 1 to 9"),
        (fault(node="2"), "faults.0.node", "2", "leader, other, or a node's number from 1 to 9"),
        (fault(to="4.3"), "faults.0.to", "4.3", "is of an upgrade, and this is kill; remove it"),
        (
            {"at_s": 1, "kind": "upgrade", "for_s": 5},
            "faults.0.to",
            None,
            "is required: a series of RabbitMQ",
        ),
        (upgrade("4"), "faults.0.to", "4", 'must be a series of RabbitMQ in quotes, such as "4.3"'),
        (upgrade(4.3), "faults.0.to", 4.3, 'must be a series of RabbitMQ in quotes, such as "4.3"'),
        ({**upgrade("4.3"), "node": 1}, "faults.0.node", 1, "upgrade is of all nodes, one after the other"),
        ({**REBOOT, "for_s": 5}, "faults.0.for_s", 5, "reboot takes as long as the service does; remove it"),
        ({**REBOOT, "node": 1}, "faults.0.node", 1, "reboot is of the whole broker; remove it"),
        (
            {name: value for name, value in KILL.items() if name != "for_s"},
            "faults.0.for_s",
            None,
            "is required: seconds, over 0 and at most 240",
        ),
        (fault(after_s=2), "faults.0.after_s", 2, "no such field"),
        ({k: v for k, v in KILL.items() if k != "node"}, "faults.0.node", None, "is required: leader, other"),
        ({k: v for k, v in KILL.items() if k != "at_s"}, "faults.0.at_s", None, "is required: seconds"),
    ],
)
def test_what_is_no_fault_is_named(entry: dict[str, Any], path: str, value: object, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        suite_of({"faults": [entry]})
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{path}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "scenario",
    [{"mode": "load-unload", "messages": 10, "measure_s": None}, {"mode": "capacity", "rate": 100}],
)
def test_they_need_a_measured_stage(scenario: dict[str, Any]) -> None:
    given = {name: value for name, value in scenario.items() if value is not None}
    suite = {"suite": "x", "title": "x", "targets": [TRIO]}
    with pytest.raises(InputError) as caught:
        parse_suite({**suite, "scenarios": {"s": {"threads": 2, **given, "faults": [KILL]}}}, "x.yaml")
    assert caught.value.field == "scenarios.s.faults"
    assert "mode: parallel" in caught.value.remedy


@pytest.mark.parametrize(
    ("scenario", "target", "field", "value", "remedy"),
    [
        ({"faults": [fault(at_s=60)]}, TRIO, "faults.0.at_s", "60", "the measured stage ends after 60 s"),
        (
            {"faults": [fault(at_s=20)], "measure_s": None, "rate": 5, "profile": [{"rate": 5, "for_s": 20}]},
            TRIO,
            "faults.0.at_s",
            "20",
            "the measured stage ends after 20 s",
        ),
        ({"faults": [fault(node=4)]}, TRIO, "faults.0.node", 4, "has 3 nodes; at most 3"),
        ({"faults": [fault(node=3)]}, PAIR, "faults.0.node", 3, "has 2 nodes; at most 2"),
        (
            {"faults": [fault(kind="pause", for_s=45)]},
            TRIO,
            "faults.0.for_s",
            "45",
            "peers may give up a node that is silent for 45 s, and then it goes on partitioned from them; "
            "pause it for less than 45 s, or use partition, which heals it",
        ),
        (
            {"faults": [fault(node="other")]},
            SINGLE,
            "faults.0.node",
            "other",
            "has 1 node, so that there is no",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, node=1)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 has node 1 until 15 s; begin it after that",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, node=2)]},
            PAIR,
            "faults.1.at_s",
            "12",
            "2 of the 2 nodes of rabbitmq-mirrored-pair would be away at once, and its queues bear 1; "
            "begin it at 15 s or later",
        ),
        (
            {"faults": [fault(at_s=12), fault(node="other")]},
            TRIO,
            "faults.0.at_s",
            "12",
            "2 of the 3 nodes of rabbitmq-quorum-trio would be away at once, and its queues bear 1",
        ),
        (
            {"faults": [fault(kind="disk-alarm"), fault(at_s=12, node=2)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 blocks all who publish until then; begin it at 15 s or later",
        ),
        (
            {"faults": [fault(node=1), fault(at_s=12, kind="memory-alarm", node=2)]},
            TRIO,
            "faults.1.at_s",
            "12",
            "faults.0 has a node until then, and memory-alarm would block all who publish; begin it at 15 s",
        ),
        (
            {"faults": [fault(kind="memory-alarm")]},
            SQS,
            "faults",
            "memory-alarm on the leader's node at 10 s for 5 s",
            "Amazon SQS has no nodes",
        ),
        (
            {"faults": [KILL, ROLLING]},
            TRIO,
            "faults.1.kind",
            "rolling-restart",
            "it lasts until the last node is back, and nobody knows when; give it a scenario of its own",
        ),
        (
            {"faults": [fault(kind="partition")]},
            SINGLE,
            "faults.0.kind",
            "partition",
            "has 1 node, and no peers; use pause",
        ),
        (
            {"faults": [ROLLING]},
            SINGLE,
            "faults.0.kind",
            "rolling-restart",
            "has 1 node, and none that would go on",
        ),
        (
            {"faults": [ROLLING]},
            "amazon-mq-cluster",
            "faults.0.kind",
            "rolling-restart",
            "no call reaches a single node of amazon-mq-cluster; use reboot",
        ),
        (
            {"faults": [REBOOT, {**REBOOT, "at_s": 30}]},
            "amazon-mq-single",
            "faults.0.kind",
            "reboot",
            "it lasts until the service has done it, and nobody knows when; give it its own scenario",
        ),
        (
            {"faults": [{**REBOOT, "at_s": 60}]},
            "amazon-mq-cluster",
            "faults.0.at_s",
            "60",
            "the measured stage ends after 60 s",
        ),
        (
            {"faults": [REBOOT]},
            SQS,
            "faults",
            "reboot the broker at 10 s",
            "Amazon SQS has no nodes; remove it, or give this scenario targets of Amazon MQ",
        ),
        (
            {"faults": [REBOOT]},
            TRIO,
            "faults.0.kind",
            "reboot",
            "is a call of Amazon MQ, and nodes of rabbitmq-quorum-trio are your own; use rolling-restart",
        ),
        (
            {"faults": [upgrade("4.3")]},
            TRIO,
            "faults.0.to",
            "4.3",
            "RabbitMQ 4.0, which upstream forbids to upgrade to 4.3 at once: it has to go by 4.2, with",
        ),
        (
            {"faults": [upgrade("4.2")]},
            TRIO,
            "faults.0.to",
            "4.2",
            "upstream allows RabbitMQ 4.0 to be upgraded to 4.2, and there is nothing here to do it with",
        ),
        (
            {"faults": [upgrade("4.0")]},
            PAIR,
            "faults.0.to",
            "4.0",
            "which upstream forbids to upgrade to 4.0 at once: it has to go by 3.11 (3.11.18 or newer), "
            "3.12, 3.13, with all stable feature flags enabled before each step; remove it",
        ),
        ({"faults": [upgrade("3.9")]}, TRIO, "faults.0.to", "3.9", "runs RabbitMQ 4.0, and 3.9 is not newer"),
        ({"faults": [upgrade("4.0")]}, TRIO, "faults.0.to", "4.0", "runs RabbitMQ 4.0, and 4.0 is not newer"),
        (
            {"faults": [upgrade("9.1")]},
            TRIO,
            "faults.0.to",
            "9.1",
            "is no series of RabbitMQ that upstream's",
        ),
        ({"faults": [upgrade("4.3")]}, SQS, "faults", "upgrade to 4.3", "Amazon SQS has no nodes"),
        ({"faults": [KILL], "nodes_down": 1}, TRIO, "nodes_down", 1, "begins with all nodes up"),
        (
            {"faults": [KILL]},
            SQS,
            "faults",
            "kill the leader's node at 10 s for 5 s",
            "Amazon SQS has no nodes",
        ),
        (
            {"faults": [KILL]},
            "amazon-mq-cluster",
            "faults.0.kind",
            "kill",
            "no call reaches a single node of amazon-mq-cluster; use reboot",
        ),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    scenario: dict[str, Any], target: str, field: str, value: object, remedy: str
) -> None:
    given = {"measure_s": 60, **scenario}
    found = {"suite": "x", "title": "x", "targets": [target], "instrument": False}
    body = {name: value for name, value in {"threads": 2, **given}.items() if value is not None}
    with pytest.raises(InputError) as caught:
        expand(parse_suite({**found, "scenarios": {"s": body}}, "x.yaml"), run_id="r", environment="local")
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{field}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("faults", "target", "more"),
    [
        ([fault(kind="memory-alarm"), fault(at_s=15, kind="disk-alarm")], PAIR, {}),
        ([fault(at_s=0), fault(at_s=5)], PAIR, {}),
        ([KILL], SINGLE, {}),
        ([fault(kind="pause", for_s=240)], SINGLE, {}),
        ([fault(kind="pause", for_s=44.9)], PAIR, {}),
        ([fault(node=1), fault(at_s=15, node=1)], SINGLE, {}),
        ([fault(node=1), fault(at_s=12, node=2)], TRIO, {"group_size": 5}),
        ([KILL], TRIO, {"group_size": 1}),
    ],
)
def test_what_queues_bear_is_planned(faults: list[dict[str, Any]], target: str, more: dict[str, Any]) -> None:
    five = {"machines": {TRIO: {"five": {"nodes": 5}}}} if more.get("group_size") == 5 else {}
    (case,) = cases({"faults": faults, **more}, target, **five)
    assert len(case.workload.faults) == len(faults)


def test_as_many_nodes_may_be_away_at_once_as_leave_a_mirrored_queue_a_copy() -> None:
    three = {"machines": {PAIR: {"three": {"nodes": 3}}}}
    at_once = [fault(node=1), fault(at_s=12, node=2)]
    assert len(cases({"faults": at_once}, PAIR, **three)) == 1
    assert len(cases({"faults": at_once, "group_size": 3}, PAIR, **three)) == 1
    for few in (1, 2):
        with pytest.raises(InputError) as caught:
            cases({"faults": at_once, "group_size": few}, PAIR, **three)
        assert (caught.value.field, caught.value.value) == ("scenarios.s.faults.1.at_s", "12")
        assert "2 of the 3 nodes" in caught.value.remedy
        assert "its queues bear 1; begin it at 15 s or later" in caught.value.remedy
