"""Each flag of a case, and each reason why a loader was the limit, at both sides of its condition.

A flag or a reason that is added without its two examples fails here.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Any, get_args

import pytest

from breakeven.loadgen.case_figures import MOST_WORDS
from breakeven.loadgen.evidence import Evidence
from breakeven.loadgen.flags import FLAGS, raised
from breakeven.loadgen.ledger.ledger import Ledger, ProducerLedger
from breakeven.loadgen.ledger.queue_count import QueueCount
from breakeven.loadgen.ledger.sequences import SequenceSet
from breakeven.loadgen.merge import merge
from breakeven.loadgen.reconciliation import account
from breakeven.loadgen.record.cell import Cell
from breakeven.loadgen.record.total import Total
from breakeven.loadgen.result import LoaderResult
from breakeven.loadgen.search.probe import Probe
from breakeven.loadgen.self_check.diagnosis import SATURATED_BY
from breakeven.steps.lane.warm_up_record import Kind, WarmUp
from breakeven.terms import Flag
from tests.support.loaders.diagnoses import call_errors, diagnosis
from tests.support.loaders.probes import probe as a_probe


def result(received: int = 10, **fields: Any) -> LoaderResult:
    """One loader's, of ten messages sent and confirmed."""
    ledger = Ledger({0: ProducerLedger(10, SequenceSet.first(10))}, {0: SequenceSet.first(received)})
    return LoaderResult(
        "run", "case", 1, 0, 1, "parallel", 10.0, **{"final": True, "ledger": ledger, **fields}
    )


def of(*, left: QueueCount | None = None, **fields: Any) -> Evidence:
    results = [result(**fields)]
    return Evidence(results=results, account=account(results, left))


def skipping(messages: int) -> Evidence:
    cell = Cell(skipped=messages)
    for _ in range(10 - messages):
        cell.latencies.add(1000)
    return Evidence(totals={"end_to_end": Total(cell, 0.0, 10.0)})


def unload(early_s: float) -> Evidence:
    return Evidence(totals={"consume": Total(Cell(), 0.0, 10.0, (999, early_s))})


def running(*seconds: int, rate: int = 25, **fields: Any) -> Evidence:
    """Five seconds, of which messages were consumed in these."""
    cell = Cell()
    for second in seconds:
        cell.complete(second * 10**9, 16, ceil(5 * rate / len(seconds)))
    return Evidence(**{"totals": {"consume": Total(cell, 0.0, 5.0)}, "even": True, **fields})


def loaded(left: int) -> Evidence:
    """A thousand messages loaded, and ten seconds in which some of them were taken."""
    cells = {("prefill", "produce"): Cell(), ("measure", "consume"): Cell()}
    cells["prefill", "produce"].complete(0, 16, 1000)
    cells["measure", "consume"].complete(0, 16, 1000 - left)
    return replace(of(cells=cells), prefill=1000)


def mirrored(mirrors: int) -> Evidence:
    return Evidence(mirrors={"before": {"q0": 1}, "after": {"q0": mirrors}}, mirrors_due=1)


def warmed_up(last: float) -> Evidence:
    kind = Kind(message_bytes=16, rates=[(100, 100), (last, 100)])
    return Evidence(cold=WarmUp(kinds=(kind,)).cold)


def probe(number: int, rate: float, p99_ms: float, *, held: bool = True, **fields: Any) -> Probe:
    return a_probe(rate, held=held, number=number, end_to_end_p99_ms=p99_ms, **fields)


def searched(*p99s_ms: float) -> Evidence:
    """At 1,000 messages a second, 2,000 and so on."""
    probes = [probe(number, 1000.0 * number, p99_ms) for number, p99_ms in enumerate(p99s_ms, start=1)]
    return replace(of(probes=probes), objective_ms=100.0)


def confirming(*held: bool) -> Evidence:
    """Of a search that found 400 messages a second, and 350 below it, each held for ten minutes or not."""
    found = [probe(1, 350, 9.0), probe(2, 400, 9.0)]
    longer = {"confirms": True, "for_s": 600.0}
    tries = [probe(3 + n, 400 - 50 * n, 9.0, held=each, **longer) for n, each in enumerate(held)]
    return replace(of(probes=[*found, *tries]), confirm_s=600.0)


