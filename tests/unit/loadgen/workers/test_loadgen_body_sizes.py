"""Bodies of several sizes: their order, and the bytes that a whole loader records of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from breakeven.loadgen.body_sizes import BodySizes
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.merge import merge
from breakeven.loadgen.record.recorder import Recorder
from breakeven.loadgen.stages import Timeline
from breakeven.workload.case import Share
from tests.support.loaders.loader_runs import Run, assert_all_arrived, brisk, no_thread_left  # noqa: F401
from tests.support.scripted.fakes import FakeBroker, make_case

SHARES = {16: 50, 100: 30, 1000: 20}


def mixed(**fields: Any) -> Any:
    case = make_case(message_bytes=238, **fields)
    mix = tuple(Share(bytes=size, percent=percent) for size, percent in SHARES.items())
    return case.model_copy(update={"workload": case.workload.model_copy(update={"message_mix": mix})})


def test_each_hundred_of_a_producers_messages_has_the_shares_of_the_mix():
    sizes = BodySizes(mixed())
    for producer in (0, 7):
        found = sizes.of(producer, range(250, 350))
        assert Counter(found.tolist()) == SHARES
        assert found[:50].tolist() == sizes.of(producer, range(150, 200)).tolist()
    assert sizes.of(0, range(100)).tolist() != sizes.of(1, range(100)).tolist()
    assert sizes.of(0, range(100)).tolist() == BodySizes(mixed()).of(0, range(100)).tolist()
    together = sizes.of_many([1, 0, 1], [5, 6, 7]).tolist()
    assert together == [*sizes.of(1, [5]), *sizes.of(0, [6]), *sizes.of(1, [7])]


def test_a_recorder_adds_up_the_bytes_of_each():
    timeline = Timeline("parallel")
    timeline.begin("measure", 0, 0.0)
    recorder, sizes = Recorder(timeline), np.array([16, 100, 16, 1000])
    recorder.operations("produce", [1, 2, 3, 4], 10, sizes)
    recorder.completions("consume", [5, 6, 7, 8], 4, sizes)
    for metric in ("produce", "consume"):
        window = recorder.cells()["measure", metric].total()
        assert (window.operations, window.size) == (4, 1132)
    assert recorder.histogram("measure", "produce").sum_ns == 9 + 8 + 7 + 6
    with pytest.raises(ValueError, match="columns of 1 and 2 instants"):
        recorder.operations("produce", [1], [2, 3], sizes[:2])


@pytest.mark.usefixtures("brisk", "no_thread_left")
@pytest.mark.parametrize("push", [False, True], ids=["get", "push"])
@pytest.mark.parametrize("arriving", [{}, {"rate": 200.0, "window": 10}], ids=["closed", "open"])
def test_a_loader_sends_the_mix_and_records_the_bytes_of_what_it_did(
    push: bool, arriving: dict[str, Any]
) -> None:
    case = mixed(producers=2, consumers=2, warmup_s=0.0, prefill=50, **arriving)
    broker = FakeBroker()
    run = Run(case, broker, push=push, replies=True)
    results = run.results()
    assert_all_arrived(merge(results, QueueCount(broker.depth())))
    sizes, sent = BodySizes(case), results[0].ledger.producers
    total = sum(int(sizes.of(number, range(own.sent)).sum()) for number, own in sent.items())
    for metric in ("produce", "consume", "settle"):
        stages = [cell.total() for (_, name), cell in results[0].cells.items() if name == metric]
        assert sum(window.operations for window in stages) == sum(own.sent for own in sent.values())
        assert sum(window.size for window in stages) == total
