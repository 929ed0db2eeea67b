"""Faults in a report: whether the expected loss held, from the least evidence, and what a reader sees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from breakeven.agent.effects import KILLED
from breakeven.report.charts.fault_charts import MOST_CHARTS, MOST_POINTS, rates_around_faults
from breakeven.report.contract.fault_model import FaultReport
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Bullets, Chart, Paragraph, Section, Table
from breakeven.report.render.markdown import markdown
from breakeven.report.sections.origins import glossary
from breakeven.report.sections.over_time.faults import MOST_FINDINGS, NO_FAULTS, ONE_MACHINE, section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.fault_findings import finding
from breakeven.terms import TargetName
from breakeven.workload.case import Case
from local.stored.published_report import published_report
from tests.fixtures.report import sample
from tests.fixtures.report.courses import rate_row
from tests.fixtures.report.fault_rows import fault, fault_row, measured_for, rates_around, unmeasured

SCENARIOS = Path(__file__).parents[4] / "scenarios"
PAIR, TRIO, SINGLE = (
    TargetName(name) for name in ("rabbitmq-mirrored-pair", "rabbitmq-quorum-trio", "rabbitmq-single")
)


def planned(target: TargetName = PAIR, count: int = 1) -> tuple[Case, ...]:
    return sample.planned((target,))[1 : 1 + count]


def report(plan: tuple[Case, ...], *rows: dict[str, Any], **workload: Any) -> Report:
    """Of these faults, in cases of a measured stage of 40 s."""
    changed = {
        "cases": [measured_for(case, **workload) for case in plan],
        "rate_over_time": [row for case in plan for row in rates_around(case.case_id)],
    }
    return sample.report(plan, faults=list(rows), **changed)


def judged(target: TargetName, *rows: dict[str, Any], **workload: Any) -> list[tuple[Any, ...]]:
    plan = planned(target)
    made = report(plan, *(fault_row(plan[0].case_id, **row) for row in rows), **workload)
    return [(found.expected_loss, found.held, found.finding) for found in made.faults]


@pytest.mark.parametrize("target", [PAIR, TRIO])
def test_replicated_and_confirmed_messages_are_not_lost(target: TargetName) -> None:
    assert judged(target, {"lost": 0}) == [("none", True, "held: no confirmed message lost")]
    assert judged(target, {"lost": 1}) == [("none", False, "not held: 1 confirmed message lost")]
    assert judged(target, {"lost": 2}) == [("none", False, "not held: 2 confirmed messages lost")]
    assert judged(target, {"lost": None}) == [
        ("none", None, "not known: the ledger does not say what was lost")
    ]


def test_messages_that_are_not_persistent_may_be_lost_with_the_only_node() -> None:
    transient = {"persistent": False}
    assert judged(SINGLE, {"lost": 1}, **transient) == [("possible", True, "held: 1 confirmed message lost")]
    assert judged(SINGLE, {"lost": 0}, **transient) == [
        ("possible", None, "not judged: no confirmed message lost")
    ]
    unconfirmed = {**transient, "confirms": False}
    assert judged(SINGLE, {"lost": 0, "missing": 1}, **unconfirmed) == [
        ("possible", True, "held: 1 message lost")
    ]
    assert judged(SINGLE, {"lost": 0, "missing": 0}, **unconfirmed) == [
        ("possible", None, "not judged: no message lost")
    ]


@pytest.mark.parametrize("in_sync", [None, False])
def test_without_replicas_in_sync_nothing_is_expected(in_sync: bool | None) -> None:
    for lost, found in ((0, "no confirmed message lost"), (1, "1 confirmed message lost")):
        row = {"in_sync": in_sync, "lost": lost}
        assert judged(PAIR, row) == [(None, None, f"not judged: {found}")]


def test_of_one_copy_the_only_node_is_meant() -> None:
    """A pair of which one node was stopped for the case, a group of one member, a queue without mirrors."""
    down = {"persistent": False, "nodes_down": 1}
    assert judged(PAIR, {"lost": 1}, mirrors=0, **down)[0][0] == "possible"
    assert judged(PAIR, {"lost": 1}, mirrors=1, **down)[0][0] == "none", "of three nodes two are left"
    for target in (TRIO, PAIR):
        assert judged(target, {"lost": 0}, group_size=1, mirrors=0)[0][0] == "none"
        assert judged(target, {"lost": 0, "back_s": None}, group_size=1, mirrors=0)[0][0] is None


def test_one_ledger_does_not_tell_which_of_two_faults_lost_messages() -> None:
    open_one = {"number": 2, "in_sync": False}
    first, second = judged(PAIR, {"lost": 1}, {**open_one, "lost": 1})
    assert first == (
        "none",
        None,
        "not known: 1 confirmed message lost, and another fault of the case may be why",
    )
    assert second[:2] == (None, None)
    assert judged(PAIR, {"lost": 0}, {**open_one, "lost": 0})[0][:2] == ("none", True)
    undone = {"number": 2, "was_done": False, "done_s": None, "lost": 1, **unmeasured("it was not done")}
    assert judged(PAIR, {"lost": 1}, undone) == [
        ("none", False, "not held: 1 confirmed message lost"),
        (None, None, "not judged: 1 confirmed message lost"),
    ]


def test_faults_are_in_the_order_of_the_reports_cases() -> None:
    plan = planned(count=2)[::-1]
    ids = [case.case_id for case in plan]
    made = report(plan, *(fault_row(case_id) for case_id in sorted(ids)))
    assert [found.case_id for found in made.faults] == ids != sorted(ids)


def test_faults_of_other_cases_are_left_out_and_a_run_without_says_how_to_learn_what_they_do(
    tmp_path: Path,
) -> None:
    plan = planned()
    assert report(plan, fault_row("another")).faults == []
    found = section(Subject(sample.report(plan), None))
    assert found
    assert [part.pieces for part in found.parts if isinstance(part, Paragraph)] == [(NO_FAULTS,)]
    suites = set(re.findall(r"\brun ((?!broke)[a-z-]+)", NO_FAULTS.replace("npm run breakeven -- ", "")))
    assert suites == {"faults", "rolling-restart", "network-faults", "sqs-faults"}
    assert all((SCENARIOS / f"{suite}.yaml").is_file() for suite in suites)
    assert section(Subject(published_report("A", tmp_path), None)) is None


SENTENCES: list[tuple[dict[str, Any], str]] = [
    ({}, "rabbit1@localhost (the leader's node) was killed at 12.3 s and ran again at 23.1 s."),
    (
        {"done_s": None, "back_s": None, **unmeasured("nothing was recorded of a measured stage")},
        "(the leader's node) was killed. Publishing: not known, as nothing was recorded of a measured stage.",
    ),
    ({"done_s": 13.0}, "was killed at 13.0 s (due at 12.0 s) and ran again"),
    ({"done_s": 12.9}, "was killed at 12.9 s and ran again"),
    ({"kind": "stop", "aimed_at": "2"}, "(node 2) was stopped in good order at 12.3 s"),
    ({"kind": "pause", "aimed_at": "other"}, "(a node without the leader) was paused at 12.3 s"),
    (
        {"kind": "memory-alarm"},
        "(the leader's node) raised its memory alarm at 12.3 s and cleared it at 23.1 s.",
    ),
    (
        {"kind": "partition"},
        "was cut off from its peers at 12.3 s and was restarted to join them at 23.1 s.",
    ),
    (
        {"kind": "cut-clients"},
        "(the leader's node) was cut off from its clients at 12.3 s and had its network restored at 23.1 s.",
    ),
    (
        {"kind": "slow-clients", "extent": "100 ms later"},
        "had a slow network to its clients (100 ms later) at 12.3 s and had its network restored at 23.1 s.",
    ),
    ({"kind": "slow-peers", "back_s": None, "error": "gone"}, "at 12.3 s; it was not restored: gone."),
    (
        {"kind": "rolling-restart", "aimed_at": "2"},
        "(node 2) was stopped in good order, in its turn of a rolling restart, at 12.3 s and ran again",
    ),
    ({"kind": "disk-alarm", "back_s": None, "error": "no answer"}, "; it was not cleared: no answer."),
    (
        {"kind": "stop", "error": KILLED},
        f"was stopped in good order at 12.3 s and ran again at 23.1 s; {KILLED}.",
    ),
    (
        {"kind": "disk-alarm", "was_done": False, "done_s": None, **unmeasured("it was not done")},
        "was to raise its disk alarm at 12.0 s and did not.",
    ),
    ({"back_s": None, "error": "no answer"}, "at 12.3 s; it did not run again: no answer."),
    ({"back_s": None}, "at 12.3 s; it did not run again."),
    ({}, "Publishing fell from 1,000 to 0 messages a second and was back at 90% of it after 3.7 s."),
    (
        {"consume_recovery_s": None, "consume_unrecovered": "not before the next fault was due"},
        "Consuming fell from 1,000 to 4.00 messages a second and did not come back to 90% of it "
        "before the next fault was due.",
    ),
    (
        {"produce_recovery_s": 0.0, "produced_lowest_per_s": 930.0, "produce_low_until_s": None},
        "Publishing went on at 90% of 1,000 messages a second or more; its lowest second had 930.",
    ),
    (
        {"consume_recovery_s": 0.0, "consume_low_until_s": 13.7},
        "Consuming went on at first and fell later, from 1,000 to 4.00 messages a second; its last second "
        "below 90% ended 13.7 s after the fault.",
    ),
    (
        {"produce_low_until_s": 9.7},
        "Publishing fell from 1,000 to 0 messages a second and was back at 90% of it after 3.7 s, and fell "
        "again: its last second below 90% ended 9.7 s after the fault.",
    ),
    (
        {"produced_before_per_s": None, "produce_unrecovered": "fewer than 3"},
        "Publishing: not known, as fewer than 3.",
    ),
    ({}, "The backlog rose from 12 to 5,300 messages and was drained 9.0 s after its peak."),
    ({"backlog_peak": 12}, "No more messages waited than before, 12 at most."),
    (
        {"backlog_drain_s": None, "backlog_undrained": "not before the measured stage ended"},
        "from 12 to 5,300 messages and was not drained before the measured stage ended.",
    ),
    ({"backlog_peak": None, "backlog_undrained": "nobody counted"}, "Backlog: not known, as nobody counted."),
    ({}, "37 calls failed."),
    ({"errors": 1}, "1 call failed."),
    (
        {},
        "No loss of confirmed messages was expected, as all mirrors had each message before it was "
        "confirmed; held: no confirmed message lost.",
    ),
    (
        {"was_done": False, "done_s": None, "error": "no such node", **unmeasured("it was not done")},
        "rabbit1@localhost (the leader's node) was to be killed at 12.0 s and was not: no such node.",
    ),
    (
        {"was_done": False, "done_s": None, "node": None, **unmeasured("it was not done")},
        "A node (the leader's node) was to be killed at 12.0 s and was not.",
    ),
]


@pytest.mark.parametrize(("changed", "said"), SENTENCES)
def test_each_sentence(changed: dict[str, Any], said: str) -> None:
    assert said in finding(fault(**changed))


@pytest.mark.parametrize(
    ("changed", "unsaid"),
    [
        ({"errors": 0}, "failed."),
        ({"produced_before_per_s": 0.0, "produce_recovery_s": None}, "Publishing"),
        ({"was_done": False, "done_s": None, **unmeasured("it was not done")}, "expected"),
    ],
)
def test_what_there_is_nothing_to_say_of_is_not_said(changed: dict[str, Any], unsaid: str) -> None:
    assert unsaid not in finding(fault(**changed))


def shown(made: Report, *, with_charts: bool = False) -> Section:
    found = section(Subject(made, None, with_charts=with_charts))
    assert found
    return found


def tables(found: Section) -> dict[str, Table]:
    return {table.slug: table for table in found.tables()}


def test_the_section_has_a_finding_and_two_rows_a_fault() -> None:
    plan = planned()
    made = report(
        plan,
        fault_row(plan[0].case_id, lost=3),
        fault_row(
            plan[0].case_id,
            2,
            was_done=False,
            done_s=None,
            back_s=None,
            lost=3,
            **unmeasured("it was not done"),
        ),
    )
    found = shown(made)
    (note,) = (part for part in found.parts if isinstance(part, Paragraph))
    assert ONE_MACHINE.strip() in str(note.pieces[0])
    (bullets,) = (part for part in found.parts if isinstance(part, Bullets))
    assert [len(item) for item in bullets.items] == [2, 2]
    rates, losses = tables(found)["faults"].rows, tables(found)["fault-losses"].rows
    assert rates[0].labels == ("RabbitMQ mirrored pair", "1: kill, leader")
    assert rates[0].cells == (
        *("12.3", "23.1"),
        *("1,000", "0", "3.7"),
        *("1,000", "4.00", "4.7"),
        *("5,300", "9.0"),
    )
    assert rates[1].cells == ("–",) * 10
    assert losses[0].cells == ("3", "0", "5", "37", "yes", "none", "no")
    assert losses[1].cells == ("3", "0", "5", "–", "yes", "not said", "not judged")
    assert [row.tone for row in losses] == ["bad", ""]


def test_only_of_one_machine_the_section_says_so() -> None:
    plan = planned()
    made = report(plan, fault_row(plan[0].case_id)).model_copy(update={"environment": "aws"})
    (note,) = (part for part in shown(made).parts if isinstance(part, Paragraph))
    assert ONE_MACHINE.strip() not in str(note.pieces[0])


def test_findings_are_not_without_end() -> None:
    (case,) = planned()
    many = [fault_row(case.case_id, number) for number in range(1, MOST_FINDINGS + 3)]
    found = shown(report((case,), *many))
    (bullets,) = (part for part in found.parts if isinstance(part, Bullets))
    assert len(bullets.items) == MOST_FINDINGS + 1
    assert "2 more faults in the tables" in str(bullets.items[-1])
    assert len(tables(found)["faults"].rows) == MOST_FINDINGS + 2


def charts(made: Report) -> list[Chart]:
    return list(rates_around_faults(made))


def test_a_chart_marks_each_fault_of_its_case() -> None:
    (case,) = planned()
    (chart,) = charts(report((case,), fault_row(case.case_id), fault_row(case.case_id, 2, done_s=30.0)))
    assert chart.title == "Parallel, 1 thread, RabbitMQ mirrored pair: rate around faults"
    for form in (chart.wide, chart.narrow):
        assert all(label in form for label in ("produced", "consumed", "fault", "back at 90%"))
    assert "fault 1 at 12.3 s: produced from 1,000 to 0 messages a second" in chart.wide
    assert "fault 2 at 30.0 s" in chart.wide


def test_what_was_not_done_in_the_measured_stage_has_no_chart() -> None:
    (case,) = planned()
    assert charts(report((case,), fault_row(case.case_id, span_end_s=None))) == []
    undone = fault_row(case.case_id, was_done=False, done_s=None, **unmeasured("it was not done"))
    assert charts(report((case,), undone)) == []


def test_charts_are_one_a_case_and_few_and_the_section_says_so() -> None:
    plan = sample.planned((PAIR, TRIO))[: MOST_CHARTS + 2]
    made = report(plan, *(fault_row(case.case_id) for case in plan))
    assert len(charts(made)) == MOST_CHARTS
    (note,) = (part for part in shown(made).parts if isinstance(part, Paragraph))
    assert f"Drawn are the first {MOST_CHARTS} cases" in str(note.pieces[0])


def test_a_long_stage_is_drawn_in_so_many_points_at_most() -> None:
    (case,) = planned()
    rates = [rate_row(case.case_id, "produce", second, 5.0) for second in range(7200)]
    made = sample.report(
        (case,),
        cases=[measured_for(case) | {"parameters": "{}"}],
        faults=[fault_row(case.case_id)],
        rate_over_time=rates,
    )
    (chart,) = charts(made)
    assert chart.wide.count("\nL ") < 6 * MOST_POINTS


def test_markdown_and_glossary_have_faults_where_there_are_any() -> None:
    (case,) = planned()
    made = report((case,), fault_row(case.case_id))
    assert "Faults: expected loss, and what was found" in markdown(made, None)
    listed = {part.title for part in shown_glossary(made).parts}  # type: ignore[union-attr]
    assert "Faults" in listed
    assert "Faults" not in {part.title for part in shown_glossary(sample.report((case,))).parts}  # type: ignore[union-attr]


def shown_glossary(made: Report) -> Section:
    found = glossary.section(Subject(made, None))
    assert found
    return found


def test_a_report_has_every_column_of_the_query() -> None:
    assert set(fault_row("c")) == set(FaultReport.model_fields) - {
        *("expected_loss", "expected_because", "held", "finding")
    }