def bounded(idle_share: float | None, others_share: float | None = 0.0) -> Evidence:
    """A search on a host of two cores, whose second rate was not held."""
    held = diagnosis("probe-1", 0.1, others_share=0.0, idle_share=0.9)
    failed = diagnosis("probe-2", 0.1, others_share=others_share, idle_share=idle_share)
    probes = [probe(1, 400, 9.0), probe(2, 410, 9.0, held=False)]
    return of(probes=probes, diagnoses=[held, failed], host={"cores": 2})


#: flag -> the smallest evidence that raises it, what its sentence says of that, and the largest that does not
EXAMPLES: dict[Flag, tuple[Evidence, tuple[str, ...], Evidence]] = {
    "shared_host": (
        replace(of(host={"cores": 2}), environment="local"),
        ("one machine and its 2 cores",),
        replace(of(host={"cores": 2}), environment="aws"),
    ),
    "emulated": (Evidence(provenance="emulated"), ("stand-in",), Evidence(provenance="measured")),
    "loader_saturated": (
        of(diagnoses=[diagnosis("measure", 0.8)]),
        ("loader 0, measure", "0.80 of a core", "0.8 is the limit"),
        of(diagnoses=[diagnosis("measure", 0.7999)]),
    ),
    "busy_host": (
        of(diagnoses=[diagnosis("measure", 0.1, others_share=0.1)]),
        ("loader 0, measure", "10% of the host's", "10% is the limit"),
        of(diagnoses=[diagnosis("measure", 0.1, others_share=0.0999)]),
    ),
    "other_runs": (Evidence(shared=True), ("--share",), Evidence(shared=False)),
    "cold_lane": (
        warmed_up(112),
        ("100 msg/s sent at first, 112 at last (2 windows), not steady (sent 100, then 112)",),
        warmed_up(111),
    ),
    "latency_fell": (
        searched(50.0, 25.0),
        ("50.0 ms at 1,000 msg/s", "25.0 ms at 2,000 msg/s"),
        searched(49.99, 25.0),
    ),
    "idle_limit": (
        bounded(0.6001),
        ("410 msg/s was not held", "used 0.80 of its 2 cores", "under 0.8 no thread"),
        bounded(0.5999),
    ),
    "not_confirmed": (
        confirming(False),
        (
            "400 msg/s was not held for 600 s (the backlog may grow)",
            "350 msg/s was not offered for 600 s, as too little time",
        ),
        confirming(False, True),
    ),
    "few_samples": (
        Evidence(without_percentile={"end_to_end": (9_999, ("p99.9",))}),
        ("p99.9 of end to end (9,999 latencies)", "fewer than 10"),
        Evidence(without_percentile={}),
    ),
    "drain_deadline": (
        of(flags=["drain_deadline"], received=9),
        ("1 message of those sent",),
        of(received=9),
    ),
    "backlog_ran_out": (
        loaded(90),
        ("1,000 messages loaded beforehand", "90 were left"),
        loaded(91),
    ),
    "left_estimated": (
        of(left=QueueCount(1, exact=False), received=9, still_came=True),
        ("about 1 message",),
        of(left=QueueCount(1, exact=True), received=9, still_came=True),
    ),
    "slow_tail": (unload(8.999), ("of 10.0 s, over 10%", "1.00 s"), unload(9.0)),
    "stalled": (
        running(0, 1, 4),
        ("nothing was received for 2 whole seconds of 5.00 s, from 2 s on",),
        running(0, 1, 2, 3, 4),
    ),
    "general_path": (of(fallbacks=["BREAKEVEN_CORE=off"]), ("BREAKEVEN_CORE=off",), of(fallbacks=[])),
    "ledger_incomplete": (of(final=False), ("0 of 1 loader",), of(final=True)),
    "nodes_down": (
        Evidence(nodes=2, nodes_down=1),
        ("1 of 2 nodes",),
        Evidence(nodes=2, nodes_down=0),
    ),
    "mirrors_out_of_sync": (mirrored(0), ("q0 had 0 of 1 mirror in sync after",), mirrored(1)),
    "end_to_end_partial": (skipping(1), ("1 of 10 messages",), skipping(0)),
    "call_errors": (
        of(call_errors=[call_errors("Throttled", 1, said="slow down")]),
        ("1 call failed", "produce Throttled 1 (2026-11-20T15:30:00.000+00:00: slow down)"),
        of(call_errors=[]),
    ),
}


