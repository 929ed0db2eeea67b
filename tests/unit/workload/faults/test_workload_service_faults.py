"""Faults of calls to a service: what a suite says of them, what is refused, what the plan makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.durations import seconds_needed
from breakeven.planning.expand import expand
from breakeven.planning.plan import make_plan
from breakeven.planning.warm_up import windows_of
from breakeven.workload.case import Case
from breakeven.workload.read import load_shipped, parse_suite
from breakeven.workload.service_faults import CALL_KINDS, ServiceFault
from breakeven.workload.suite import Suite
from local.servers.endpoints import Endpoints

SQS, FIFO, TRIO = "sqs-standard", "sqs-fifo", "rabbitmq-quorum-trio"
THROTTLE = {"at_s": 10, "kind": "throttle", "for_s": 5, "percent": 30}
ERROR = {**THROTTLE, "kind": "error", "status": 503}
DELAY = {**THROTTLE, "kind": "delay", "delay_ms": 200}
RESET = {**THROTTLE, "kind": "reset", "when": "after"}
DUPLICATE = {**THROTTLE, "kind": "duplicate"}
KILL = {"at_s": 10, "kind": "kill", "node": "leader", "for_s": 5}


def suite_of(*faults: dict[str, Any], target: str = SQS, **scenario: Any) -> Suite:
    body = {"threads": 2, "measure_s": 60, "faults": list(faults), **scenario}
    found = {"suite": "x", "title": "x", "targets": [target], "instrument": False, "scenarios": {"s": body}}
    return parse_suite(found, "x.yaml")


def case_of(*faults: dict[str, Any], **scenario: Any) -> Case:
    (case,) = expand(suite_of(*faults, **scenario), run_id="run-1", environment="local")
    return case


def without(entry: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != name}


def test_a_case_has_its_faults_and_says_them_in_words() -> None:
    case = case_of(THROTTLE, {**ERROR, "at_s": 20, "calls": ["send", "delete"], "seed": 7})
    assert case.workload.faults == (
        ServiceFault(at_s=10, kind="throttle", for_s=5, percent=30),
        ServiceFault(
            at_s=20, kind="error", for_s=5, percent=30, status=503, calls=("send", "delete"), seed=7
        ),
    )
    assert case.workload.service_faults == case.workload.faults
    assert case.workload.node_faults == ()
    assert case.workload.faults[0].calls == CALL_KINDS  # type: ignore[union-attr]
    assert case.workload.parameters()["faults"] == (
        "throttle 30% of calls at 10 s for 5 s, error 30% of send and delete calls with 503 at 20 s for 5 s"
    )
    assert Case.model_validate(case.model_dump(mode="json")) == case


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({**DELAY, "percent": 0.5}, "delay 0.5% of calls by 200 ms at 10 s for 5 s"),
        ({**RESET, "when": "before"}, "reset 30% of calls before the service has taken them at 10 s for 5 s"),
        (RESET, "reset 30% of calls after the service has taken them at 10 s for 5 s"),
        (DUPLICATE, "duplicate 30% of deliveries at 10 s for 5 s"),
    ],
)
def test_each_kind_in_words(entry: dict[str, Any], words: str) -> None:
    assert case_of(entry).workload.faults[0].words == words


def test_a_suites_document_reads_the_same() -> None:
    suite = suite_of(THROTTLE, {**RESET, "at_s": 30})
    assert parse_suite(suite.document(), "x.yaml").sha256 == suite.sha256


@pytest.mark.parametrize(
    ("entry", "field", "value", "remedy"),
    [
        ({**THROTTLE, "percent": 0}, "percent", 0, "over 0 and at most 100"),
        ({**THROTTLE, "percent": 100.5}, "percent", 100.5, "over 0 and at most 100"),
        ({**THROTTLE, "percent": "30%"}, "percent", "30%", "over 0 and at most 100"),
        (without(THROTTLE, "percent"), "percent", None, "is required: of the calls that meet it"),
        ({**THROTTLE, "for_s": 241}, "for_s", 241, "over 0 and at most 240"),
        ({**THROTTLE, "kind": "throtle"}, "kind", "throtle", "did you mean 'throttle'?"),
        ({**THROTTLE, "node": "leader"}, "node", "leader", "throttle is of calls, and of no node; remove it"),
        ({**THROTTLE, "status": 503}, "status", 503, "belongs to error, and this is throttle; remove it"),
        ({**THROTTLE, "calls": []}, "calls", "[]", "must have at least one of send, receive, delete"),
        ({**THROTTLE, "calls": ["purge"]}, "calls.0", "purge", "one of send, receive, delete"),
        ({**THROTTLE, "calls": ["send", "send"]}, "calls", None, "entry 2 is there twice; remove it"),
        ({**THROTTLE, "seed": -1}, "seed", -1, "a whole number from 0"),
        ({**DUPLICATE, "calls": ["send"]}, "calls", None, "belongs to throttle, error, delay, reset"),
        ({**ERROR, "status": 404}, "status", 404, "500 or 503"),
        (without(ERROR, "status"), "status", None, "is required: 500 or 503"),
        ({**DELAY, "delay_ms": 0}, "delay_ms", 0, "over 0 and at most 20000"),
        ({**DELAY, "delay_ms": 20_001}, "delay_ms", 20_001, "over 0 and at most 20000"),
        (without(DELAY, "delay_ms"), "delay_ms", None, "is required: milliseconds"),
        ({**RESET, "when": "during"}, "when", "during", "one of before, after"),
        (without(RESET, "when"), "when", None, "is required: before or after the service"),
        ({**KILL, "percent": 3}, "percent", 3, "belongs to throttle, error, delay, reset, duplicate, and"),
    ],
)
def test_what_is_no_fault_is_named(entry: dict[str, Any], field: str, value: object, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        suite_of(entry)
    assert caught.value.field == f"scenarios.s.faults.0.{field}"
    if value is not None:
        assert str(caught.value.value) == str(value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("faults", "target", "field", "value", "remedy"),
    [
        (
            [THROTTLE],
            TRIO,
            "faults",
            "throttle 30% of calls at 10 s for 5 s",
            "befalls calls of Amazon SQS, and rabbitmq-quorum-trio is a broker; use kill, stop or pause",
        ),
        (
            [THROTTLE],
            "amazon-mq-cluster",
            "faults",
            "throttle 30% of calls at 10 s for 5 s",
            "befalls calls of Amazon SQS, and amazon-mq-cluster is a broker; use reboot",
        ),
        ([KILL], FIFO, "faults", "kill the leader's node at 10 s for 5 s", "has no nodes"),
        (
            [DUPLICATE],
            FIFO,
            "faults.0.kind",
            "duplicate",
            "hands out no copies within the visibility timeout",
        ),
        ([{**THROTTLE, "at_s": 60}], SQS, "faults.0.at_s", "60", "the measured stage ends after 60 s"),
        (
            [{**THROTTLE, "at_s": 58}],
            SQS,
            "faults.0.for_s",
            "5",
            "it would last until 63 s, and the measured stage ends at 60 s; at most 2",
        ),
        (
            [THROTTLE, {**ERROR, "at_s": 14}],
            SQS,
            "faults.1.at_s",
            "14",
            "faults.0, throttle, lasts until 15 s, and one call cannot meet both; begin it then or later",
        ),
        ([{**DELAY, "at_s": 12}, DELAY], SQS, "faults.0.at_s", "12", "faults.1, delay, lasts until 15 s"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    faults: list[dict[str, Any]], target: str, field: str, value: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        case_of(*faults, target=target)
    assert (caught.value.field, caught.value.value) == (f"scenarios.s.{field}", value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    "faults",
    [
        [THROTTLE, DELAY, DUPLICATE],
        [THROTTLE, {**ERROR, "at_s": 15}],
        [{**THROTTLE, "at_s": 55}],
        [{**RESET, "percent": 100}],
    ],
)
def test_what_calls_can_meet_is_planned(faults: list[dict[str, Any]]) -> None:
    assert len(case_of(*faults).workload.faults) == len(faults)


def test_on_aws_they_are_refused_by_name() -> None:
    (refusal,) = make_plan(suite_of(THROTTLE), run_id="run-1").refusals
    assert (refusal.field, refusal.value) == ("scenarios.s.faults", "throttle 30% of calls at 10 s for 5 s")
    assert "before Amazon SQS itself none is built: run it without --on aws" in refusal.remedy


def test_no_proxy_is_put_before_a_server_that_was_given() -> None:
    given = Endpoints(sqs="http://127.0.0.1:1")
    with pytest.raises(InputError) as caught:
        given.check(suite_of(THROTTLE), [case_of(THROTTLE)])
    assert (caught.value.where, caught.value.field) == ("x.yaml", "scenarios.s.faults")
    assert "given by --sqs-endpoint is called as it is" in caught.value.remedy


def test_no_nodes_are_awaited_after_them() -> None:
    plain, faulty = (
        make_plan(suite_of(*faults), run_id="run-1", environment="local")
        for faults in ([{**DELAY, "at_s": 1}], [THROTTLE])
    )
    ((ref,),) = [leg.cases for leg in faulty.rounds[0]]
    assert (faulty.refusals, ref.faults) == ([], 0)
    (before,), (after,) = plain.cases, faulty.cases
    assert after.expected_s == before.expected_s
    assert seconds_needed(after.workload, after.target, "local") == seconds_needed(
        case_of(THROTTLE).workload.model_copy(update={"faults": ()}), after.target, "local"
    )


def test_a_lane_is_warmed_without_them() -> None:
    (window,) = windows_of([case_of(THROTTLE)])
    assert window.workload.faults == ()


def test_the_loss_that_is_expected_is_said_before() -> None:
    (note,) = make_plan(suite_of(RESET), run_id="run-1", environment="local").fault_notes
    assert "reset 30% of calls after the service has taken them at 10 s for 5 s: " in note
    assert "no loss of confirmed messages is expected, as a send without an answer is not confirmed" in note


def test_the_suite_that_ships_has_each_kind() -> None:
    found = expand(load_shipped("sqs-faults"), run_id="run-1", environment="local")
    kinds = {(case.target, each.kind, each.when) for case in found for each in case.workload.service_faults}
    on_fifo = {("throttle", None), ("reset", "after")}
    each = {*on_fifo, ("error", None), ("delay", None), ("reset", "before"), ("duplicate", None)}
    assert kinds == {(SQS, *kind) for kind in each} | {(FIFO, *kind) for kind in on_fifo}
    plan = make_plan(load_shipped("sqs-faults"), run_id="run-1", environment="local")
    assert plan.refusals == []
