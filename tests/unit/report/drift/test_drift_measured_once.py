"""Cases that a resumed run took over: compared with those that they are copies of, they would seem steady."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.report.contract.report_model import Report
from breakeven.report.drift.comparable_runs import suite_run
from breakeven.report.drift.drift import drift_between
from breakeven.report.drift.drift_words import sentences
from breakeven.report.drift.measured_once import each_once
from breakeven.report.drift.trend import trend
from breakeven.report.drift.trend_words import document
from breakeven.report.drift.trend_words import sentences as trend_sentences
from cli.main import main
from tests.fixtures.report.drifting import monthly, plan_document, run_of, store

SAID = "Not compared, as a resumed run took over what was measured once: {} cases."


def resumed(first: Report, again: Report, taken: int) -> Report:
    """``again`` with the first cases of ``first``, taken over."""
    origins = [case.settled_in or first.run_id for case in first.cases]
    copies = [
        case.model_copy(update={"settled_in": origin})
        for case, origin in zip(first.cases[:taken], origins, strict=False)
    ]
    return again.model_copy(update={"cases": [*copies, *again.cases[taken:]]})


@pytest.mark.parametrize("swapped", [False, True])
def test_what_was_taken_over_is_left_out_and_counted(swapped: bool) -> None:
    first, taken = run_of("a", 1), 12
    runs = first, resumed(first, run_of("b", 2), taken)
    found = drift_between(*(runs[::-1] if swapped else runs))
    plain = drift_between(first, run_of("b", 2))
    assert found.once == taken
    assert 0 < len(found.figures) < len(plain.figures)
    assert not any(one.before == one.after for one in found.figures)
    assert SAID.format(taken) in sentences(found)
    assert plain.once == 0
    assert not any("taken over" in said or "took over" in said for said in sentences(plain))


def test_two_runs_that_resumed_the_same_run_have_one_measurement_too() -> None:
    first = run_of("a", 1)
    second = resumed(first, run_of("b", 2), 6)
    assert drift_between(resumed(first, run_of("c", 3), 9), second).once == 6
    third = resumed(second, run_of("d", 4), 12)
    assert [case.settled_in for case in third.cases[:12]] == ["a"] * 6 + ["b"] * 6
    assert (drift_between(first, third).once, drift_between(second, third).once) == (6, 12)


def test_everything_taken_over_leaves_nothing_to_tell() -> None:
    first = run_of("a", 1)
    said = sentences(drift_between(first, resumed(first, run_of("b", 2), len(first.cases))))
    assert said[0] == SAID.format(len(first.cases))
    assert said[1].startswith("Nothing can be told from chance")


def test_the_command_says_how_many(tmp_path: Any, capsys: Any) -> None:
    first = run_of("a", 1)
    for report in (first, resumed(first, run_of("b", 2), 12)):
        store(tmp_path, report)
    assert main(["compare", "a", "b", "--runs", str(tmp_path)]) == 0
    assert SAID.format(12) in capsys.readouterr().out


def test_a_trend_counts_a_measurement_in_the_run_that_came_furthest() -> None:
    first = monthly(1)
    reports = {one.run_id: one for one in (first, resumed(first, monthly(2), 12), monthly(3))}
    counted = each_once(list(reports.values()))
    assert [len(one.cases) for one in counted] == [len(first.cases) - 12, *[len(first.cases)] * 2]
    found = trend("sample", [suite_run(plan_document(), one) for one in reports.values()], reports.get)
    assert found is not None
    assert document(found)["once"] == 12
    said = "12 cases that a resumed run took over from an earlier one count in the resumed run only."
    assert said in list(trend_sentences(found))
