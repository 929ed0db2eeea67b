"""How many cases a run has: the terminal counts those that its report does, the self-test's apart."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from breakeven.planning.self_test import counted
from breakeven.report.render.page import keys
from breakeven.results.items import case_item
from cli.running.progress import LiveView, PlainView, snapshot
from tests.fixtures.report.self_tested import PLAN, PROVING, proved

CASES = (*PROVING, *PLAN)
OK, RUNNING = {"status": "ok"}, {"status": "running", "attempt": 1, "started_at": "2026-11-20T00:00:00+00:00"}


def items(ended: int, *, running: bool) -> dict[str, Any]:
    """Of a run whose first cases have ended, and whose next is under way or not."""
    found = {case_item(case.case_id): OK for case in CASES[:ended]}
    return found | ({case_item(CASES[ended].case_id): RUNNING} if running else {})


def test_each_line_has_a_number_of_the_reports_or_says_that_it_is_the_self_tests():
    out = io.StringIO()
    view = PlainView(Console(file=out, width=200))
    for ended in range(len(CASES)):
        view.show(snapshot(items(ended, running=True), CASES))
    view.show(snapshot(items(len(CASES), running=False), CASES))
    lines = out.getvalue().splitlines()
    of = len(proved().cases)
    assert of == len(PLAN)
    proving = [f"[self-test] {word}" for _ in PROVING for word in ("running", "measured")]
    own = [f"[{number}/{of}] {word}" for number in range(1, of + 1) for word in ("running", "ok")]
    assert [" ".join(line.split()[:2]) for line in lines] == [*proving, *own]


def test_cases_that_end_at_once_are_numbered_one_by_one():
    out = io.StringIO()
    PlainView(Console(file=out, width=200)).show(snapshot(items(len(CASES), running=False), CASES))
    numbers = [line.split("]")[0] for line in out.getvalue().splitlines()]
    assert numbers == ["[self-test"] * 2 + [f"[{number}/4" for number in range(1, 5)]


def test_the_bar_ends_at_the_reports_count():
    out = io.StringIO()
    view = LiveView(Console(file=out, width=100, force_terminal=True))
    view.show(snapshot(items(len(PROVING), running=True), CASES))
    view.close()
    assert f"0/{len(PLAN)}" in out.getvalue()
    assert f"case 1 of {len(PLAN)} · {PLAN[0].case_id}" in out.getvalue()
    (key,) = [one for one in keys(proved()) if one.unit == "cases"]
    assert key.figure == f"{len(PLAN)} of {len(PLAN)}"


def test_what_is_to_run_is_said_of_both():
    assert counted(CASES) == "4 cases and 2 of the self-test"
    assert counted(PLAN[:1]) == "1 case"
