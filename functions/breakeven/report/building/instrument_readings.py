"""Programmed, done, read: the instrument's cases against their programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from breakeven.instrument.latencies import percentile_ms
from breakeven.instrument.program import PER_MILLE, Program
from breakeven.loadgen.case_figures import Ledger
from breakeven.report.contract.report_model import CaseReport, Metric
from breakeven.report.contract.validity_model import (
    TOLERANCE_MS,
    TOLERANCE_SHARE,
    InstrumentCase,
    Reading,
    RunFlag,
    Validity,
)

#: the ledger's term -> the program's
COUNTS = {
    "lost": "lost",
    "duplicates": "duplicated",
    "out_of_order": "reordered",
    "returned": "returned",
    "nacked": "nacked",
}
#: shown whether or not any is programmed
ALWAYS = ("lost", "duplicates", "out_of_order")
#: metric -> the direction of the program and of the record
DIRECTIONS = {"produce": "publish", "consume": "deliver"}


def validity(cases: Sequence[CaseReport], rows: Sequence[Mapping[str, Any]]) -> Validity:
    """:param cases: the instrument's; ``rows``: theirs of ``cases.sql``, which hold program and record"""
    records = {row["case_id"]: json.loads(row.get("instrument") or "null") for row in rows}
    made = [_case(case, records.get(case.case_id)) for case in cases]
    return Validity(flags=[flag for flag, judge in RUN_FLAGS.items() if judge(made)], instrument=made)


def _is_off(cases: Sequence[InstrumentCase]) -> bool:
    return not cases


def _has_failed(cases: Sequence[InstrumentCase]) -> bool:
    return any(case.status == "failed" or not case.readings for case in cases)


def _was_misread(cases: Sequence[InstrumentCase]) -> bool:
    return not all(reading.agrees for case in cases for reading in case.readings)


def _was_late(cases: Sequence[InstrumentCase]) -> bool:
    return not all(reading.kept for case in cases for reading in case.readings)


#: every flag of a run; ``report.tables.instrument_findings`` has the sentences with the figures
RUN_FLAGS: dict[RunFlag, Callable[[Sequence[InstrumentCase]], bool]] = {
    "instrument_off": _is_off,
    "instrument_failed": _has_failed,
    "instrument_misread": _was_misread,
    "instrument_late": _was_late,
}


def _case(case: CaseReport, record: Mapping[str, Any] | None) -> InstrumentCase:
    readings: list[Reading] = []
    if case.status == "ok" and record and case.ledger:
        program = Program.model_validate(record["program"])
        done = record["done"]
        readings += _counts(program, done, case.ledger)
        for metric, direction in DIRECTIONS.items():
            readings += _percentiles(metric, direction, program, done, getattr(case, metric))
    return InstrumentCase.of(
        vars(case),
        protocol=case.cell,
        client=str(case.parameters.get("client")),
        messages=int(case.parameters.get("messages") or 0),
        readings=readings,
    )


def _counts(program: Program, done: Mapping[str, Any] | None, ledger: Ledger) -> Iterator[Reading]:
    for term, fate in COUNTS.items():
        programmed = getattr(program, fate)
        if programmed or term in ALWAYS:
            yield _reading(term, programmed, done[fate] if done else None, getattr(ledger, term), 0.0)


def _percentiles(
    metric: str, direction: str, program: Program, done: Mapping[str, Any] | None, read: Metric | None
) -> Iterator[Reading]:
    """Those of enough samples; with a stall or a service rate the programmed percentiles say nothing."""
    if read is None or program.stalls or program.messages_per_s:
        return
    count = program.messages if direction == "publish" else program.deliveries
    for name, per_mille in PER_MILLE.items():
        figure = getattr(read, f"{name}_ms")
        if figure is not None:
            programmed = percentile_ms(getattr(program, direction), count, per_mille)
            took = done[direction]["took_ms"][name] if done else None
            tolerance = max(TOLERANCE_MS, TOLERANCE_SHARE * programmed)
            yield _reading(f"{metric}.{name}_ms", programmed, took, figure, tolerance)


def _reading(
    what: str, programmed: float, done: float | None, read: float | None, tolerance: float
) -> Reading:
    against = programmed if done is None else done
    return Reading(
        what=what,
        programmed=programmed,
        done=done,
        read=read,
        tolerance=tolerance,
        agrees=read is not None and abs(read - against) <= tolerance,
        kept=abs(against - programmed) <= tolerance,
    )
