"""What several loaders measured, put together."""

from __future__ import annotations

import itertools

import pytest

from breakeven.loadgen.ledger.ledger import Ledger, ProducerLedger
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.merge import merge
from breakeven.loadgen.record.recorder import Cells, Recorder
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.stages import Timeline, measured_in
from breakeven.terms import METRICS
from tests.support.loaders.diagnoses import call_errors, diagnosis
from tests.support.scripted.fakes import make_case

SECOND_NS = 10**9


def handed_in(
    loader: int, cells: Cells, *, mode: str = "parallel", loaders: int = 2, **fields
) -> LoaderResult:
    ledger = Ledger({loader: ProducerLedger(10, SequenceSet.first(10))}, {loader: SequenceSet.first(10)})
    return LoaderResult(
        run_id="run",
        case_id="case",
        attempt=1,
        loader=loader,
        loaders=loaders,
        mode=mode,
        measure_s=10.0,
        **{"final": True, "ledger": ledger, "cells": cells, **fields},
    )


def recorded(mode: str, stages: dict[str, float], *operations: tuple[str, float, float]) -> Cells:
    """Cells of operations (metric, intended, completed), instants in seconds."""
    timeline = Timeline(mode)
    for name, start_s in stages.items():
        timeline.begin(name, round(start_s * SECOND_NS), start_s)
    recorder = Recorder(timeline)
    for metric, intended_s, completed_s in operations:
        recorder.operation(metric, round(intended_s * SECOND_NS), round(completed_s * SECOND_NS), 100)
    return recorder.cells()


PARALLEL = {"warmup": 0.0, "measure": 5.0, "drain": 15.0}


def test_totals_and_latencies_are_those_of_the_measured_stage_of_all_loaders() -> None:
    first = recorded("parallel", PARALLEL, ("produce", 1, 2), ("produce", 6, 7), ("produce", 14, 16))
    second = recorded("parallel", PARALLEL, ("produce", 6, 9), ("consume", 20, 21))
    measurement = merge([handed_in(0, first), handed_in(1, second)], QueueCount(0))
    rows = measurement.rows(make_case())
    produce, consume = rows["totals"]
    assert produce == {
        "case_id": "scenario.cell.target.r1",
        "metric": "produce",
        "operations": 3,
        "completed": 2,  # the third ended in the drain
        "bytes": 200,
        "sum_ns": 6 * SECOND_NS,
        "min_ns": 1 * SECOND_NS,
        "max_ns": 3 * SECOND_NS,
        "skipped": 0,
        "unfinished": 0,
        "starved": 0,
        "stage_s": 10.0,
        "early_completed": None,
        "early_s": None,
        "paused_s": None,
        "core_operations": None,
        "general_operations": None,
        "calls": None,
    }
    assert (consume["operations"], consume["completed"], consume["min_ns"]) == (0, 0, None)
    assert [(row["value_ns"], row["operations"]) for row in rows["latencies"]] == [
        (pytest.approx(seconds * SECOND_NS, rel=1e-3), 1) for seconds in (1, 2, 3)
    ]
    assert [(row["loader"], row["stage"], row["second"]) for row in rows["windows"]] == [
        (0, "warmup", 2),
        (0, "measure", 2),
        (0, "drain", 1),
        (1, "measure", 4),
        (1, "drain", 6),
    ]


def test_a_load_lasts_from_the_first_start_to_the_last_answer_of_any_loader() -> None:
    first = recorded("load-unload", {"load": 0.0, "unload": 50.0}, ("produce", 1, 8), ("consume", 51, 60))
    second = recorded(
        "load-unload", {"load": 0.0, "unload": 50.0}, ("produce", 1, 7.8), ("consume_cycle", 51, 90)
    )
    third = recorded("load-unload", {"load": 0.0, "unload": 50.0})
    stages = [{"load": 1000.0, "unload": 1050.0}, {"load": 1000.5, "unload": 1050.0}, {"load": 1000.0}]
    measurement = merge(
        [
            handed_in(number, cells, mode="load-unload", loaders=3, stages=started)
            for number, cells, started in zip(itertools.count(), (first, second, third), stages)
        ],
        QueueCount(0),
    )
    assert measurement.produce_s == pytest.approx(8.3)
    assert measurement.consume_s == pytest.approx(10.0)  # to the last message in hand; settling it is no part
    stage_s = {row["metric"]: row["stage_s"] for row in measurement.rows(make_case())["totals"]}
    assert stage_s == pytest.approx({"produce": 8.3, "consume": 10.0, "consume_cycle": 10.0})


def test_an_unload_of_nothing_has_no_length() -> None:
    measurement = merge([handed_in(0, {}, mode="load-unload", loaders=1)], QueueCount(0))
    assert (measurement.produce_s, measurement.consume_s, measurement.totals) == (None, None, {})


def test_end_to_end_means_nothing_in_load_unload() -> None:
    assert [measured_in("load-unload", metric) for metric in METRICS] == [
        "load",
        *["unload"] * 3,
        *[None] * 3,
    ]
    cells = recorded("load-unload", {"load": 0.0}, ("end_to_end", 1, 2))
    assert (
        "end_to_end" not in merge([handed_in(0, cells, mode="load-unload", loaders=1)], QueueCount(0)).totals
    )


@pytest.mark.parametrize(
    ("fields", "flag"),
    [
        ({"flags": ["drain_deadline"]}, "drain_deadline"),
        ({"call_errors": [call_errors("connection_lost", 1)]}, "call_errors"),
        ({"diagnoses": [diagnosis("load", 0.1), diagnosis("unload", 0.9)]}, "loader_saturated"),
        ({"diagnoses": [diagnosis("load", 0.1, others_share=0.5), diagnosis("unload", 0.1)]}, "busy_host"),
        ({"final": False}, "ledger_incomplete"),
        ({"loaders": 3}, "ledger_incomplete"),
    ],
)
def test_one_loader_flags_the_case(fields: dict, flag: str) -> None:
    assert merge([handed_in(0, {}), handed_in(1, {})], QueueCount(0)).flags == {}
    assert merge([handed_in(0, {}, **fields), handed_in(1, {})], QueueCount(0)).flags.keys() == {flag}


def test_a_checkpoint_brings_its_ledger_and_no_figures() -> None:
    whole = recorded("parallel", PARALLEL, ("produce", 6, 7))
    measurement = merge([handed_in(0, whole), handed_in(1, {}, final=False)], QueueCount(0))
    assert measurement.ledger.sent == measurement.ledger.received == 20
    assert measurement.ledger.lost is None
    assert measurement.totals["produce"].cell.latencies.count == 1


def test_nothing_handed_in_is_an_empty_measurement() -> None:
    measurement = merge([], QueueCount(2))
    assert list(measurement.flags) == ["ledger_incomplete"]
    assert measurement.rows(make_case())["totals"] == []
    assert measurement.rows(make_case())["ledgers"][0]["left_in_queue"] == 2