def test_every_flag_has_its_condition_and_its_two_examples() -> None:
    assert set(FLAGS) == set(EXAMPLES) == set(get_args(Flag))


@pytest.mark.parametrize("flag", get_args(Flag))
def test_a_flag_is_raised_by_the_smallest_evidence_and_says_it(flag: Flag) -> None:
    raising, figures, sparing = EXAMPLES[flag]
    said = raised(raising)[flag]
    assert all(figure in said for figure in figures), said
    assert flag not in raised(sparing)


@pytest.mark.parametrize(
    ("evidence", "from_s"),
    [
        (running(1, 2, 3, 4), "0 s on"),
        (running(0, 1, 2), "3 s on"),
        (running(0, 2, 4), "1 s on"),  # the first of two that are as long
        (running(0, rate=24), None),  # may be chance
        (replace(running(0), even=False), None),
        (replace(loaded(90), totals=running(0).totals, even=True), None),  # the queues were empty
    ],
)
def test_a_stall_is_said_where_nobody_asked_for_it(evidence: Evidence, from_s: str | None) -> None:
    said = raised(evidence).get("stalled", "")
    assert (from_s in said) if from_s else not said


def test_the_wait_for_a_hidden_message_is_no_stall() -> None:
    """It comes after 33 s, and all others within three."""
    cell = Cell()
    for second in (0, 1, 2, 33):
        cell.complete(second * 10**9, 16, 1 if second == 33 else 500)
    total = Total(cell, 0.0, 33.0, (1500, 2.7))
    assert "stalled" not in raised(Evidence(totals={"consume": total}, even=True))
    assert (
        "from 3 s on"
        in raised(Evidence(totals={"consume": replace(total, early=None)}, even=True))["stalled"]
    )


def test_what_a_lost_loader_did_not_record_is_no_stall() -> None:
    lost = replace(of(final=False), totals=running(0, 1).totals, even=True)
    assert "stalled" not in raised(lost)


@pytest.mark.parametrize(
    ("evidence", "raises"),
    [
        (searched(9.0, 60.0, 25.0), True),
        (searched(25.0, 50.0), False),
        (searched(90.0, 46.0), False),  # not twice as long
        (searched(5000.0, 101.0), False),  # too much is offered at both: the second was ended sooner
        (searched(5000.0, 100.0), True),
        (replace(searched(50.0, 25.0), objective_ms=None), False),
    ],
)
def test_a_p99_falls_where_the_higher_rate_kept_the_objective(evidence: Evidence, raises: bool) -> None:
    assert ("latency_fell" in raised(evidence)) is raises


def test_a_rate_that_was_tried_twice_counts_by_its_second_try() -> None:
    tries = [probe(1, 1000, 300.0, held=False), probe(2, 1000, 9.0), probe(3, 2000, 9.0)]
    assert "latency_fell" not in raised(replace(of(probes=tries), objective_ms=100.0))
    assert "latency_fell" in raised(replace(of(probes=[*tries[1:], tries[0]]), objective_ms=100.0))


def test_a_rate_that_was_never_held_for_so_long_is_not_confirmed_either() -> None:
    assert raised(confirming()) == {
        "not_confirmed": "400 msg/s was not offered for 600 s, as too little time was left, or messages were"
    }
    assert raised(replace(confirming(), confirm_s=0.0)) == {}


