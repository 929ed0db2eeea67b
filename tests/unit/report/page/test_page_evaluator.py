"""The page's arithmetic is the SQL's: bills, crossings and intervals of random settings."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ, question
from breakeven.pricing.bill.variations import STAFF_HOURS, staffed
from breakeven.pricing.prices.book_files import load_book
from breakeven.report.building.money_builder import cost_questions
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


@pytest.mark.thorough
def test_the_crossings_of_a_thousand_settings_are_those_of_the_sql() -> None:
    asked = [of_one_pair(setting, number) for number, setting in enumerate(settings())]
    rows = by_pair(answers(Asked(tuple(asked)).rows(), ["crossover"])["crossover"])
    assert len(rows) == COUNT
    kinds = {row["kind"] for found in rows.values() for row in found}
    assert {"meet", "step", "never"} <= kinds
    for one, page in zip(asked, pages(), strict=True):
        ids = [option.option_id for option in one.options]
        (pair,) = [pair for pair in page["pairs"] if [pair["first"], pair["second"]] == ids]
        assert_rows(f"{one.inputs}", rows[one.question_id, ids[0], ids[1]], pair)


@pytest.mark.thorough
def test_bills_and_intervals_are_those_of_the_sql() -> None:
    some = settings()[:FULL]
    asked = [one for setting in some for one in (setting.question, *corners_of(setting))]
    found = answers(Asked(tuple(_named_by_form(asked))).rows(), ["crossover", "bills"])
    rows = by_pair(found["crossover"])
    with_interval = further = 0
    unsure: set[tuple[bool, str]] = set()
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
                    assert row["unless"] == unless(setting, pair), (setting.inputs, row)
                    unsure.add((row["sure"], row["unless"]))
                with_interval += low is not None
                further += low is not None and wanted["number"] > 1
    assert with_interval > FULL
    assert further
    assert len({condition for sure, condition in unsure if not sure}) > 1


def unless(setting: Setting, pair: dict[str, Any]) -> str:
    """When there is no such crossing, as a report says it."""
    book = load_book(setting.region)
    (asked,) = cost_questions(Asked((question("q", setting.inputs, book),)).to_json())
    return asked.may_be_none(pair["first"], AMAZON_MQ if pair["second"] == AMAZON_MQ else RABBITMQ)


@pytest.mark.parametrize("capacity", [500.0, 450.0, None])
def test_with_a_working_day_of_staff_time_the_page_has_the_longest_range_where_the_sql_has_it(
    capacity: float | None,
) -> None:
    inputs = ask(deployment="trio", capacity_msg_per_s=capacity, msg_per_s=100, amazon_mq=None)
    book = load_book("us-east-1")
    asked = Asked((*staffed(question("q", inputs, book)),))
    found = {
        row["sqs_option"]: row
        for row in answers(asked.rows(), ["pays_from"])["pays_from"]
        if row["purpose"] == "staffed"
    }
    given = inputs.but(hours=STAFF_HOURS).model_dump(mode="json")
    (page,) = evaluated(data(), [{"inputs": given, "region": "us-east-1", "rate": 100, "intervals": False}])
    for sqs, row in found.items():
        (pair,) = [one for one in page["pairs"] if (one["first"], one["second"]) == (sqs, "rabbitmq-trio")]
        changes = [one for one in pair["rows"] if one["msg_per_s"] and one["msg_per_s"] < 100_000]
        ends = [*(one["msg_per_s"] for one in changes), 100_000]
        pays = [
            (until - one["msg_per_s"], one["msg_per_s"])
            for one, until in zip(changes, ends[1:], strict=True)
            if one["above"] == "rabbitmq-trio"
        ]
        assert same(row["msg_per_s"], max(pays)[1] if pays else None), (sqs, row)
    assert found["sqs-as-used"]["msg_per_s"]


@pytest.mark.parametrize(
    ("size", "by"),
    [(1024, "by tens"), (7 * 1024, "9 a call"), (300 * 1024, "3 a call"), (600 * 1024, "one by one")],
)
def test_a_receive_brings_no_more_than_a_call_carries(size: int, by: str) -> None:
    """Ten messages, 1 MiB together, and as many as are billed least: nine of 7 KiB are one request."""
    given = ask(message_bytes=size, msg_per_s=100).model_dump(mode="json")
    (page,) = evaluated(data(), [{"inputs": given, "region": "us-east-1", "rate": 100, "intervals": False}])
    (own,) = [option for option in page["options"] if option["id"] == "sqs-by-tens"]
    assert own["label"] == f"SQS, single sends, received {by}"
    (requests,) = [line for line in own["lines"] if line["line"] == "requests"]
    many = {"by tens": 10, "one by one": 1}.get(by) or int(by.split(maxsplit=1)[0])
    assert f"receive ceil({many} x {size} B / 64 KiB) / {many}" in requests["formula"]


def _named_by_form(asked: list[Any]) -> list[Any]:
    """Corners call the cluster by no form; the page's question does."""

    def named(option: Any, form: str) -> Any:
        return replace(option, option_id=f"rabbitmq-{form}") if option.option_id == "rabbitmq" else option

    return [
        replace(one, options=tuple(named(option, one.inputs.deployment) for option in one.options))
        for one in asked
    ]
