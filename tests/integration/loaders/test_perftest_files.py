"""Spec files of PerfTest as they were published, driven on real brokers: every message is accounted for."""

from __future__ import annotations

import pytest

from breakeven.clients import connections
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.planning.expand import expand
from breakeven.targets.catalog import PAIR
from breakeven.targets.target import Target
from breakeven.workload.case import Case
from breakeven.workload.perftest.spec_suite import Wishes, spec_suite
from breakeven.workload.read import scenarios
from tests.support.loaders.real_targets import opened
from tests.support.scripted.fake_meeting import FakeMeeting

#: seconds in which nodes of a busy host have read all that was sent
PATIENCE_S = 120.0


def case_of(name: str, scenario: str, cell: str) -> Case:
    """A case of a published file as it is printed, but of a second, with little warm-up and a long drain."""
    text = (scenarios() / "perftest" / name).read_bytes()
    suite, _ = spec_suite(text, name, Wishes("local", targets=(PAIR,), full_rate=500))
    cases = expand(suite, run_id="published", environment="local")
    (case,) = [case for case in cases if (case.scenario, case.cell) == (scenario, cell)]
    short = case.workload.model_copy(update={"warmup_s": 0.3, "measure_s": 1.0, "drain_s": PATIENCE_S})
    return case.model_copy(update={"loaders": 1, "workload": short})


def driven(target: Target, case: Case) -> Measurement:
    queues = target.prepare(case, 1).queues
    client = target.client(case.workload)
    try:
        meeting = FakeMeeting(1, gate_delay_s=0.3)
        result = run_loader(Assignment(case, 1, 0, queues), client, meeting.of(0), lambda _: None)
        return merge([result], QueueCount(target.depth(queues)))
    finally:
        client.close()
        target.release(queues)


@pytest.mark.parametrize(
    ("name", "scenario", "cell"),
    [
        ("ladder-step.js", "test1", "threads=1"),
        ("mixed.js", "message-sizes-and-producers", "consumers=0 producers=2 size=1KiB"),
        ("mixed.js", "message-sizes-large", "producers=1 consumers=1 size=64000B"),
        ("mixed.js", "rate-vs-latency", "producers=1 consumers=1 size=16B rate=300"),
    ],
)
def test_a_published_case_is_driven_and_accounted_for(request, monkeypatch, name, scenario, cell):
    # nodes of a busy host need more than theirs to read what is sent without confirms
    monkeypatch.setattr(connections, "UNCONFIRMED_CLOSE_TIMEOUT_S", PATIENCE_S)
    ledger = driven(opened(request, PAIR), case_of(name, scenario, cell)).ledger
    assert ledger.sent == ledger.received > 0
    assert (ledger.missing, ledger.left, ledger.lost, ledger.unexpected) == (0, 0, 0, 0)
    assert ledger.closed