@pytest.mark.parametrize("evidence", [bounded(0.9, others_share=None), bounded(None), of(probes=[])])
def test_a_host_of_which_little_is_known_is_not_called_idle(evidence: Evidence) -> None:
    """As where the target's server was given to the run: it may be elsewhere."""
    assert "idle_limit" not in raised(evidence)


#: reason -> the smallest evidence, what its sentence says of that, and the largest that is none
REASONS: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "processor": ({"cpu_share": 0.8}, ("0.80", "0.8 is the limit"), {"cpu_share": 0.7999}),
    "lag": (
        {"own_host": True, "lag_p99_ms": 5.01},
        ("5.01 ms", "5 ms is the limit"),
        {"own_host": True, "lag_p99_ms": 5.0},
    ),
    "lateness": ({"pacing_p99_ms": 1.01}, ("1.01 ms", "1 ms is the limit"), {"pacing_p99_ms": 1.0}),
    "shortfall": (
        {"offered": 1000, "achieved": 989, "blocked_share": 0.0099},
        ("989 of the 1,000", "under 99%", "1.0% of the time"),
        {"offered": 1000, "achieved": 990, "blocked_share": 0.0099},
    ),
}


def test_every_reason_for_a_lower_bound_has_its_two_examples() -> None:
    assert set(SATURATED_BY) == set(REASONS)


@pytest.mark.parametrize("reason", SATURATED_BY)
def test_a_reason_for_a_lower_bound_is_found_at_its_limit_and_says_it(reason: str) -> None:
    found, figures, sparing = REASONS[reason]
    (said,) = diagnosis(**{"stage": "measure", "cpu_share": 0.1, **found}).evidence()
    assert all(figure in said for figure in figures), said
    assert diagnosis(**{"stage": "measure", "cpu_share": 0.1, **sparing}).evidence() == []


def test_a_shortfall_with_the_window_full_is_the_targets() -> None:
    behind = {"offered": 1000, "achieved": 500, "blocked_share": 0.01}
    assert diagnosis("measure", 0.1, **behind).evidence() == []


def test_lateness_of_any_schedule_is_the_loaders() -> None:
    """Whatever waited for room in the window is no part of it."""
    (said,) = diagnosis("measure", 0.1, pacing_p99_ms=42.0, blocked_share=0.5).evidence()
    assert "42.0 ms late" in said


#: of a loader that is late beside its target, on a host without a core to spare
BESIDE_ITS_TARGET = {"pacing_p99_ms": 3.4, "others_share": 0.0, "idle_cores": 0.99}


def test_lateness_on_a_host_without_an_idle_core_is_the_hosts() -> None:
    found = diagnosis("probe-4", 0.5, **BESIDE_ITS_TARGET)
    assert found.evidence() == []
    said = raised(replace(of(diagnoses=[found], host={"cores": 2}), environment="local"))
    assert list(said) == ["shared_host"]
    assert said["shared_host"].endswith(
        "its 2 cores; loader 0, probe-4: 1 message in 100 was handed over 3.40 ms late or later while 0.99 "
        "of a core was idle"
    )


@pytest.mark.parametrize(
    "other",
    [
        {"idle_cores": 1.0},
        {"idle_cores": None},
        {"others_share": None},  # the target may be elsewhere
    ],
)
def test_lateness_is_the_loaders_where_a_core_was_idle_or_the_target_is_elsewhere(other: Any) -> None:
    found = diagnosis("probe-4", 0.5, **{**BESIDE_ITS_TARGET, **other})
    assert len(found.evidence()) == 1
    said = raised(replace(of(diagnoses=[found], host={"cores": 2}), environment="local"))
    assert set(said) == {"shared_host", "loader_saturated"}
    assert said["shared_host"].endswith("its 2 cores")


def test_the_words_on_a_limit_keep_to_the_length_of_a_record() -> None:
    every = {name: value for found, _, _ in REASONS.values() for name, value in found.items()}
    found = diagnosis(**{"stage": "measure", **every})
    assert len(found.evidence()) == len(REASONS)
    limit = merge([result(diagnoses=[found])], None).limit()
    assert limit is not None
    assert len(limit.evidence) <= MOST_WORDS
