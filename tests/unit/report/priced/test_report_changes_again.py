"""Sentences that name where an option is cheaper name where it is so no more, above the charts, too."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven import words
from tests.unit.report.test_report_money_verdict import (
    AS_USED,
    BATCHED,
    NO_INTERVAL,
    RABBITMQ,
    as_used,
    compared,
)


def row(msg_per_s: float, below: str, above: str) -> dict[str, Any]:
    return {"msg_per_s": msg_per_s, "cheaper_below": below, "cheaper_above": above} | NO_INTERVAL


def test_sqs_that_is_cheaper_again_above_is_named_in_every_sentence_on_the_pair() -> None:
    rises = row(785.0, BATCHED, RABBITMQ) | {"until_msg_per_s": 320_000.0}
    said = compared(rises, row(320_000.0, RABBITMQ, BATCHED))
    assert (
        "below about 785 messages a second; above that, RabbitMQ is, up to about 320,000, above which SQS "
        "batched and long-polled is cheaper again" in said
    )
    rises = row(43.0, AS_USED, RABBITMQ) | {"until_msg_per_s": 320_000.0}
    said = as_used(rises, row(320_000.0, RABBITMQ, AS_USED))
    assert said.endswith(
        "is cheaper than RabbitMQ only below about 43 a second, and again above about 320,000"
    )


def test_one_change_is_said_as_before() -> None:
    assert as_used(row(43.0, AS_USED, RABBITMQ)).endswith("only below about 43 a second")
    assert "cheaper again" not in compared(row(785.0, BATCHED, RABBITMQ))


@pytest.mark.parametrize("more", [2, 5])
def test_many_changes_are_counted(more: int) -> None:
    ends = [320_000.0 + 100 * n for n in range(more)]
    sides = [RABBITMQ, BATCHED] * more
    rows = [row(785.0, BATCHED, RABBITMQ) | {"until_msg_per_s": ends[0]}]
    for number, start in enumerate(ends):
        until = ends[number + 1] if number + 1 < more else None
        rows.append(row(start, *sides[number % 2 : number % 2 + 2]) | {"until_msg_per_s": until})
    said = compared(*rows)
    times = words.plural(more - 1, "more time")
    assert f"up to about 320,000 (above which the cheaper one changes {times})" in said
