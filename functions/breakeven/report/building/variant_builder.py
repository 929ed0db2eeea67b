"""Cheaper variants of the headline's cluster: what the plan has of their questions, and the queries' rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.building.money_builder import total
from breakeven.report.building.query_answers import Rows
from breakeven.report.contract.crossing_model import EXACT, CheaperVariant, FirstCrossing


def cheaper_variants(cost: Mapping[str, Any], crossings: Rows, bills: Rows) -> list[CheaperVariant]:
    """Those that cost less than the headline's cluster at the rate asked for, as they were asked.

    :param cost: of the questions, as ``Asked.to_json`` has them
    """
    found = []
    own = next(
        (asked["question_id"] for asked in cost.get("questions", ()) if asked["purpose"] == "headline"), None
    )
    most = _usd(bills, own)
    for asked in cost.get("cheaper", ()):
        name = asked["question_id"]
        lines = [row for row in bills if (row["question_id"], row["option_id"]) == (name, RABBITMQ)]
        usd = _usd(bills, name)
        if usd is None or (most is not None and usd >= most * (1 - EXACT)):
            continue
        first = [_first(crossings, name, option) for option in (AS_USED, BATCHED)]
        found.append(
            CheaperVariant(
                **asked,
                msg_per_s=lines[0]["msg_per_s"],
                usd=usd,
                crossings=[crossing for crossing in first if crossing],
            )
        )
    return found


def _usd(bills: Rows, question_id: str | None) -> float | None:
    """What a question's own cluster costs a month; None: not priced."""
    lines = [row["usd"] for row in bills if (row["question_id"], row["option_id"]) == (question_id, RABBITMQ)]
    return total(lines) if lines else None


def _first(rows: Rows, question_id: str, sqs_option: str) -> FirstCrossing | None:
    """The first change of sides, else why there is none."""
    pair = (question_id, sqs_option, RABBITMQ)
    own = [row for row in rows if (row["question_id"], row["sqs_option"], row["other_option"]) == pair]
    own.sort(key=lambda row: row["number"] or 0)
    changes = (row for row in own if row["cheaper_below"] != row["cheaper_above"])
    chosen = next(changes, own[0] if own else None)
    return None if chosen is None else FirstCrossing.of(chosen)
