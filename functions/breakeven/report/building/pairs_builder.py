"""Every option of cost against every other, from the rows of ``pair_crossings.sql``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.pricing.bill.cluster_capacity import amazon_mq_capacity, capacity_of, clusters_of
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.pair_questions import MANAGED
from breakeven.report.building.query_answers import Answers, Rows
from breakeven.report.contract.pairs_model import PairCrossing, Pairs


def pairs_of(answers: Answers) -> Pairs | None:
    """None where no such question was asked."""
    asked = next(iter(answers.cost.get("pairs", ())), None)
    return None if asked is None else build_pairs(asked, answers.pair_crossings)


def build_pairs(asked: Mapping[str, Any], rows: Rows) -> Pairs:
    """The pairs in the order of the options: ``asked`` is the question as ``Asked.to_json`` has it."""
    options = {option["option"]: option for option in asked["options"]}
    inputs, order = Inputs.model_validate(asked["inputs"]), list(options)
    found = [
        PairCrossing.of(row, needs_msg_per_s=_needs(row, options, inputs))
        for row in rows
        if row["question_id"] == asked["question_id"]
    ]
    found.sort(
        key=lambda one: (*sorted(map(order.index, (one.first_option, one.second_option))), one.number or 0)
    )
    labels = {name: option["label"] for name, option in options.items()}
    return Pairs(question_id=asked["question_id"], options=labels, crossings=found)


def _needs(row: Mapping[str, Any], options: Mapping[str, Any], inputs: Inputs) -> float | None:
    above = options.get(row["cheaper_above"])
    if above is None or not above["has_clusters"] or not row["msg_per_s"]:
        return None
    rate: float = row["msg_per_s"]
    managed = row["cheaper_above"] in MANAGED
    capacity = amazon_mq_capacity(inputs) if managed else capacity_of(inputs)
    return capacity.needed(rate) / clusters_of(above["mean_msg_per_s"], rate)
