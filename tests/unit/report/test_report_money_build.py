"""From the cost queries' rows to the report: nothing dropped, nothing invented, and compact."""

from __future__ import annotations

from collections import defaultdict

import pytest

from breakeven.report.contract.report_model import Report
from tests.fixtures.report import money, sample

AS_USED, BATCHED, RABBITMQ, AMAZON_MQ = "sqs-as-used", "sqs-batched", "rabbitmq", "amazon-mq"


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report()


def report_of(**inputs: object) -> Report:
    return sample.report(sample.planned()[:2], **money.answers(**inputs))


def test_every_crossing_is_there_in_reading_order_with_its_targets(report):
    assert [(c.question_id, c.sqs_option, c.other_option) for c in report.crossovers] == [
        (sample.QUESTION, AS_USED, RABBITMQ),
        (sample.QUESTION, BATCHED, RABBITMQ),
        (sample.QUESTION, BATCHED, RABBITMQ),
        (sample.QUESTION, AS_USED, AMAZON_MQ),
        (sample.QUESTION, BATCHED, AMAZON_MQ),
        (sample.ARTICLE, AS_USED, RABBITMQ),
    ]
    assert report.crossovers[0].targets == ["sqs-standard", "rabbitmq-mirrored-pair"]
    assert [c.number for c in report.crossovers] == [1, 1, 2, 1, 1, 1]
    assert report.crossovers[3].targets == ["sqs-standard", "amazon-mq-cluster"]
    assert {c.price_book for c in report.crossovers} == {sample.BOOK, "2012-12"}


def test_a_crossing_is_as_the_query_answered_it(report):
    by_pair = {
        (row["question_id"], row["sqs_option"], row["other_option"], row["number"]): row
        for row in money.answers()["crossover"]
    }
    for crossing in report.crossovers:
        row = by_pair[crossing.question_id, crossing.sqs_option, crossing.other_option, crossing.number]
        same = set(row) & set(type(crossing).model_fields)
        assert {"msg_per_s", "low_msg_per_s", "high_msg_per_s", "kind", "usd_per_month", "corners"} <= same
        assert {name: getattr(crossing, name) for name in same} == {name: row[name] for name in same}


def test_history_is_the_articles_quotient(report):
    history = report.crossovers[-1]
    assert history.messages_per_hour == pytest.approx(0.16 / 0.03 * 10_000)
    assert (history.usd_per_month, history.assumptions["instance"]) == (pytest.approx(116.8), "m1.small")


def test_what_a_cluster_must_carry_is_the_peak_over_the_use(report):
    first = report.crossovers[0]
    assert first.needs_msg_per_s == pytest.approx(first.msg_per_s * 3 / 0.7)
    assert "not known" in first.capacity
    assert "needs at least 188.2 msg/s a cluster" in first.capacity
    beside = report.crossovers[3]
    assert beside.needs_msg_per_s == pytest.approx(beside.msg_per_s * 3 / 0.7)
    assert "baseline carries 31,984 msg/s at most; needs at least 820.1 msg/s a cluster" in beside.capacity


def test_several_clusters_share_what_must_be_carried():
    crossings = [
        c
        for c in report_of(capacity_msg_per_s=200.0, empty_receives=0.0).crossovers
        if c.other_option == RABBITMQ and c.number
    ]
    assert len(crossings) > 6
    assert {c.kind for c in crossings if c.question_id == sample.QUESTION} == {"meet", "step"}
    for crossing in crossings[:-1]:
        assert crossing.needs_msg_per_s <= 200 * (1 + 1e-9)
    assert "in 2 clusters" in crossings[2].capacity


def test_curves_hold_every_point_of_every_option(report):
    rows = defaultdict(list)
    for row in money.answers()["cost_curves"]:
        rows[row["question_id"], row["option_id"]].append((row["msg_per_s"], row["usd"], row["clusters"]))
    found = {
        (curve.question_id, curve.option_id): sorted(
            zip(curve.msg_per_s, curve.usd, curve.clusters, strict=True)
        )
        for curve in report.cost_curves
    }
    assert found == {key: sorted(points) for key, points in rows.items()}
    assert {option for question, option in found if question == sample.QUESTION} == {
        AS_USED,
        BATCHED,
        RABBITMQ,
        AMAZON_MQ,
    }
    assert report.cost_curves[-1].usd_at(123.456) is None
    for curve in report.cost_curves:
        each = [usd / rate * 1000 for rate, usd in zip(curve.msg_per_s, curve.usd, strict=True)]
        assert curve.usd_per_1000_msg_per_s == pytest.approx(each)


