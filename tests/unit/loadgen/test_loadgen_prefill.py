"""Whole loaders on an in-memory broker whose queues are loaded first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from breakeven.loadgen.ledger.ledger import Receipts
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.loadgen.workers.first_copies import first_copies
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, make_case

pytestmark = pytest.mark.usefixtures("brisk", "no_thread_left")


@pytest.mark.parametrize("loaders", [1, 2])
@pytest.mark.parametrize(
    "workers",
    [
        {"producers": 2, "consumers": 2},
        {"producers": 2, "consumers": 2, "rate": 50.0},
        {"producers": 0, "consumers": 2},
        {"producers": 2, "consumers": 0},
    ],
    ids=["closed", "open", "consume only", "publish only"],
)
def test_what_is_loaded_is_in_the_ledger_and_not_in_what_is_measured(
    workers: dict[str, Any], loaders: int
) -> None:
    case = make_case(prefill=600, queues=2, loaders=loaders, warmup_s=0.0, **workers)
    run = Run(case, FakeBroker(), answer_s=0.0001)
    results = run.results()
    measurement = merge(results, QueueCount(run.broker.depth()))
    assert_all_arrived(measurement)
    of_loading = [result.cells["prefill", "produce"] for result in results]
    assert sum(cell.total().operations for cell in of_loading) == 600
    assert sum(cell.latencies.count for cell in of_loading) == 0
    sent_later = measurement.ledger.sent - 600
    assert measurement.totals["produce"].cell.total().operations <= sent_later
    assert (sent_later > 0) == bool(workers["producers"])
    assert run.meeting.arrived.keys() == {"start", "prefilled"}
    assert list(results[0].stages) == ["prefill", "measure", "drain"]
    if 0 in workers.values():
        assert "end_to_end" not in measurement.totals
    else:
        found = measurement.totals["end_to_end"].cell
        sent = measurement.totals["produce"].cell.latencies.count
        # a closed loop's send may straddle the end of its stage: it was decided before it, and stamped after
        straddle = 0 if "rate" in workers else workers["producers"]
        assert 0 <= found.latencies.count - sent <= straddle
        assert found.skipped == 0, "of what was loaded no time is missed"


def test_processing_goes_by_the_time_since_the_cases_own_work_began() -> None:
    """The profile's second step would hold for all messages if loading counted."""
    steps = ({"value": 0.0, "for_s": 60.0}, {"value": 60_000.0, "for_s": 60.0})
    case = make_case(producers=0, consumers=1, prefill=20, processing_profile=steps)
    assert_all_arrived(Run(case, FakeBroker()).measured())


def test_one_queue_after_another_gets_its_share() -> None:
    case = make_case(producers=3, consumers=2, queues=2, prefill=10, measure_s=0.3, rate=0.001, warmup_s=0.0)
    results = Run(case, FakeBroker(), answer_s=0.0001).results()
    loaded = {number: own.sent for number, own in results[0].ledger.producers.items()}
    assert loaded == {0: 3 + 1, 1: 5, 2: 2}  # the only message of the rate is the first producer's


@pytest.mark.parametrize("instants", [[70, 71, 72, 73], np.array([70, 71, 72, 73])], ids=["list", "array"])
def test_first_copies_leave_out_what_was_loaded(instants: Any) -> None:
    """As plain integers, whatever they came as: they go into a document."""
    receipts = Receipts([True] * 4, [0, 1, 0, 0], [1, 1, 2, 3], [True, True, True, False])
    found = list(first_copies(receipts, instants, lambda producer: 2 * (1 - producer)))
    assert found == [(0, [2], [72]), (1, [1], [71])]
    assert {type(value) for _, sequences, ends in found for value in (*sequences, *ends)} == {int}
    (whole,) = first_copies(Receipts([True] * 2, [0, 0], range(1, 3), [True] * 2), instants[:2], lambda _: 2)
    assert whole == (0, [2], [71])
    assert type(whole[2][0]) is int
