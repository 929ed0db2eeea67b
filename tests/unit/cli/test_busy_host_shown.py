"""What report and terminal show of a host that was busy with other work, and of runs that shared it."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

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


def test_what_is_true_of_all_cases_is_one_line_in_the_terminal() -> None:
    said = in_the_terminal(made({"other_runs": SHARED}, cases=len(PLAN)))
    assert f"other_runs: all cases: {SHARED}\n" in said
    assert said.count("ok other_runs") == len(PLAN)
    assert said.count(SHARED) == 1
