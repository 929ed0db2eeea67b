"""The page's arithmetic is the SQL's: bills, crossings and intervals of random settings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from breakeven.pricing.bill.asked import Asked
from breakeven.report.render.page_data import page_data
from local.stored.answers import answers
from tests.fixtures.report import sample
from tests.support.page.evaluator import evaluated
from tests.support.page.settings import Setting, corners_of, drawn, of_one_pair

COUNT, FULL, SEED = 1000, 40, 17
MILLIONTH = 1e-6
#: column of the SQL -> what the page calls it
ROW = {
    "number": "number",
    "kind": "kind",
    "msg_per_s": "msg_per_s",
    "equal_until_msg_per_s": "equal_until",
    "usd_per_month": "usd",
    "cheaper_below": "below",
    "cheaper_above": "above",
}


def data() -> dict[str, Any]:
    """A report's, without capacities of its own: settings say theirs."""
    found = page_data(sample.report(sample.planned()[:2]))
    assert found is not None
    return found | {"capacities": []}


@cache
def settings() -> list[Setting]:
    return drawn(SEED, COUNT)


@cache
def pages() -> list[dict[str, Any]]:
    return evaluated(
        data(), [setting.given(intervals=number < FULL) for number, setting in enumerate(settings())]
    )


def same(sql: Any, page: Any, part: float = MILLIONTH) -> bool:
    if isinstance(sql, float) and isinstance(page, int | float):
        return page == pytest.approx(sql, rel=part)
    return bool(sql == page)


def assert_rows(asked: str, wanted: list[dict[str, Any]], pair: dict[str, Any]) -> None:
    found = [{column: row[name] for column, name in ROW.items()} for row in pair["rows"]]
    shown = [{column: row[column] for column in ROW} for row in wanted]
    assert len(found) == len(shown), (asked, shown[:3], found[:3])
    for own, theirs in zip(shown, found, strict=True):
        assert all(same(own[column], theirs[column]) for column in ROW), (asked, own, theirs)


def interval(row: dict[str, Any]) -> tuple[float | None, float | None]:
    """Of a crossing; less than a part in a billion is the arithmetic's."""
    low, high = row["low_msg_per_s"], row["high_msg_per_s"]
    return (None, None) if low is None or high - low <= 1e-9 * high else (low, high)


def by_pair(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["question_id"], row["sqs_option"], row["other_option"]), []).append(row)
    return found


def test_every_line_of_every_bill_has_the_same_units_and_says_so_in_the_same_words() -> None:
    for setting, page in zip(settings(), pages(), strict=True):
        options = {option["id"]: option for option in page["options"]}
        assert list(options) == [option.option_id for option in setting.question.options], page["left_out"]
        for option in setting.question.options:
            own = options[option.option_id]
            assert own["label"] == option.label
            wanted = [(line.line, line.formula) for line in option.lines]
            assert [(line["line"], line["formula"]) for line in own["lines"]] == wanted
            assert same(option.messages_per_cluster, own["per_cluster"], 1e-12)


def test_the_crossings_of_a_thousand_settings_are_those_of_the_sql() -> None:
    asked = [of_one_pair(setting, number) for number, setting in enumerate(settings())]
    rows = by_pair(answers(Asked(tuple(asked)).rows(), ["crossover"])["crossover"])
    assert len(rows) == COUNT
    kinds = {row["kind"] for found in rows.values() for row in found}
    assert {"meet", "step", "never"} <= kinds
    for question, page in zip(asked, pages(), strict=True):
        ids = [option.option_id for option in question.options]
        (pair,) = [pair for pair in page["pairs"] if [pair["first"], pair["second"]] == ids]
        assert_rows(f"{question.inputs}", rows[question.question_id, ids[0], ids[1]], pair)


def test_bills_and_intervals_are_those_of_the_sql() -> None:
    some = settings()[:FULL]
    asked = [question for setting in some for question in (setting.question, *corners_of(setting))]
    found = answers(Asked(tuple(_named_by_form(asked))).rows(), ["crossover", "bills"])
    rows = by_pair(found["crossover"])
    with_interval = further = 0
    for setting, page in zip(some, pages(), strict=False):
        name = setting.question.question_id
        for option in page["options"]:
            bill = [
                row
                for row in found["bills"]
                if (row["question_id"], row["option_id"]) == (name, option["id"])
            ]
            usd = None if any(row["usd"] is None for row in bill) else sum(row["usd"] for row in bill)
            assert same(usd, option["usd"])
        for pair in page["pairs"]:
            if pair["first"] == "sqs-by-tens" or pair["second"] not in {
                f"rabbitmq-{setting.inputs.deployment}",
                "amazon-mq",
            }:
                continue
            for wanted, row in zip(rows[name, pair["first"], pair["second"]], pair["rows"], strict=True):
                low, high = interval(wanted)
                assert same(low, row["low"]), (setting.inputs, low, row)
                assert same(high, row["high"]), (setting.inputs, high, row)
                if wanted["number"] is not None:
                    assert row["sure"] == (wanted["corners_with"] == wanted["corners"]), (setting.inputs, row)
                with_interval += low is not None
                further += low is not None and wanted["number"] > 1
    assert with_interval > FULL
    assert further


def _named_by_form(asked: list[Any]) -> list[Any]:
    """Corners call the cluster by no form; the page's question does."""

    def named(option: Any, form: str) -> Any:
        return replace(option, option_id=f"rabbitmq-{form}") if option.option_id == "rabbitmq" else option

    return [
        replace(one, options=tuple(named(option, one.inputs.deployment) for option in one.options))
        for one in asked
    ]
