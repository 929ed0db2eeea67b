"""The project's own client and the ordinary one, on the same scenario: what they find is the target's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from breakeven.instrument.program import Program
from breakeven.planning.expand import expand
from breakeven.targets.instrument import InstrumentTarget
from breakeven.targets.target import Target
from breakeven.workload.case import Case
from breakeven.workload.suite import Suite
from tests.support.loaders.real_targets import opened
from tests.support.loaders.side_by_side import (
    Run,
    assert_as_stated,
    assert_medians_as_stated,
    assert_same_rate,
    side_by_side,
)

CLIENTS = ("native", "ordinary")
TARGETS: tuple[str, ...] = ("rabbitmq-mirrored-pair", "sqs-standard")
MESSAGES = 200
COUNTED: dict[str, Any] = {"mode": "load-unload", "messages": MESSAGES, "threads": 2, "queues": 2}
WARMING = COUNTED | {"messages": 1000}
#: far below what clients and servers can do on a machine three times as busy as it should be. SQS by long
#: polls: a message that arrives in the pause between two short ones waits for the pause's end
STEADY: dict[str, dict[str, Any]] = {
    "rabbitmq-mirrored-pair": {"threads": 1, "warmup_s": 0, "measure_s": 3, "rate": 50},
    "sqs-standard": {"threads": 1, "warmup_s": 0, "measure_s": 3, "rate": 30, "wait_s": 1},
}
#: a target that leaves both clients waiting for so long was not up to the rate, seconds
STALL_S = 0.5
Compare = Callable[..., tuple[Run, Run]]


def planned(target: str, client: str, scenario: dict[str, Any]) -> Case:
    """The scenario's case on the target, as a run with that client has it."""
    suite = {
        "suite": "both-clients",
        "title": "The same scenario with both clients",
        "targets": [target],
        "defaults": {"client": client, "drain_s": 30},
        "scenarios": {"same": scenario},
    }
    (case,) = expand(Suite.model_validate(suite), run_id=f"both-{client}", environment="local")
    return case


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Compare:
    """``compare(target, **scenario)``: what the loaders of both clients found, at the same time."""

    def run(name: str, **scenario: Any) -> tuple[Run, Run]:
        target = opened(request, name)
        own, ordinary = side_by_side([(target, planned(name, client, scenario)) for client in CLIENTS])
        assert (own.client, ordinary.client) == ("native", "boto3" if name == "sqs-standard" else "pika")
        return own, ordinary

    return run


def assert_same_ledger(one: Run, other: Run) -> None:
    ledgers = [run.found.ledger.row() for run in (one, other)]
    for ledger, run in zip(ledgers, (one, other), strict=True):
        assert ledger["sent"] == ledger["confirmed"] == ledger["received"] > 0
        assert ledger["closed"]
        if run.case.target == "sqs-standard":
            del ledger["out_of_order"]  # the server sorts by milliseconds, and native sends several in one
    assert ledgers[0] == ledgers[1]


@pytest.mark.parametrize(
    ("target", "fields"),
    [
        ("rabbitmq-mirrored-pair", {"consume": "get"}),
        ("rabbitmq-mirrored-pair", {"consume": "push", "prefetch": 5}),
        ("sqs-standard", {}),
    ],
)
def test_both_find_the_same_ledger(compare: Compare, target: str, fields: dict[str, Any]) -> None:
    runs = compare(target, **COUNTED | fields)
    assert_same_ledger(*runs)
    operations = [
        {metric: total.cell.total().operations for metric, total in run.found.totals.items()} for run in runs
    ]
    assert operations[0] == operations[1] == dict.fromkeys(operations[0], MESSAGES)


@pytest.fixture
def warmed(request: pytest.FixtureRequest) -> None:
    """A server in Java is slow until what is called often has been compiled."""
    side_by_side([(opened(request, "sqs-standard"), planned("sqs-standard", "native", WARMING))])


@pytest.mark.quiet
@pytest.mark.parametrize("target", TARGETS)
def test_both_achieve_the_same_rate_and_median(
    request: pytest.FixtureRequest, compare: Compare, target: str
) -> None:
    """At a rate below what both can do; medians within what docs/metrics.md says that a client adds."""
    if target == "sqs-standard":
        request.getfixturevalue("warmed")
    for _ in range(3):
        runs = compare(target, **STEADY[target])
        if min(run.longest_s for run in runs) < STALL_S:
            break
    assert_same_ledger(*runs)
    assert_same_rate(*runs)
    assert_medians_as_stated(*runs)


def on_instrument(case: Case, **behaviour: Any) -> tuple[Target, Case]:
    """The same on the project's own server, which answers at once unless it is told otherwise."""
    protocol = "sqs" if case.target == "sqs-standard" else "amqp"
    program = Program.model_validate({"protocol": protocol, "messages": 1, **behaviour})
    workload = case.workload.model_copy(update={"program": program})
    return InstrumentTarget(), case.model_copy(update={"target": "instrument", "workload": workload})


@pytest.mark.quiet
def test_a_client_adds_no_more_than_is_said_and_a_slow_one_is_reported() -> None:
    cases = [planned(name, client, STEADY[name]) for name in TARGETS for client in CLIENTS]
    slow = on_instrument(cases[0], messages_per_s=40)
    *runs, slower = side_by_side([*(on_instrument(case) for case in cases), slow])
    for run in runs:
        assert_as_stated(run)
    with pytest.raises(AssertionError, match=r"confirmed: .* apart"):
        assert_same_rate(runs[0], slower)
    with pytest.raises(AssertionError, match=r"produce: .* is allowed"):
        assert_medians_as_stated(slower, runs[0])
