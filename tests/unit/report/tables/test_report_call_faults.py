"""Faults of calls in a report: what was injected, what the ledger has, and whether the loss held."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.loadgen.workers.worker import RETRY_S
from breakeven.report.charts.fault_charts import rates_around_faults
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Paragraph, Section
from breakeven.report.sections.over_time.faults import BY_A_PROXY, ONE_MACHINE, RESTS, section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.fault_findings import finding
from breakeven.terms import TargetName
from tests.fixtures.report import sample
from tests.fixtures.report.fault_rows import fault, fault_row, measured_for, rates_around, unmeasured

SQS, PAIR = TargetName("sqs-standard"), TargetName("rabbitmq-mirrored-pair")
THROTTLE: dict[str, Any] = {
    **{"kind": "throttle", "aimed_at": "calls", "node": "fault proxy", "in_sync": None, "for_s": 10.0},
    **{"injected_sends": 12, "injected_receives": 0, "injected_deletes": 1300, "calls_seen": 4000},
    **{"duplicates": 0, "unknown": 12, "missing": 12},
}
COPIES = {
    **THROTTLE,
    **{"kind": "duplicate", "aimed_at": "deliveries", "duplicates": 7, "unknown": 0, "missing": 0},
    **{"injected_sends": 0, "injected_receives": 7, "injected_deletes": 0, "calls_seen": 70},
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            THROTTLE,
            "1,312 of 4,000 calls from 12.3 s to 23.1 s were denied as too many (RequestThrottled): "
            "12 sends, 1,300 deletes.",
        ),
        (THROTTLE, "The case's ledger has 0 duplicates, 12 unknown outcomes and 12 missing."),
        (
            THROTTLE,
            "Publishing fell from 1,000 to 0 messages a second and was back at 90% of it after 3.7 s.",
        ),
        (
            {**THROTTLE, "kind": "error"},
            "calls from 12.3 s to 23.1 s were answered by an error of the service",
        ),
        ({**THROTTLE, "kind": "delay"}, "calls from 12.3 s to 23.1 s were passed on late"),
        ({**THROTTLE, "kind": "reset"}, "calls from 12.3 s to 23.1 s had their connection reset"),
        (COPIES, "7 of 70 messages from 12.3 s to 23.1 s were handed out once more. "),
        (COPIES, "The case's ledger has 7 duplicates, 0 unknown outcomes and 0 missing."),
        (
            {**THROTTLE, "injected_sends": None, "calls_seen": None, "back_s": None, "error": "it has ended"},
            "Of calls some were denied as too many (RequestThrottled) from 12.3 s; how many is not known: "
            "it has ended.",
        ),
        (
            {**THROTTLE, "was_done": False, "done_s": None, "error": "late", **unmeasured("it was not done")},
            "A throttle of calls was due at 12.0 s and was not done: late.",
        ),
    ],
)
def test_each_sentence(changed: dict[str, Any], said: str) -> None:
    assert said in finding(fault(**changed))


def test_of_a_nodes_fault_the_ledgers_sentence_is_not_said() -> None:
    assert "The case's ledger" not in finding(fault())


def report(target: TargetName, *rows: dict[str, Any]) -> Report:
    (case,) = plan = sample.planned((target,))[1:2]
    return sample.report(
        plan,
        faults=[fault_row(case.case_id, number, **row) for number, row in enumerate(rows, start=1)],
        cases=[measured_for(case)],
        rate_over_time=rates_around(case.case_id),
    )


def shown(made: Report) -> Section:
    found = section(Subject(made, None))
    assert found
    return found


@pytest.mark.parametrize("kind", ["throttle", "error", "delay", "reset", "duplicate"])
def test_no_confirmed_message_is_expected_to_be_lost(kind: str) -> None:
    (held,) = report(SQS, {**THROTTLE, "kind": kind}).faults
    assert (held.expected_loss, held.held) == ("none", True)
    (lost,) = report(SQS, {**THROTTLE, "kind": kind, "lost": 1}).faults
    assert (lost.expected_loss, lost.held, lost.finding) == (
        "none",
        False,
        "not held: 1 confirmed message lost",
    )


def test_a_table_has_the_proxys_counts_beside_the_ledgers() -> None:
    found = shown(report(SQS, THROTTLE, {**COPIES, "injected_receives": None}))
    (table,) = (table for table in found.tables() if table.slug == "fault-calls")
    assert [row.labels[1] for row in table.rows] == ["1: throttle, calls", "2: duplicate, deliveries"]
    assert table.rows[0].cells == ("4,000", "1,312", "12", "0", "1,300", "0", "12", "12", "0")
    assert table.rows[1].cells == ("70", "–", "0", "–", "0", "7", "0", "0", "0")
    losses = next(table for table in found.tables() if table.slug == "fault-losses")
    assert losses.rows[0].cells[4:] == ("–", "none", "yes")


def test_what_is_said_of_nodes_and_of_the_proxy_is_said_where_there_are_any() -> None:
    for made, said in ((report(SQS, THROTTLE), BY_A_PROXY), (report(PAIR, {}), ONE_MACHINE)):
        (note,) = (part for part in shown(made).parts if isinstance(part, Paragraph))
        text = str(note.pieces[0])
        assert [each for each in (BY_A_PROXY, ONE_MACHINE) if each.strip() in text] == [said]
    assert "fault-calls" not in {table.slug for table in shown(report(PAIR, {})).tables()}


def test_the_loaders_own_rests_are_told_of_as_they_are() -> None:
    (note,) = (part for part in shown(report(SQS, THROTTLE)).parts if isinstance(part, Paragraph))
    first_s, most_s = RETRY_S
    assert RESTS.strip() in str(note.pieces[0])
    assert f"rests {first_s:g} s after a failed call, doubled up to {most_s:g} s" in RESTS


def test_the_chart_marks_the_time_in_which_calls_met_it() -> None:
    (chart,) = rates_around_faults(report(SQS, THROTTLE))
    assert "throttle of calls" in chart.wide
    assert ">fault<" not in chart.wide
