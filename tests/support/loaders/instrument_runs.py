"""Whole loaders on the instrument, for the tests that hold what they read against what was programmed."""

from __future__ import annotations

import json
from typing import Any

from breakeven.instrument.program import Program
from breakeven.loadgen.assignment import Assignment
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.loader import run_loader
from breakeven.loadgen.merge import Measurement, merge
from breakeven.loadgen.result import LoaderResult
from breakeven.targets.instrument import InstrumentTarget
from breakeven.workload.case import Case
from tests.support.cases import case_with, workload_with
from tests.support.scripted.fake_meeting import FakeMeeting


def instrument_case(program: Program, **fields: Any) -> Case:
    """Load-unload of the program's messages by one worker each way, unless ``fields`` say otherwise."""
    workload = {
        "mode": "load-unload",
        "messages": program.messages,
        "message_bytes": 64,
        "drain_s": 3.0,  # what is lost is waited for as long: a busy host may stall for a second
        "client": "native",
        "program": program,
        **fields,
    }
    return case_with(
        workload_with(**workload),
        case_id=f"instrument.{program.protocol}.instrument.r1",
        scenario="instrument",
        cell=program.protocol,
        target="instrument",
        expected_s=10,
        limit_s=300,
    )


def measured(case: Case) -> tuple[Measurement, dict[str, Any]]:
    """What the loader read, as it comes back from storage, and what the instrument says it did."""
    target = InstrumentTarget()
    queues = target.prepare(case, 1).queues
    client = target.client(case.workload)
    try:
        meeting = FakeMeeting(1, gate_delay_s=0.2)
        result = run_loader(Assignment(case, 1, 0, queues), client, meeting.of(0), lambda _: None)
    finally:
        client.close()
    assert client.record is not None
    found = LoaderResult.from_json(json.loads(json.dumps(result.to_json())))
    return merge([found], QueueCount(target.depth(queues))), client.record
