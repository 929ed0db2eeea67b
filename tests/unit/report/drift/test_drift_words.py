"""Drift in words: only of what was judged is it said that it did not move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from breakeven.report.drift.drift import Drift, Figure, Measure, drift_between
from breakeven.report.drift.drift_words import sentences, summary
from tests.fixtures.report import sample
from tests.fixtures.report.drifting import monthly

NO_CELLS = "; single cells were not judged, as that takes two repeats in each run."
NO_TARGETS = "; no target was judged as a whole, as that takes 3 of its cells."


def unmoved(shifts: int, moves: int) -> Drift:
    """Two runs alike, with so many figures of targets and of single cells judged."""
    found = drift_between(monthly(3), monthly(4))
    return replace(found, shifts=(), moves=(), judged=(shifts, moves))


@pytest.mark.parametrize(
    ("judged", "short", "long"),
    [
        (
            (12, 1),
            "no figure moved beyond chance.",
            "0 of 12 figures over all cells of a target and 0 of 1 figure of",
        ),
        (
            (12, 0),
            "none of 12 figures over all cells of a target moved beyond chance (single cells: not judged).",
            f"Moved beyond chance: 0 of 12 figures over all cells of a target{NO_CELLS}",
        ),
        (
            (0, 1),
            "none of 1 figure of single cells moved beyond chance (targets as a whole: not judged).",
            f"Moved beyond chance: 0 of 1 figure of single cells{NO_TARGETS}",
        ),
    ],
)
def test_what_was_not_judged_is_not_said_to_be_unmoved(
    judged: tuple[int, int], short: str, long: str
) -> None:
    drift = unmoved(*judged)
    assert short in summary(drift, "2026-03-01")
    assert long in " ".join(sentences(drift))
    assert ("not judged" in summary(drift, "2026-03-01")) == (0 in judged)


def test_where_nothing_was_judged_that_is_all_that_is_said() -> None:
    drift = unmoved(0, 0)
    assert "too little was measured in both to tell drift from chance" in summary(drift, "2026-03-01")
    assert "Nothing can be told from chance" in " ".join(sentences(drift))


def test_of_fewer_cells_than_any_are_judged_by_that_number_is_said() -> None:
    drift = unmoved(0, 4)
    measure = Measure(sample.SQS, "produce", "msg_per_s")
    two = tuple(Figure(measure, "parallel", cell, (100.0,), (150.0,)) for cell in ("threads 1", "threads 5"))
    said = summary(replace(drift, figures=two), "2026-03-01")
    assert "over 2 cells, rose by 50%: too few cells to be sure of it, which would take at least 3." in said


@pytest.mark.parametrize(("busy", "said"), [(0, None), (1, "In 1 of"), (None, "In all")])
def test_a_run_whose_host_was_busy_is_named(busy: int | None, said: str | None) -> None:
    before, after = monthly(3), monthly(4)
    cases = [
        case.model_copy(update={"flags": [*case.flags, "busy_host"]}) if busy is None or at < busy else case
        for at, case in enumerate(after.cases)
    ]
    found = sentences(drift_between(before, after.model_copy(update={"cases": cases})))
    named = [one for one in found if "busy_host" in one]
    assert len(named) == (said is not None)
    if said:
        assert named[0].startswith(said)
        assert f"of run {after.run_id} the host was busy" in named[0]
