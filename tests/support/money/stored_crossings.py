"""The crossings of a run's headline question by brute force: from its bills' lines and prices as stored."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from gmpy2 import mpq as F

from breakeven.report.contract.report_model import Report
from breakeven.results.store import Store
from tests.support.money.cost_crossings import Crossing, Pair
from tests.support.money.cost_curves import Line, Option, Price
from tests.support.money.intervals import intervals

HOURS = F(730)
#: of a month
SECONDS = HOURS * 3600
#: of a capacity, what is used at the peak; and how many times the mean the peak is
USED, PEAK = F(7, 10), 3
SQS, OTHER = "sqs-as-used", "rabbitmq"


def crossings(store: Store, run_id: str, question: str, carries: float, empty: int = 0) -> list[Crossing]:
    """Of SQS as it is used with a cluster that carries so many messages a second.

    :param empty: receives that bring nothing, for each message
    """
    sqs = _option(store, run_id, question, SQS, carries=None, empty=empty)
    return Pair(sqs, _option(store, run_id, question, OTHER, carries=carries, empty=0), HOURS).crossings()


def agree(
    store: Store, run_id: str, report: Report, question: str, carries: tuple[float, float, float]
) -> int:
    """Check that the report's crossings are the brute force's, to a millionth; returns how many they are.

    :param carries: capacity of a cluster, and the ends of its interval, messages a second
    """
    capacity, *ends = carries
    expected = crossings(store, run_id, question, capacity)
    corners = [crossings(store, run_id, question, each, empty) for each, empty in product(ends, (0, 1))]
    found = [
        row
        for row in report.crossovers
        if (row.question_id, row.sqs_option, row.other_option) == (question, SQS, OTHER)
    ]
    assert len(found) == len(expected)
    for row, exact, span in zip(found, expected, intervals(expected, corners), strict=True):
        assert exact.messages is not None
        assert span
        assert row.msg_per_s == pytest.approx(float(exact.messages / SECONDS), rel=1e-6)
        assert row.low_msg_per_s == pytest.approx(float(span.low / SECONDS), rel=1e-6)
        assert row.high_msg_per_s == pytest.approx(float(span.high / SECONDS), rel=1e-6)
    return len(found)


def _option(
    store: Store, run_id: str, question: str, option_id: str, *, carries: float | None, empty: int
) -> Option:
    """With its lines as stored, and a capacity of its own."""
    stored = {table: store.rows(table, run_id, "questions") for table in ("cost_items", "prices")}
    tiers: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in stored["prices"]:
        tiers.setdefault((row["book"], row["service"], row["item"]), []).append(row)
    lines = [
        Line(
            row["line"],
            Price(
                tuple(
                    (None if tier["tier_to"] is None else F(tier["tier_to"]), F(tier["usd"]))
                    for tier in sorted(
                        tiers[row["book"], row["service"], row["item"]], key=lambda tier: tier["tier_from"]
                    )
                )
            ),
            **{
                name: F(row[f"units_{name}"])
                for name in ("fixed", "per_message", "per_cluster", "free", "used")
            },
        )
        for row in stored["cost_items"]
        if (row["question_id"], row["option_id"]) == (question, option_id)
    ]
    lines = [
        replace(line, per_message=line.per_message + empty) if line.name == "requests" else line
        for line in lines
    ]
    side = "sqs" if option_id.startswith("sqs") else "self-hosted"
    each = None if carries is None else F(carries) * USED / PEAK * SECONDS
    return Option(option_id, side, tuple(lines), each)
