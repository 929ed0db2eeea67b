"""The empty receives that the run's cases counted: what they cost, and where the crossing is with as many."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, RABBITMQ
from breakeven.pricing.bill.sqs_lines import requests_per_message
from breakeven.report.contract.crossing_model import EXACT, EmptyReceives
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import about, crossings, deciding, usd
from breakeven.targets.catalog import record_of


def per_message(case: CaseReport) -> float | None:
    """Empty receives a message of a case that is billed for them; None: not counted."""
    if case.status != "ok" or case.provenance == "published" or case.consume is None:
        return None
    return case.consume.empty_per_message if record_of(case.target).request_price else None


def counted(report: Report) -> str:
    """The case with the most; empty where none is counted or their number was given."""
    found = report.empty_receives
    if found is None:
        return ""
    case = next(case for case in report.cases if case.case_id == found.case_id)
    emulated = ", emulated" if case.provenance == "emulated" else ""
    if not found.per_message:
        return f"No receive came back empty{' (emulated)' if emulated else ''}."
    where = f"{words.case_name(case)}{emulated}"
    sentence = f"Receives came back empty up to {words.figure(found.per_message)} times a message ({where})"
    if found.msg_per_s is None:
        return f"{sentence}."
    crossing = f"the crossing would be at about {about(found.msg_per_s)} messages a second"
    if found.provenance == "emulated":
        beyond = "" if _is_in_the_interval(report, found) else " The interval does not cover that."
        return f"{sentence}; if SQS answered with as many, {crossing}.{beyond}"
    return f"{sentence}; with as many, {crossing}."


def _is_in_the_interval(report: Report, found: EmptyReceives) -> bool:
    """Whether the crossing with as many lies in the interval of the one that the verdict names."""
    row = deciding(crossings(report, found.question_id, AS_USED, RABBITMQ))
    if row is None or found.msg_per_s is None or row.low_msg_per_s is None or row.high_msg_per_s is None:
        return False
    return row.low_msg_per_s * (1 - EXACT) <= found.msg_per_s <= row.high_msg_per_s * (1 + EXACT)


def counted_table(report: Report) -> Table | None:
    """Each case on SQS, and what its empty receives would add to a million messages."""
    rows = [(case, count) for case in report.cases if (count := per_message(case)) is not None]
    if not rows or report.headline_question is None:
        return None
    each = _usd_of_a_million_requests(report)
    return Table(
        slug="empty-receives",
        caption="Empty receives that the cases counted",
        label_titles=("Case", "on"),
        columns=("a message", "$ per million messages", "received, msg/s"),
        rows=tuple(
            Row(
                (words.case_name(case), words.labelled_target(case.target, case.provenance)),
                (
                    words.figure(count),
                    words.NOTHING if each is None else usd(count * each),
                    words.figure(case.consume.msg_per_s if case.consume else None),
                ),
                case.provenance,
            )
            for case, count in rows
        ),
        notes=(
            "An empty receive is a billed request. How many there are depends on how often consumers ask and "
            "how rarely messages come; long polls have few.",
        ),
    )


def _usd_of_a_million_requests(report: Report) -> float | None:
    """At the price of the last request of the bill that is shown; None: there is no bill."""
    question = report.headline_question
    for bill in report.bills:
        if question and (bill.question_id, bill.option_id) == (question.question_id, AS_USED):
            lines = [line.usd_per_million_messages for line in bill.lines if line.line == "requests"]
            each = requests_per_message(question.priced_with)
            return lines[0] / each if lines and lines[0] is not None else None
    return None
