"""Options of a priced question for the brute force: its rows' lines in exact fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gmpy2 import mpq as F

from tests.support.money.cost_curves import Line, Option, Price

Rows = Iterable[Mapping[str, Any]]
UNITS = ("fixed", "per_message", "per_cluster", "free", "used")


def option_of(
    tables: Mapping[str, Rows], question_id: str, option_id: str, messages_per_cluster: F | None = None
) -> Option:
    """:param tables: rows of ``cost_items`` and ``prices``, in any order"""
    tiers: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in tables["prices"]:
        tiers.setdefault((row["book"], row["service"], row["item"]), []).append(row)
    lines = [
        Line(
            row["line"],
            _price(tiers[row["book"], row["service"], row["item"]]),
            factor=F(row["price_factor"]),
            **{name: F(row[f"units_{name}"]) for name in UNITS},
        )
        for row in tables["cost_items"]
        if (row["question_id"], row["option_id"]) == (question_id, option_id)
    ]
    side = "sqs" if option_id.startswith("sqs") else "self-hosted"
    return Option(option_id, side, tuple(lines), messages_per_cluster)


def _price(rows: list[Mapping[str, Any]]) -> Price:
    ordered = sorted(rows, key=lambda row: row["tier_from"])
    return Price(
        tuple((None if row["tier_to"] is None else F(row["tier_to"]), F(row["usd"])) for row in ordered)
    )