def test_a_bill_is_the_sum_of_its_lines_and_lies_on_its_curve(report):
    curves = {(c.question_id, c.option_id): c for c in report.cost_curves}
    assert [bill.option_id for bill in report.bills] == [AS_USED, BATCHED, RABBITMQ, AMAZON_MQ]
    for bill in report.bills:
        assert bill.msg_per_s == pytest.approx(100)
        assert bill.usd == pytest.approx(sum(line.usd for line in bill.lines))
        assert bill.usd == pytest.approx(curves[bill.question_id, bill.option_id].usd_at(100))
        assert [line.usd for line in bill.lines] == sorted((line.usd for line in bill.lines), reverse=True)
    requests = report.bills[0].lines[0]
    assert (requests.line, requests.usd) == ("requests", pytest.approx((100 * 730 * 3600 * 3 - 1e6) * 0.4e-6))


def test_a_bill_with_a_price_that_is_not_known_has_no_sum():
    rows = [
        row | {"usd": None} if (row["option_id"], row["line"]) == (RABBITMQ, "volumes") else row
        for row in money.answers()["bills"]
    ]
    sums = {bill.option_id: bill.usd for bill in sample.report(bills=rows).bills}
    assert sums[RABBITMQ] is None
    assert sums[AS_USED] is not None


def test_peoples_hours_stand_in_the_bill_under_the_books_name():
    (bill,) = [bill for bill in report_of(hours=20.0).bills if bill.option_id == RABBITMQ]
    people = next(line for line in bill.lines if line.line == "people")
    assert (people.units, people.usd) == (20, 1500)
    assert bill.price_book == sample.BOOK


def test_break_even_hours_are_what_is_saved_over_an_hours_price(report):
    used = report.break_even_hours[0]
    assert (used.sqs_option, used.other_option) == (AS_USED, RABBITMQ)
    curves = {c.option_id: c for c in report.cost_curves if c.question_id == sample.QUESTION}
    for rate, saved, hours in zip(used.msg_per_s, used.saved_usd, used.hours, strict=True):
        assert saved == pytest.approx(curves[AS_USED].usd_at(rate) - curves[RABBITMQ].usd_at(rate))
        assert hours == pytest.approx(max(0.0, saved) / 75)


def test_the_map_answers_as_the_query_did_for_every_rate_and_hour():
    answers = money.answers(capacity_msg_per_s=3000.0, capacities=(("m7g.xlarge", 12000.0),))
    maps = {m.sqs_option: m for m in sample.report(**answers).decision_map}
    assert set(maps) == {AS_USED, BATCHED}
    winners = set()
    for row in answers["decision_map"]:
        (line,) = [one for one in maps[row["sqs_option"]].rows if one.hours == row["hours"]]
        assert line.at(row["msg_per_s"]) == row["cheapest"]
        winners.add(row["cheapest"])
    assert winners == {AS_USED, BATCHED, "m7g.large", "m7g.xlarge"}
    kept = sum(len(line.cheapest) for m in maps.values() for line in m.rows)
    assert kept < len(answers["decision_map"]) / 10


def test_sensitivity_has_both_ends_of_every_input(report):
    rows = {
        (row["sqs_option"], row["other_option"], row["varied"], row["factor"]): row["msg_per_s"]
        for row in money.answers()["sensitivity"]
    }
    found = {
        (row.sqs_option, row.other_option, row.varied, end.factor): end.msg_per_s
        for row in report.sensitivity
        for end in row.ends
    }
    assert found == rows
    base = {
        row.base_msg_per_s
        for row in report.sensitivity
        if (row.sqs_option, row.other_option) == (AS_USED, RABBITMQ)
    }
    assert base == {report.crossovers[0].msg_per_s}


def test_questions_say_what_was_asked_and_what_is_uncertain(report):
    today, history = report.cost_questions
    assert (today.purpose, history.purpose) == ("headline", "history")
    assert today.uncertain == [
        "empty receives",
        "batch fill of SQS batched",
        "traffic between Amazon MQ's brokers",
    ]
    assert today.amazon_mq_capacity == "not known; the network baseline carries 31,984 msg/s at most"
    assert history.amazon_mq_capacity is None
    assert history.uncertain == []
    assert today.inputs["message_bytes"] == 1024
    assert report.crossovers[0].assumptions == today.inputs


def test_what_was_left_out_is_reported():
    cost = dict(money.answers()["cost"], notes=["Amazon MQ is not priced beside: no such price"])
    assert sample.report(cost=cost).cost_notes == ["Amazon MQ is not priced beside: no such price"]
