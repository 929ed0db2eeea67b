"""Cases without consumers: where they may be, and what they are taken to cost."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.budget import sqs_requests_at_most
from breakeven.planning.budget.durations import expected
from breakeven.planning.budget.request_counts import sqs_requests
from breakeven.planning.expand import expand
from breakeven.targets.catalog import PAIR, SQS
from breakeven.workload.case import Case
from breakeven.workload.read import parse_suite

PUBLISH_ONLY = {"producers": 2, "consumers": 0}


def cases_of(scenario: dict[str, Any], *targets: str) -> list[Case]:
    document = {"suite": "x", "title": "t", "targets": list(targets or [SQS]), "scenarios": {"s": scenario}}
    return expand(parse_suite(document, "x.yaml"), run_id="run-1")


def test_they_have_as_many_queues_as_producers_at_most():
    for case in cases_of({**PUBLISH_ONLY, "queues": 2}, SQS, PAIR):
        assert (case.workload.consumers, case.workload.queues, case.loaders) == (0, 2, 1)
    with pytest.raises(InputError, match="2 producers would leave a queue without one"):
        cases_of({**PUBLISH_ONLY, "queues": 3})


def test_a_matrix_sets_publishing_alone_beside_consuming():
    found = cases_of({"producers": 1, "consumers": [0, 1]})
    assert [case.cell for case in found] == ["producers=1 consumers=0", "producers=1 consumers=1"]


@pytest.mark.parametrize(
    ("scenario", "mode"),
    [
        ({"mode": "load-unload", "messages": 10}, "load-unload"),
        ({"mode": "capacity", "rate": 10}, "capacity"),
    ],
)
def test_where_what_is_received_is_measured_somebody_must_receive(scenario, mode):
    with pytest.raises(InputError, match=f"mode {mode} measures what is received; at least 1") as caught:
        cases_of({**PUBLISH_ONLY, **scenario}, PAIR)
    assert (caught.value.field, caught.value.value) == ("scenarios.s.consumers", 0)


def test_all_is_left_for_the_drain_in_which_the_producers_receive():
    (single,) = cases_of({**PUBLISH_ONLY, "rate": 100, "warmup_s": 0, "measure_s": 10, "drain_s": 30})
    found = expected(single.workload, single.target, "aws")
    assert found.messages == pytest.approx(1000)
    # two of them with ten calls of 10 ms at once, two calls a message: 1,000 messages a second
    assert found.stages_s == pytest.approx(10 + 1)


def test_nobody_asks_in_vain_while_messages_are_sent_and_the_producers_may_until_the_drain_ends():
    (single,) = cases_of(
        {**PUBLISH_ONLY, "rate": 100, "warmup_s": 0, "measure_s": 10, "drain_s": 30, "wait_s": 5}
    )
    assert sqs_requests(single) == pytest.approx(3 * 1000)
    # each send, receive and deletion once, and for half a minute 2 workers' 10 polls of 5 s
    assert sqs_requests_at_most(single) >= 2 * 10 * 30 / 5
