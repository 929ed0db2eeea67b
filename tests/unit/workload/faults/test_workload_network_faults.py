"""Faults of a node's network: what a suite says of them, what is refused, and what the plan makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.agent.impairment import Impairment
from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.workload.case import Case
from breakeven.workload.node_faults import NodeFault
from breakeven.workload.read import load_shipped, parse_suite
from breakeven.workload.suite import Suite

TRIO, SINGLE, SQS = "rabbitmq-quorum-trio", "rabbitmq-single", "sqs-standard"
PAIR = "rabbitmq-mirrored-pair"
CUT = {"at_s": 10, "kind": "cut-clients", "node": "leader", "for_s": 5}
SLOW = {"at_s": 10, "kind": "slow-clients", "node": 1, "for_s": 5, "delay_ms": 100}
PEERS = {**SLOW, "kind": "slow-peers"}
KILL = {**CUT, "kind": "kill"}


def suite_of(*faults: dict[str, Any], target: str = TRIO) -> Suite:
    body = {"threads": 2, "measure_s": 60, "faults": list(faults)}
    found = {"suite": "x", "title": "x", "targets": [target], "instrument": False}
    return parse_suite({**found, "scenarios": {"s": body}}, "x.yaml")


def case_of(*faults: dict[str, Any], target: str = TRIO) -> Case:
    (case,) = expand(suite_of(*faults, target=target), run_id="run-1", environment="local")
    return case


@pytest.mark.parametrize(
    ("entry", "words", "impairment"),
    [
        (CUT, "cut-clients of the leader's node at 10 s for 5 s", Impairment("cut-clients")),
        (
            {**SLOW, "mbit_per_s": 10, "loss_percent": 0.5},
            "slow-clients of node 1 (100 ms later, at most 10 Mbit/s, 0.5% lost) at 10 s for 5 s",
            Impairment("slow-clients", 100, 10, 0.5),
        ),
        (
            {**PEERS, "node": "other", "delay_ms": None, "mbit_per_s": 0.5},
            "slow-peers of another node (at most 0.5 Mbit/s) at 10 s for 5 s",
            Impairment("slow-peers", None, 0.5),
        ),
    ],
)
def test_one_says_in_words_what_it_does(entry: dict[str, Any], words: str, impairment: Impairment) -> None:
    case = case_of({name: value for name, value in entry.items() if value is not None})
    (fault,) = case.workload.node_faults
    assert (fault.words, fault.network) == (words, impairment)
    assert case.workload.parameters()["faults"] == words
    assert Case.model_validate(case.model_dump(mode="json")) == case


@pytest.mark.parametrize(
    ("entry", "field", "value", "remedy"),
    [
        ({**SLOW, "delay_ms": 0}, "delay_ms", 0, "milliseconds, over 0 and at most 20000"),
        ({**SLOW, "delay_ms": 20001}, "delay_ms", 20001, "milliseconds, over 0 and at most 20000"),
        ({**SLOW, "mbit_per_s": 0.05}, "mbit_per_s", 0.05, "megabits a second, 0.1 to 10000"),
        ({**SLOW, "mbit_per_s": 10001}, "mbit_per_s", 10001, "megabits a second, 0.1 to 10000"),
        ({**SLOW, "loss_percent": 0}, "loss_percent", 0, "percent of packets, 0.01 to 50"),
        ({**SLOW, "loss_percent": 51}, "loss_percent", 51, "to lose all, use cut-clients"),
        (
            {name: value for name, value in SLOW.items() if name != "delay_ms"},
            "delay_ms",
            None,
            "slow-clients needs one of delay_ms, mbit_per_s, loss_percent: nothing would be slow",
        ),
        (
            {**CUT, "delay_ms": 5},
            "delay_ms",
            5,
            "belongs to delay, slow-clients, slow-peers, and this is cut",
        ),
        ({**KILL, "mbit_per_s": 5}, "mbit_per_s", 5, "belongs to slow-clients, slow-peers, and this is kill"),
        ({**CUT, "node": None}, "node", None, "is required: leader, other"),
        ({**CUT, "percent": 5}, "percent", 5, "belongs to throttle"),
    ],
)
def test_what_is_no_fault_is_named(entry: dict[str, Any], field: str, value: object, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        suite_of({name: value for name, value in entry.items() if value is not None})
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.faults.0.{field}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("faults", "target", "field", "value", "remedy"),
    [
        (
            [{**CUT, "kind": "cut-peers", "for_s": 45}],
            TRIO,
            "0.for_s",
            "45",
            "cut its peers off for less than 45 s, or use partition, which heals it",
        ),
        ([{**CUT, "kind": "cut-peers"}], SINGLE, "0.kind", "cut-peers", "and no peers; use cut-clients"),
        ([PEERS], SINGLE, "0.kind", "slow-peers", "and no peers; use slow-clients"),
        (
            [CUT, {**CUT, "at_s": 12}],
            TRIO,
            "1.at_s",
            "12",
            "faults.0 has the same node (leader) until 15.5 s",
        ),
        ([SLOW, {**KILL, "at_s": 12, "node": 1}], TRIO, "1.at_s", "12", "faults.0 has node 1 until 15.6 s"),
        (
            [{**SLOW, "delay_ms": 4000}, {**KILL, "at_s": 19, "node": 1}],
            TRIO,
            "1.at_s",
            "19",
            "faults.0 has node 1 until 19.5 s; begin it after that",
        ),
        (
            [SLOW, {**CUT, "kind": "memory-alarm", "at_s": 12}],
            TRIO,
            "1.at_s",
            "12",
            "faults.0 has a node until then, and memory-alarm would block all who publish",
        ),
        ([CUT], SQS, "", "cut-clients of the leader's node at 10 s for 5 s", "Amazon SQS has no nodes"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    faults: list[dict[str, Any]], target: str, field: str, value: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        case_of(*faults, target=target)
    assert caught.value.field == f"scenarios.s.faults.{field}".rstrip(".")
    assert caught.value.value == value
    assert remedy in caught.value.remedy


FELT = {**PEERS, "delay_ms": 1001}


@pytest.mark.parametrize(
    ("slow", "is_away"),
    [
        (PEERS, False),
        ({**PEERS, "delay_ms": 1000, "loss_percent": 19}, False),
        (FELT, True),
        ({**PEERS, "loss_percent": 20}, True),
        ({**SLOW, "delay_ms": 20000}, False),
    ],
)
def test_one_that_peers_may_take_to_be_gone_counts_as_away(slow: dict[str, Any], is_away: bool) -> None:
    together = [slow, {**KILL, "at_s": 12, "node": 2}]
    if not is_away:
        assert len(case_of(*together).workload.faults) == 2
        return
    with pytest.raises(InputError) as caught:
        case_of(*together)
    assert caught.value.field == "scenarios.s.faults.1.at_s"
    assert "2 of the 3 nodes of rabbitmq-quorum-trio would be away at once" in caught.value.remedy


def test_a_leader_that_is_late_may_stay_where_it_is() -> None:
    with pytest.raises(InputError) as caught:
        case_of({**FELT, "node": "leader"}, {**CUT, "at_s": 12})
    assert "faults.0 has the same node (leader) until 16.501 s" in caught.value.remedy


def test_a_node_can_be_had_again_once_what_was_late_has_left() -> None:
    late = {**SLOW, "delay_ms": 4000}
    assert len(case_of(late, {**KILL, "at_s": 19.5, "node": 1}).workload.faults) == 2
    assert len(case_of(late, {**KILL, "at_s": 15, "node": 2}).workload.faults) == 2, "of another node"


FIRST = "the same node (the first queue's leader is on node 1 until that is taken away) until 15."


@pytest.mark.parametrize(
    ("faults", "target", "remedy"),
    [
        ([SLOW, {**CUT, "at_s": 12}], TRIO, FIRST),
        ([CUT, {**SLOW, "at_s": 12}], TRIO, FIRST),
        ([{**CUT, "node": "other"}, {**SLOW, "at_s": 12, "node": 2}], PAIR, FIRST),
        ([SLOW, {**KILL, "at_s": 12}], TRIO, FIRST),
    ],
)
def test_two_at_once_on_one_node_by_two_names_are_refused(
    faults: list[dict[str, Any]], target: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        case_of(*faults, target=target)
    assert caught.value.field == "scenarios.s.faults.1.at_s"
    assert f"faults.0 has {remedy}" in caught.value.remedy


@pytest.mark.parametrize(
    "faults",
    [
        [{**KILL, "at_s": 4}, SLOW, {**CUT, "at_s": 12}],  # the leader has moved before
        [{**KILL, "at_s": 9}, {**CUT, "at_s": 11}],  # and here with the first of the two
        [{**SLOW, "node": 2}, {**CUT, "at_s": 12}],
        [{**CUT, "node": "other"}, {**SLOW, "at_s": 12, "node": 2}],  # or node 3: the run will show
    ],
)
def test_two_that_may_be_on_two_nodes_are_planned(faults: list[dict[str, Any]]) -> None:
    assert len(case_of(*faults).workload.faults) == len(faults)


def test_a_node_whose_network_is_bad_is_not_away() -> None:
    assert len(case_of(SLOW, {**KILL, "at_s": 12, "node": 2}).workload.faults) == 2
    assert len(case_of(SLOW, {**CUT, "at_s": 12, "node": 2}).workload.faults) == 2


@pytest.mark.parametrize(
    ("entry", "field", "value", "remedy"),
    [
        ({**SLOW, "loss_percent": 1}, "loss_percent", "1", "cannot drop single packets"),
        (PEERS, "kind", "slow-peers", "nothing stands between nodes that could drop or delay"),
        (
            {**CUT, "kind": "cut-peers"},
            "kind",
            "cut-peers",
            "use partition or pause, or run it with --on aws",
        ),
    ],
)
def test_what_only_a_kernel_can_cause_is_refused_on_one_machine(
    entry: dict[str, Any], field: str, value: str, remedy: str
) -> None:
    suite = suite_of({**KILL, "at_s": 30}, entry)
    (refusal,) = make_plan(suite, run_id="run-1", environment="local").refusals
    assert (refusal.field, refusal.value) == (f"scenarios.s.faults.1.{field}", value)
    assert remedy in refusal.remedy
    assert make_plan(suite, run_id="run-1", environment="aws").refusals == []


def test_only_faults_of_clients_have_them_go_by_a_relay() -> None:
    workload = case_of(CUT, {**SLOW, "at_s": 20}, {**KILL, "at_s": 40}).workload
    assert [fault.kind for fault in workload.client_faults] == ["cut-clients", "slow-clients"]
    assert case_of(KILL).workload.client_faults == ()


def test_a_fault_without_an_extent_is_stored_as_one_was_before() -> None:
    stored = {"at_s": 1.0, "kind": "kill", "node": "leader", "for_s": 1.0}
    fault = NodeFault.model_validate(stored)
    assert (fault.extent, fault.network) == (None, None)


def test_the_suite_that_ships_runs_here_and_on_aws() -> None:
    for environment in ("local", "aws"):
        plan = make_plan(load_shipped("network-faults"), run_id="run-1", environment=environment)
        assert plan.refusals == []
        assert all("no loss of confirmed messages is expected" in note for note in plan.fault_notes)
