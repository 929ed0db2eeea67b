"""What the page embeds is the report's own question: with it the page says what the report says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from breakeven.published.rows import load_shipped
from breakeven.report.contract.report_model import Report
from breakeven.report.render.page import page
from breakeven.report.render.page_data import embedded, page_data
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse
from tests.support.page.evaluator import WEB, evaluated

PLAN = sample.planned()[:2]
FORMS = {"rabbitmq": "rabbitmq-pair"}
HOSTILE = "</script><!--<script>alert(1)</script>&"


def data_of(report: Report) -> dict[str, Any]:
    found = page_data(report)
    assert found is not None
    return found


def answered(report: Report) -> dict[str, Any]:
    data = data_of(report)
    inputs = data["inputs"]
    given = {"inputs": inputs, "region": data["region"], "rate": inputs["msg_per_s"], "intervals": True}
    (found,) = evaluated(data, [given])
    return found


def test_with_its_own_inputs_the_page_has_the_reports_crossings_and_intervals() -> None:
    report = sample.report(PLAN)
    question = report.headline_question
    assert question is not None
    pairs = {(pair["first"], pair["second"]): pair for pair in answered(report)["pairs"]}
    own = [one for one in report.crossovers if one.question_id == question.question_id]
    assert len(own) >= 4
    for crossing in own:
        pair = pairs[crossing.sqs_option, FORMS.get(crossing.other_option, crossing.other_option)]
        row = pair["rows"][(crossing.number or 1) - 1]
        assert row["msg_per_s"] == pytest.approx(crossing.msg_per_s, rel=1e-9)
        ends = pytest.approx(crossing.interval, rel=1e-9) if crossing.interval else (None, None)
        assert (row["low"], row["high"]) == ends
        assert row["sure"] == crossing.is_sure


def test_with_its_own_inputs_the_page_has_the_reports_bills() -> None:
    report = sample.report(PLAN)
    options = {option["id"]: option["usd"] for option in answered(report)["options"]}
    bills = [one for one in report.bills if one.question_id == sample.QUESTION]
    assert len(bills) == 4
    for bill in bills:
        assert options[FORMS.get(bill.option_id, bill.option_id)] == pytest.approx(bill.usd, rel=1e-9)


def test_the_pages_prices_are_those_that_the_report_used() -> None:
    report = sample.report(PLAN)
    (tier,) = [one for one in report.prices if one.item == "m7g.large" and one.book == sample.BOOK]
    dearer = tier.model_copy(update={"usd": 1.25, "source": "a price list", "as_of": "2026-11-24"})
    prices = [dearer if one is tier else one for one in report.prices]
    data = data_of(report.model_copy(update={"prices": prices}))
    price = data["books"]["us-east-1"]["prices"]["ec2/m7g.large"]
    assert (price["tiers"], price["as_of"]) == ([[0, None, 1.25]], "2026-11-24")
    assert data["sources"][price["source"]] == "a price list"
    assert data["books"]["eu-west-1"]["prices"]["ec2/m7g.large"]["tiers"] != price["tiers"]
    assert data["books"]["us-east-1"]["free_requests"] == 1e6


def test_every_field_has_the_bounds_of_the_model() -> None:
    fields = data_of(sample.report(PLAN))["fields"]
    assert fields["message_bytes"] == {"least": 1, "most": 1_048_576, "whole": True}
    assert fields["hours"] == {"least": 0, "most": 10_000, "optional": True}
    assert fields["utilisation"] == {"least": 0.01, "most": 1}
    assert fields["queue"] == {}, "its choices are the control's"
    assert set(fields) == set(data_of(sample.report(PLAN))["inputs"])


def test_nothing_is_embedded_that_the_pages_script_does_not_know() -> None:
    """Keys of rows that come a thousand times in a large run's page."""
    types = (WEB / "src" / "data.ts").read_text(encoding="utf-8")
    data = data_of(sample.report())
    assert data["latencies"]
    for name, found in (("PageData", data), ("Latency", data["latencies"][0])):
        (known,) = re.findall(rf"export interface {name} {{\n(.*?)\n}}", types, re.DOTALL)
        assert set(found) == set(re.findall(r"^  (\w+)\??:", known, re.MULTILINE)), name
    read = "".join(path.read_text(encoding="utf-8") for path in (WEB / "src").rglob("*.ts"))
    for name in data:
        assert re.search(rf"\b{name}\b", read.replace(types, "")), name


@pytest.mark.parametrize(
    ("sent", "received", "rate", "behind"),
    [
        (100.0, 100.0, 100.0, False),
        (50.0, 50.0, 100.0, True),
        (100.0, 50.0, 100.0, True),
        (100.0, 99.0, None, False),
        (100.0, 98.0, None, True),
    ],
)
def test_a_latency_says_of_which_size_and_whether_its_queue_grew(
    sent: float, received: float, rate: float | None, behind: bool
) -> None:
    report = sample.report(sample.planned()[2:4])
    first, *others = report.cases
    assert first.produce
    assert first.consume_cycle
    rates = {
        "produce": first.produce.model_copy(update={"msg_per_s": sent}),
        "consume_cycle": first.consume_cycle.model_copy(update={"msg_per_s": received}),
        "parameters": {"mode": "parallel", "rate": rate, "consumers": 1, "message_bytes": 2048},
    }
    changed = first.model_copy(update=rates)
    found, other = data_of(report.model_copy(update={"cases": [changed, *others]}))["latencies"]
    assert (found["open"], found["behind"], found["message_bytes"]) == (rate is not None, behind, 2048)
    assert (other["open"], other["behind"]) == (False, True), "the sample's sends outrun its receives"


def test_a_price_of_third_parties_is_marked_and_others_are_not() -> None:
    prices = data_of(sample.report(PLAN))["books"]["us-east-1"]["prices"]
    assert [name for name, one in prices.items() if one.get("third_party")] == [
        "amazonmq/single.mq.m7g.large",
        "amazonmq/cluster.mq.m7g.large",
    ]


def test_its_own_cluster_beside_amazon_mq_is_as_sure_as_the_report_has_it() -> None:
    report = sample.report(PLAN)
    assert report.pairs
    (crossing,) = [
        one
        for one in report.pairs.crossings
        if (one.first_option, one.second_option, one.number) == ("rabbitmq-pair", "amazon-mq-cluster", 1)
    ]
    row = answered(report)["managed"]["rows"][0]
    assert row["msg_per_s"] == pytest.approx(crossing.msg_per_s, rel=1e-9)
    assert (row["low"] is None, row["sure"]) == (crossing.interval is None, crossing.is_sure)


@pytest.mark.usefixtures("undrawn")
def test_no_text_ends_the_element_that_it_is_in() -> None:
    report = sample.report(PLAN).model_copy(update={"title": HOSTILE})
    text = embedded(data_of(report))
    assert "<" not in text
    assert json.loads(text)["title"] == HOSTILE
    scripts = list(parse(page(report, None)).iter("script"))
    assert json.loads(scripts[0].text or "")["title"] == HOSTILE


def test_a_report_without_prices_of_today_has_no_script() -> None:
    for report in (sample.report(PLAN, **sample.NOTHING),):
        assert page_data(report) is None
        root = parse(page(report, load_shipped("source-a")))
        assert not list(root.iter("script"))
        assert not [one for one in root.iter() if one.get("id") == "yours"]
        (policy,) = [one.get("content") for one in root.iter("meta") if one.get("http-equiv")]
        assert "script-src" not in (policy or "")
