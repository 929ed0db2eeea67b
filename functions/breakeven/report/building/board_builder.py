"""The board of sizes, from what the plan has of its questions and the query's rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from breakeven.report.building.query_answers import Rows
from breakeven.report.contract.board_model import BoardRate, BoardSize


def board(cost: Mapping[str, Any], rows: Rows) -> list[BoardSize]:
    """Each size with its rates, in the order in which they were asked; those without a price are left out."""
    found: dict[tuple[str, str], list[BoardRate]] = {}
    for row in sorted(rows, key=lambda row: float(row["msg_per_s"])):
        found.setdefault((row["question_id"], row["option_id"]), []).append(BoardRate.of(row))
    return [
        BoardSize(**{name: value for name, value in asked.items() if name != "option_id"}, rates=rates)
        for asked in cost.get("board", ())
        if (rates := found.get((asked["question_id"], asked["option_id"])))
    ]
