"""A run as an owner is shown it: a broker killed under load, and the self-test of the loader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from breakeven.report.building.query_answers import Rows
from breakeven.report.building.report_builder import build_report
from breakeven.report.contract.report_model import Report
from breakeven.terms import TargetName
from tests.fixtures.report import money, sample, self_tested
from tests.fixtures.report.fault_rows import fault_row, measured_for, rates_around

PAIR = TargetName("rabbitmq-mirrored-pair")
#: a case of each target, and the one in which the broker is killed
CASES = (*sample.planned()[2:6], sample.planned((PAIR,))[4])
KILLED = CASES[-1]


def _kept_up(rows: Rows) -> list[Mapping[str, Any]]:
    """The rows with those of five threads consuming what they send: of no other the latency is shown."""
    sent = {row["case_id"]: row["msg_per_s"] for row in rows if row["metric"] == "produce"}
    return [
        {**row, "msg_per_s": sent[row["case_id"]]} if row["case_id"].startswith("parallel.2.") else row
        for row in rows
    ]


def report() -> Report:
    """The sample's, self-tested, with the fault."""
    answers = self_tested.with_instrument(sample.answers(CASES))
    rows = [row for row in answers.cases if row["case_id"] != KILLED.case_id]
    answers = replace(
        answers,
        throughput=_kept_up(answers.throughput),
        cases=[*rows, measured_for(KILLED, mirrors=1)],
        rate_over_time=[*answers.rate_over_time, *rates_around(KILLED.case_id)],
        faults=[fault_row(KILLED.case_id)],
        **money.answers(**money.ANYWHERE),
    )
    return build_report(sample.record((*self_tested.PROVING, *CASES)), sample.manifest(), answers)
