"""The table of capacities that were measured on AWS, and which questions about money they price."""

from __future__ import annotations

from collections.abc import Callable

from breakeven import words
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.questions import MANAGED
from breakeven.pricing.cluster_form import cluster_name
from breakeven.pricing.prices.broker_types import broker_types
from breakeven.report.contract.joined_model import PricedCapacity
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table


def _range(one: PricedCapacity) -> str:
    if one.high_msg_per_s is None:
        return f"{words.figure(one.low_msg_per_s)} or more"
    return f"{words.figure(one.low_msg_per_s)} to {words.figure(one.high_msg_per_s)}"


#: what the columns are, and how a cluster's capacity fills them
COLUMNS: dict[str, Callable[[PricedCapacity], str]] = {
    "msg/s": lambda one: words.figure(one.msg_per_s),
    "range, msg/s": _range,
    "nodes down": lambda one: str(one.nodes_down),
    "message": lambda one: words.size(one.message_bytes),
    "p99 within": lambda one: f"{one.objective_ms:g} ms",
    "repeats": lambda one: str(one.repeats),
    "confirmed for, s": lambda one: words.figure(one.confirmed_s),
    "release": lambda one: one.release or words.NOTHING,
    "run": lambda one: one.run_id,
    "age, days": lambda one: str(one.age_days),
    "priced with it": lambda one: "yes" if one.prices_question_id else "no",
}


def _cluster(one: PricedCapacity) -> str:
    if one.instance in broker_types():
        return MANAGED[form_of(one.deployment)].format(one.instance)
    return cluster_name(one, one.instance)


def capacities_table(report: Report) -> Table | None:
    """None where none was measured on AWS."""
    if not report.capacities:
        return None
    return Table(
        slug="capacities",
        caption="Capacity of one cluster, as measured on AWS",
        label_titles=("Cluster", "Case"),
        columns=tuple(COLUMNS),
        rows=tuple(
            Row(
                (_cluster(one), one.cell),
                tuple(cell(one) for cell in COLUMNS.values()),
                "measured",
            )
            for one in report.capacities
        ),
        notes=(
            "Mean of the repeats. Range: from the least that a repeat held to the rate that failed in the "
            "one that held most. Where a cluster was measured with one node down, that prices it.",
        ),
        sourced=False,
    )
