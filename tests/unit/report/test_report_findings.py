"""Each sentence on measurements in verdict and validity, and each flag of a run, at both sides of its limit.

A sentence or a flag that is added without its two examples fails here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from breakeven.loadgen.case_figures import ProbeReport
from breakeven.report.building.instrument_readings import RUN_FLAGS
from breakeven.report.building.measured_findings import OPENING, OUTCOMES, accounted
from breakeven.report.building.measured_speeds import SPEEDS, speeds
from breakeven.report.contract.loader_model import LoaderReports
from breakeven.report.contract.report_model import CaseReport, Metric, Report
from breakeven.report.contract.validity_model import TOLERANCE_MS, RunFlag
from breakeven.report.sections.trust import validity
from breakeven.report.tables.flag_tables import flags_list
from breakeven.report.tables.instrument_findings import sentences
from breakeven.terms import Flag
from tests.fixtures.report import sample
from tests.fixtures.report.self_tested import TOOK, proved, record

#: a run of two cases on a target that was really measured: parallel, 1 and 5 threads
PLAN = sample.planned((sample.RABBITMQ,))[1:3]
WHOLE = sample.report(PLAN)
OPEN = {"mode": "parallel", "rate": 100.0, "consumers": 1, "measure_s": 10.0, "confirms": True}


def with_case(**changed: Any) -> Report:
    """The run with its first case changed."""
    first, *rest = WHOLE.cases
    return WHOLE.model_copy(update={"cases": [first.model_copy(update=changed), *rest]})


def single(**changed: Any) -> Report:
    """A run of its first case only, changed."""
    return WHOLE.model_copy(update={"cases": with_case(**changed).cases[:1]})


def ledgers(**changed: Any) -> Report:
    return sample.report(PLAN, ledger=[sample.ledger_row(case, **changed) for case in PLAN])


def rated(metric: Metric | None, rate: float, p95_ms: float | None = 3.0) -> Metric:
    assert metric
    return metric.model_copy(update={"msg_per_s": rate, "p95_ms": p95_ms})


def open_loop(sent: float, received: float, **changed: Any) -> Report:
    """A case that is offered 100 messages a second."""
    case = WHOLE.cases[0]
    figures = {
        "produce": rated(case.produce, sent, 15_800.0),
        "consume_cycle": rated(case.consume_cycle, received),
    }
    return single(**{"parameters": OPEN, **figures, **changed})


def probe(rate: float, held: bool) -> ProbeReport:
    figures = {"offered": 1000, "achieved": 1000, "backlog_per_s": 0.0, "backlog_per_s_high": 0.0}
    return ProbeReport(
        number=1, rate=rate, held=held, end_to_end_p99_ms=9.0, reason=None if held else "late", **figures
    )


def searched(*probes: ProbeReport) -> Report:
    return single(parameters=OPEN | {"mode": "capacity"}, probes=list(probes))


def loaders(**changed: Any) -> LoaderReports:
    found = WHOLE.cases[0].loaders
    return found.model_copy(update={name: [value] * len(found) for name, value in changed.items()})


def at_speeds(*least_ms: float) -> Report:
    """The two cases, with the least that the same work took in each; before it was more."""
    cases = [
        case.model_copy(
            update={
                "loaders": case.loaders.model_copy(
                    update={"work_before_ms": [2 * took_ms], "work_after_ms": [took_ms]}
                )
            }
        )
        for case, took_ms in zip(WHOLE.cases, least_ms, strict=True)
    ]
    return WHOLE.model_copy(update={"cases": cases})


def with_rows(metric: str | None = None, flags: str = '["shared_host"]', **changed: Any) -> Report:
    """The run with its first case's figures of the clients' paths, or flags, changed."""
    given = sample.answers(PLAN)
    first = PLAN[0].case_id
    driven = {"core_operations": 100, "general_operations": 0} | changed
    return sample.report(
        PLAN,
        cases=[row | {"flags": flags} if row["case_id"] == first else row for row in given.cases],
        throughput=[row | driven if row["case_id"] == first else row for row in given.throughput],
    )


OVER, AT = 12.0 + TOLERANCE_MS + 0.01, 12.0 + TOLERANCE_MS - 0.01
LATE = {"count": 3000, "took_ms": {**TOOK, "p99": OVER}, "late_ms": TOOK}
IN_TIME = {"count": 3000, "took_ms": {**TOOK, "p99": AT}, "late_ms": TOOK}
MISREAD, WELL_READ = proved(read={"p99_ms": OVER}), proved(read={"p99_ms": AT})
Example = tuple[Report, tuple[str, ...], Report]

#: of verdict and detail: sentence -> the smallest evidence, what it says of it, and the largest that it is
#: silent on
VERDICT: dict[str, Example] = {
    "not_ended": (
        WHOLE.model_copy(update={"unsettled": 1}),
        ("2 of its 3 cases are settled",),
        WHOLE.model_copy(update={"unsettled": 0}),
    ),
    "nothing_measured": (
        single(status="failed", reason="it broke"),
        ("none of its cases is ok",),
        with_case(status="failed", reason="it broke"),
    ),
    "measured": (
        single(),
        ("The only case was measured on this machine, and none of 4,321 messages was lost.",),
        single(status="failed", reason="it broke"),
    ),
    "where": (
        single(),
        ("measured on this machine, with loader and brokers sharing its cores.",),
        single(status="failed", reason="it broke"),
    ),
    "busy": (
        with_case(flags=["busy_host"]),
        ("In 1 of 2 cases the host was busy with other work or changed its speed, so",),
        single(flags=["shared_host"]),
    ),
    "speed": (
        at_speeds(0.5, 0.575),
        ("did the same work in 0.500 to 0.575 ms, 15% apart", "may differ for that alone"),
        at_speeds(0.5, 0.5749),
    ),
    "fastest": (
        single(produce=rated(WHOLE.cases[0].produce, 0.5)),
        (
            "The RabbitMQ mirrored pair confirmed 0.500 messages a second at p95 3.00 ms",
            "closed loop",
        ),
        open_loop(100, 100),
    ),
    "kept_up": (open_loop(99, 99), ("kept up with 100 messages a second", "99.0"), open_loop(99, 98.9)),
    "fell_behind": (
        open_loop(99, 98.9),
        (
            "The RabbitMQ mirrored pair did not keep up with 100",
            "99.0 messages a second were sent",
            "15,800 ms",
        ),
        open_loop(99, 99),
    ),
    "held": (
        searched(probe(500, True), probe(525, False)),
        ("held 500 messages a second", "did not hold 525"),
        searched(probe(500, False)),
    ),
    "emulated": (single(provenance="emulated"), ("ElasticMQ 1.7.1", "nothing about SQS's speed"), WHOLE),
    "lost": (
        ledgers(lost=1, missing=1),
        ("LOST: 2 confirmed messages of 8,642",),
        ledgers(lost=0, missing=1),
    ),
    "missing": (ledgers(lost=0, missing=1), ("2 messages of 8,642 sent are missing",), ledgers()),
    "open_ledgers": (ledgers(closed=False), ("Not all of the 8,642",), ledgers(closed=True)),
    "accounted": (ledgers(), ("All 8,642 messages", "none was lost"), ledgers(closed=False)),
    "failures": (with_case(status="failed", reason="x"), ("1 of 2 cases failed: parallel, 1 thread",), WHOLE),
    "self_test": (
        MISREAD,
        ("THE SELF-TEST FAILED", f"{OVER:.2f}", "12.00 done", "tolerance 0.50"),
        WELL_READ,
    ),
}

#: of the validity section
VALIDITY: dict[str, Example] = {
    "passed": (WELL_READ, ("passed",), MISREAD),
    "failed": (MISREAD, ("FAILED",), WELL_READ),
    "not_run": (WHOLE, ("instrument: false",), proved()),
    "instrument": (proved(), ("programmed to lose",), WHOLE),
    "flagged": (
        single(flags=["call_errors"]),
        ("The only case has a flag", "call_errors (1)"),
        WHOLE.model_copy(update={"cases": []}),
    ),
    "loaders": (
        single(loaders=loaders(saturated=True, evidence="it used 0.80 of a core")),
        ("the limit in the only case",),
        single(loaders=LoaderReports()),
    ),
    "no_loaders": (single(loaders=LoaderReports()), ("No loader",), single()),
    "driving": (with_rows(), ("drove 200 operations",), WHOLE),
    "tails": (
        with_rows(flags='["slow_tail"]', early_msg_per_s=9e9),
        ("9,000,000,000 a second", "more than 10%"),
        with_rows(early_msg_per_s=9e9),
    ),
}

#: flag of the run -> as above, where the sentences of the self-test say it
RUN: dict[RunFlag, Example] = {
    "instrument_off": (WHOLE, ("instrument: false",), proved()),
    "instrument_failed": (proved(status="failed", reason="gate"), ("case failed: gate",), proved()),
    "instrument_misread": (MISREAD, (f"{OVER:.2f} (DOES NOT AGREE: 12.00 done, tolerance 0.50)",), WELL_READ),
    "instrument_late": (
        proved(done=record(publish=LATE), read={"p99_ms": OVER}),
        (f"produce p99, ms ({OVER:.2f} done, 12.00 programmed)",),
        proved(done=record(publish=IN_TIME), read={"p99_ms": AT}),
    ),
}
SAID: dict[str, Callable[[Report], str]] = {**OPENING, **SPEEDS, **OUTCOMES, "accounted": accounted}


def test_every_sentence_and_every_flag_of_a_run_has_its_two_examples() -> None:
    assert set(SAID) == set(VERDICT)
    assert set(validity.SENTENCES) == set(VALIDITY)
    assert set(RUN_FLAGS) == set(RUN) == set(get_args(RunFlag))


@pytest.mark.parametrize("name", SAID)
def test_the_verdict_says_what_the_smallest_evidence_shows_and_no_less_does(name: str) -> None:
    raising, figures, sparing = VERDICT[name]
    said = SAID[name](raising)
    assert all(figure in said for figure in figures), said
    assert said
    assert SAID[name](sparing) == ""


@pytest.mark.parametrize("name", validity.SENTENCES)
def test_validity_says_what_the_smallest_evidence_shows_and_no_less_does(name: str) -> None:
    raising, figures, sparing = VALIDITY[name]
    said = validity.SENTENCES[name](raising)
    assert all(figure in said for figure in figures), said
    assert validity.SENTENCES[name](sparing) == ""


@pytest.mark.parametrize("flag", RUN_FLAGS)
def test_a_flag_of_the_run_is_raised_at_its_limit_and_the_self_test_says_it(flag: RunFlag) -> None:
    raising, figures, sparing = RUN[flag]
    assert raising.validity
    assert sparing.validity
    said = " ".join(sentences(raising))
    assert flag in raising.validity.flags
    assert all(figure in said for figure in figures), said
    assert flag not in sparing.validity.flags
    assert not all(figure in " ".join(sentences(sparing)) for figure in figures)


def test_that_every_case_was_disturbed_is_said_as_of_all() -> None:
    disturbed = [case.model_copy(update={"flags": ["busy_host"]}) for case in WHOLE.cases]
    for cases, said in ((disturbed, "In both cases "), ([*disturbed, disturbed[0]], "In all 3 cases ")):
        assert SAID["busy"](WHOLE.model_copy(update={"cases": cases})).startswith(said)


def test_what_a_fault_held_up_is_not_said_of_the_target() -> None:
    cut_off = open_loop(99, 98.9, parameters=OPEN | {"faults": "cut-clients of the leader at 6 s, for 4 s"})
    assert SAID["fell_behind"](cut_off) == ""


def test_no_loader_is_called_the_limit_where_none_was() -> None:
    assert validity.SENTENCES["loaders"](single()) == "A loader was the limit in no case."
    assert "None of the 2 cases has a flag" in validity.SENTENCES["flagged"](WHOLE)


def test_an_offered_rate_is_never_the_fastest_case() -> None:
    closed, opened = WHOLE.cases[1], open_loop(99, 50).cases[0]
    both = WHOLE.model_copy(update={"cases": [opened, closed]})
    said = " ".join(speeds(both))
    assert "in its fastest case in a closed loop (parallel, 5 threads)" in said
    assert said.count("in its fastest case") == 1
    assert "did not keep up with 100 messages a second that were offered (parallel, 1 thread)" in said


def test_a_loader_that_fell_behind_is_not_called_the_target() -> None:
    found: list[CaseReport] = open_loop(50, 50, flags=["shared_host", "loader_saturated"]).cases
    said = SPEEDS["fell_behind"](WHOLE.model_copy(update={"cases": found}))
    assert "A loader, which was itself the limit, did not keep up with 100" in said
    assert "mirrored pair did not" not in said


def test_each_flag_is_listed_once_with_what_raised_it_and_its_cases() -> None:
    flags: dict[Flag, str] = {"shared_host": "on one machine", "call_errors": "2 calls failed"}
    (first, second) = WHOLE.cases
    cases = [
        first.model_copy(update={"flags": list(flags), "flag_evidence": flags}),
        second.model_copy(
            update={"flags": ["shared_host"], "flag_evidence": {"shared_host": "on one machine"}}
        ),
    ]
    (listed,) = flags_list(WHOLE.model_copy(update={"cases": cases}))
    assert ["".join(p if isinstance(p, str) else p.text for p in item) for item in listed.items] == [
        "call_errors (parallel, 1 thread on RabbitMQ mirrored pair): 2 calls failed.",
        "shared_host (all cases): on one machine.",
    ]
