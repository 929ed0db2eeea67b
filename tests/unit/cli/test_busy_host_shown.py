"""What report and terminal show of a host that was busy with other work, and of runs that shared it."""

from __future__ import annotations

import io
import json
from typing import Any, get_args

import pytest
from rich.console import Console

from breakeven import words
from breakeven.report.contract.report_model import Report
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.tables.loader_tables import loaders_table
from breakeven.terms import Flag
from cli.running.summary import print_summary
from tests.fixtures.report import sample

PLAN = sample.planned()[2:6]
FOUND = "loader 0, measure: other programs than this run's used 87% of the host's processor time"
SHARED = "the run was started with --share: others may have used the machine"


def made(flags: dict[Flag, str], *, cases: int, **loader: Any) -> Report:
    """The sample, of whose cases the first ones carry these flags, and their loaders found this."""
    flagged = {case.case_id for case in PLAN[:cases]}
    found = {"flags": json.dumps(list(flags)), "flag_evidence": json.dumps(flags)}
    given = sample.answers(PLAN)
    return sample.report(
        PLAN,
        cases=[row | found if row["case_id"] in flagged else row for row in given.cases],
        loaders=[row | loader if row["case_id"] in flagged else row for row in given.loaders],
    )


def in_the_terminal(report: Report) -> str:
    out = io.StringIO()
    print_summary(report, Console(file=out, width=400))
    return out.getvalue()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("shown", [in_the_terminal, lambda of: page(of, None), lambda of: markdown(of, None)])
def test_a_busy_host_is_shown_with_its_figures(shown: Any) -> None:
    said = shown(made({"busy_host": FOUND}, cases=1)).replace("\\_", "_").replace("&#39;", "'")
    assert FOUND in said.replace("&#x27;", "'")
    assert "busy_host" in said


def test_the_table_of_loaders_has_the_shares_where_the_host_tells_them() -> None:
    table = loaders_table(made({"busy_host": FOUND}, cases=1, others_share=0.87, steal_share=0.04))
    shares = {row.cells[table.columns.index("other programs")] for row in table.rows}
    assert shares == {"87.0%", "–"}
    untold = loaders_table(made({}, cases=0))
    assert not {"other programs", "withheld"} & set(untold.columns)


def test_the_table_of_loaders_has_what_the_same_work_took() -> None:
    table = loaders_table(made({}, cases=1, work_before_ms=0.7, work_after_ms=0.9))
    work = {row.cells[table.columns.index("same work, ms")] for row in table.rows}
    assert work == {"0.700 to 0.900", "–"}
    assert "same work, ms" not in loaders_table(made({}, cases=0)).columns


def test_what_is_true_of_all_cases_is_one_line_in_the_terminal() -> None:
    said = in_the_terminal(made({"other_runs": SHARED}, cases=len(PLAN)))
    assert f"other_runs in all {len(PLAN)} cases: {SHARED}\n" in said
    assert said.count("ok other_runs") == len(PLAN)
    assert said.count(SHARED) == 1


def steal(share: str) -> str:
    return f"the hypervisor withheld {share}% of the host's processor time, and 2% is the limit"


def flagged(*evidence: dict[Flag, str]) -> list[str]:
    """Lines on flags in the terminal where the first cases have this evidence, one each."""
    report = made({}, cases=0)
    cases = [
        case.model_copy(update={"flags": list(flags), "flag_evidence": flags})
        for case, flags in zip(report.cases, [*evidence, *[{}] * len(report.cases)], strict=False)
    ]
    said = in_the_terminal(report.model_copy(update={"cases": cases}))
    return [line for line in said.splitlines() if line.startswith(tuple(get_args(Flag)))]


def name(number: int) -> str:
    case = made({}, cases=0).cases[number]
    return f"{words.case_name(case)} on {words.labelled_target(case.target, case.provenance)}"


def test_one_cause_in_many_cases_is_one_line_with_the_range_of_its_figures() -> None:
    lines = flagged(
        {"busy_host": f"loader 0, measure: {steal('3.9')}; loader 1, measure: {steal('4.4')}"},
        {"busy_host": f"loader 0, measure: {steal('20.4')}"},
        {"busy_host": f"loaders 0 and 1, measure: {steal('6.0 to 7.5')}"},
    )
    assert lines == [f"busy_host in 3 of 4 cases: {steal('3.9 to 20.4')}; most: {name(1)}"]


def test_a_cause_of_one_case_says_which_loaders_found_it() -> None:
    found = f"loaders 0 and 1, measure: {steal('6.0')}"
    assert flagged({"busy_host": found}) == [f"busy_host in {name(0)}: {found}"]


def test_a_cause_without_a_figure_names_its_cases() -> None:
    general: dict[Flag, str] = {"general_path": "the general path drove it: BREAKEVEN_CORE=off"}
    assert flagged(general, general) == [
        f"general_path in 2 of 4 cases ({name(0)} and {name(1)}): {general['general_path']}"
    ]


def test_many_causes_of_a_flag_leave_room_for_the_others() -> None:
    failed: list[dict[Flag, str]] = [{"call_errors": f"1 call failed: {why}"} for why in "abcd"]
    lines = flagged(*failed[:3], {**failed[3], "slow_tail": "the last took 5 s"})
    assert [line.partition(" in ")[0] for line in lines] == ["call_errors"] * 4 + ["slow_tail"]
    assert lines[3] == "call_errors in 1 case for 1 other reason: the report has them"
