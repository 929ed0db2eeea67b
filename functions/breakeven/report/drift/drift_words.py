"""Findings of a comparison in words: the summary that leads a mail, and every sentence of the section."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.report.drift.drift import (
    CAPACITY,
    FALSE_ALARMS,
    LEAST_CELLS,
    Busy,
    Drift,
    Incomplete,
    Measure,
    Move,
    Shift,
    rates_by_target,
)
from breakeven.report.drift.significance import MOST_CELLS, cells_needed

#: figures as they are called within a sentence
IN_WORDS = {"msg_per_s": "rate", "p50_ms": "p50", "p99_ms": "p99"}
#: the least change of a rate that is worth a word although it may be chance
STRIKING = 0.25
#: facts that a summary names; the section has all of them
NAMED_CHANGES = 3


def summary(drift: Drift, date: str) -> str:
    """What moved since the earlier run, the surest first, what changed around it, and any doubt of it.

    :param date: of the earlier run
    """
    since = f"Since run {drift.before} of {date}"
    return " ".join([f"{since} {_moved(drift)}.", _changed(drift), *_doubts(drift)])


def _moved(drift: Drift) -> str:
    found: Sequence[Shift | Move] = (*drift.shifts, *drift.moves)
    if not any(drift.judged):
        return "too little was measured in both to tell drift from chance"
    if not found:
        return f"{_unmoved(drift)}{_within_chance(drift)}"
    others = f", and {words.plural(len(found) - 1, 'more figure')} moved" if len(found) > 1 else ""
    return f"the {_named(drift, found[0])} {direction(found[0].ratio)}{others}"


def _unmoved(drift: Drift) -> str:
    """Of what was judged alone that it did not move."""
    shifts, moves = drift.judged
    if shifts and moves:
        return "no figure moved beyond chance"
    if shifts:
        figures = words.plural(shifts, "figure")
        return f"none of {figures} over all cells of a target moved beyond chance (single cells: not judged)"
    figures = words.plural(moves, "figure")
    return f"none of {figures} of single cells moved beyond chance (targets as a whole: not judged)"


def _within_chance(drift: Drift) -> str:
    """The rate that differs most, where a reader who compares the two tables would stumble over it."""
    largest = max(rates_by_target(drift.figures), key=lambda one: abs(math.log(one.ratio)), default=None)
    if largest is None or abs(math.log(largest.ratio)) < math.log1p(STRIKING):
        return ""
    moved = f"{_named(drift, largest)} {direction(largest.ratio)}"
    return (
        f", although the {moved}: too few cells to be sure of it, which would take {_needed(drift, largest)}"
    )


def _needed(drift: Drift, largest: Shift) -> str:
    """So many cells: those that anything is judged by, or those that differ as these do."""
    if largest.cells < LEAST_CELLS:
        return f"at least {LEAST_CELLS}"
    ratios = [one.ratio for one in drift.figures if one.measure == largest.measure]
    needed = cells_needed(ratios, FALSE_ALARMS / 2 / max(1, drift.judged[0]))
    return f"{f'about {needed}' if needed else f'more than {MOST_CELLS:,}'} that differ as these do"


def _named(drift: Drift, one: Shift | Move) -> str:
    measure = one.measure if isinstance(one, Shift) else one.figure.measure
    provenance = "emulated" if measure.target in drift.emulated else "measured"
    named = f"{in_words(measure)} of {words.labelled_target(measure.target, provenance)}"
    if isinstance(one, Shift):
        return f"{named}, over {words.plural(one.cells, 'cell')},"
    return f"{named} ({words.place(one.figure.scenario, one.figure.cell)})"


def in_words(measure: Measure) -> str:
    """A measure within a sentence: 'produce p99'."""
    if measure.metric == CAPACITY:
        return CAPACITY
    operation = words.OPERATIONS[measure.metric]
    return f"{operation[:1].lower()}{operation[1:]} {IN_WORDS[measure.name]}"


def direction(ratio: float) -> str:
    """How it moved: 'rose by 25%'."""
    return f"{'rose' if ratio > 1 else 'fell'} by {abs(ratio - 1):.0%}"


def _changed(drift: Drift) -> str:
    if not drift.changes:
        return "Software, machine, suite and prices are as before."
    return f"What changed around it: {words.listing([one.field for one in drift.changes], NAMED_CHANGES)}."


def sentences(drift: Drift) -> list[str]:
    """The findings in words: how much moved, of how much, and what was not compared."""
    unlike = [
        f"Not compared, as it is not the same work: {words.place(one.scenario, one.cell)} on "
        f"{words.target_name(one.target)} ({one.reason})."
        for one in drift.unlike
    ]
    return [
        *_doubts(drift),
        *map(_partial, drift.incomplete),
        *map(_busy, drift.busy),
        *_once(drift),
        *_findings(drift),
        *unlike,
    ]


def _once(drift: Drift) -> list[str]:
    cases = words.plural(drift.once, "case")
    return (
        [f"Not compared, as a resumed run took over what was measured once: {cases}."] if drift.once else []
    )


def _unjudged(shifts: int, moves: int) -> str:
    """What was not judged, and why; empty where both were."""
    if shifts and moves:
        return ""
    if shifts:
        return "; single cells were not judged, as that takes two repeats in each run"
    return f"; no target was judged as a whole, as that takes {LEAST_CELLS} of its cells"


def _doubts(drift: Drift) -> list[str]:
    runs = words.listing([f"run {run}" for run in drift.doubted])
    return [f"This is in doubt, as the self-test of {runs} failed."] if runs else []


def _partial(run: Incomplete) -> str:
    missing = [
        *([f"{run.failed:,} failed"] if run.failed else []),
        *([f"{run.unsettled:,} had not been settled"] if run.unsettled else []),
    ]
    of = f"of its {words.plural(run.cases, 'case')} {' and '.join(missing)}"
    return f"Run {run.run_id} is incomplete: {of}. What both runs have settled is compared."


def _busy(run: Busy) -> str:
    which = (
        words.every(run.busy, "case") if run.busy == run.cases else words.part(run.busy, run.cases, "case")
    )
    return (
        f"In {which} of run {run.run_id} the host was busy with other work or changed its speed (busy_host): "
        "what differs may be the host's."
    )


def _findings(drift: Drift) -> Iterator[str]:
    shifts, moves = drift.judged
    if not shifts and not moves:
        cells = f"{LEAST_CELLS} cells of a target in both runs, or two repeats of a cell in each"
        yield f"Nothing can be told from chance: that takes {cells}."
        return
    of_targets = f"{len(drift.shifts)} of {words.plural(shifts, 'figure')} over all cells of a target"
    of_cells = f"{len(drift.moves)} of {words.plural(moves, 'figure')} of single cells"
    judged = words.listing([*([of_targets] if shifts else []), *([of_cells] if moves else [])])
    yield (
        f"Moved beyond chance: {judged}{_unjudged(shifts, moves)}. If nothing has changed, the chance that "
        f"any is listed here is at most {FALSE_ALARMS:.0%}, provided that cells vary independently: a host "
        "that is 5% faster or slower throughout is listed, too."
    )
    if drift.only_before or drift.only_after:
        lacking = f"{words.plural(drift.only_before, 'figure')} of {drift.before} and {drift.only_after} of"
        yield f"Not compared, as the other run lacks them: {lacking} {drift.after}."
