"""Dollars at a few volumes and sizes: the page's own, for who reads no page."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.bill.volumes import SIZES, VOLUMES
from breakeven.report.contract.report_model import Report
from breakeven.report.money.priced.volumes_table import volumes_table
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page_data import page_data
from breakeven.words import amount, dollars, size
from tests.fixtures.report import money, sample
from tests.support.page.evaluator import evaluated

PLAN = sample.planned()[:2]


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


@pytest.mark.parametrize("inputs", [{"deployment": "trio"}, {"message_bytes": 65_536, "hours": 8.0}])
def test_they_are_what_the_pages_controls_come_to(inputs: dict[str, Any]) -> None:
    report = report_of(**inputs)
    data = page_data(report)
    assert data
    sizes = sorted({*SIZES, data["inputs"]["message_bytes"]})
    assert [(one.message_bytes, one.messages_per_month) for one in report.volumes] == [
        (bytes_, volume) for bytes_ in sizes for volume in VOLUMES
    ]
    asked = [
        {
            "inputs": data["inputs"] | {"message_bytes": one.message_bytes},
            "region": data["region"],
            "rate": one.msg_per_s,
            "intervals": False,
        }
        for one in report.volumes
    ]
    form = f"rabbitmq-{data['inputs']['deployment']}"
    for one, page in zip(report.volumes, evaluated(data, asked), strict=True):
        shown = {option["id"].replace(form, "rabbitmq"): option["usd"] for option in page["options"]}
        assert one.usd == pytest.approx({name: shown[name] for name in one.usd}, rel=1e-9)


def test_three_million_messages_and_40_kib_are_among_them_with_the_cheapest() -> None:
    report = report_of(deployment="trio")
    table = volumes_table(report)
    assert table
    rows = {(row.section, row.labels[0]): row.cells for row in table.rows}
    one = rows["Messages of 1 KiB", "3.00 million"]
    assert one == ("1.14", "$3.40", "$0.20", "$194.28", "$603.33", "SQS batched")
    assert rows["Messages of 40 KiB", "3.00 million"][1:3] == ("$3.40", "$1.42")
    assert "No staff time is in these dollars." in table.notes[0]
    assert f"### {table.caption}" in markdown(report, None)
    assert [amount(3e6), size(40 * 1024), dollars(3.4)] == ["3.00 million", "40 KiB", "$3.40"]


def test_a_capacity_that_was_given_holds_for_messages_no_larger() -> None:
    report = report_of(capacity_msg_per_s=200.0)
    (small, large) = [one for one in report.volumes if one.messages_per_month == VOLUMES[-1]]
    (unknown, _) = [one for one in report_of().volumes if one.messages_per_month == VOLUMES[-1]]
    assert (small.usd["rabbitmq"] or 0.0) > 10 * (unknown.usd["rabbitmq"] or 0.0), "many clusters"
    same = [one.usd["rabbitmq"] for one in report_of().volumes if one.message_bytes == large.message_bytes]
    assert large.usd["rabbitmq"] == pytest.approx(same[-1])


def test_staff_time_that_is_in_the_dollars_is_said() -> None:
    table = volumes_table(report_of(hours=8.0))
    assert table
    assert table.notes[0].startswith("The cluster's dollars include 8 hours of staff time at $75 an hour.")


def test_a_report_of_before_or_without_prices_has_no_such_table() -> None:
    assert volumes_table(report_of().model_copy(update={"volumes": []})) is None
    assert volumes_table(sample.report(PLAN, **sample.NOTHING)) is None
