"""What a sweep asks about money: each of its sizes has its own crossings, at its own price and capacity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from breakeven.planning.plan import make_plan
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, RABBITMQ
from breakeven.pricing.prices.book_files import load_book
from breakeven.report.building.verdict import verdict
from breakeven.report.charts.cost_curves import costs
from breakeven.report.money.crossover_tables import crossover_table
from breakeven.report.money.lookup_tables import offered_rates_table
from breakeven.steps.run.costs import ask_about
from breakeven.words import dollars
from breakeven.workload.read import parse_suite
from tests.fixtures.report import sample
from tests.fixtures.report.money import QUERIES
from tests.fixtures.report.spoken import in_detail
from tests.support.money.query_tables import Bucket

PAIR, REGION = "rabbitmq-mirrored-pair", "us-east-1"
LARGE, XLARGE = {"large": {}}, {"xlarge": {"instance_type": "m7g.xlarge", "volume_gb": 50}}
#: a third with the first's type: told apart by its name alone
ROOMY = {"roomy": {"volume_gb": 200}}


def asked(sizes: dict[str, dict[str, Any]]) -> Asked:
    suite = parse_suite(
        {
            "suite": "sizes",
            "title": "Sizes",
            "targets": ["sqs-standard", PAIR],
            "machines": {PAIR: sizes},
            "scenarios": {"p": {"threads": 1, "message_size": "1KiB"}},
        },
        "sizes.yaml",
    )
    return ask_about(make_plan(suite, run_id="run-1").cases, 1024, load_book(REGION))


def answered(of: Asked, folder: Path) -> dict[str, Any]:
    """The money fields of a report's answers, by the queries."""
    bucket = Bucket(folder)
    for table, rows in of.rows().items():
        bucket.put(table, rows)
    return {name: bucket.ask(name) for name in QUERIES} | {"cost": of.to_json()}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory) -> dict[str, Any]:
    return answered(asked({**LARGE, **XLARGE, **ROOMY}), tmp_path_factory.mktemp("sweep"))


def own(answers: dict[str, Any], question_id: str) -> dict[str, Any]:
    """The first crossing of SQS as used and our own cluster."""
    (row,) = [
        row
        for row in answers["crossover"]
        if (row["question_id"], row["sqs_option"], row["other_option"]) == (question_id, AS_USED, RABBITMQ)
        and (row["number"] or 1) == 1
    ]
    return row


@pytest.mark.parametrize(
    ("size", "question_id"),
    [
        (LARGE, REGION),
        pytest.param(XLARGE, f"{REGION}.size-xlarge", marks=pytest.mark.thorough),
        pytest.param(ROOMY, f"{REGION}.size-roomy", marks=pytest.mark.thorough),
    ],
)
def test_each_size_crosses_where_it_would_if_it_were_the_only_one(sweep, tmp_path, size, question_id):
    single = own(answered(asked(size), tmp_path), REGION)
    found = own(sweep, question_id)
    for column in ("msg_per_s", "low_msg_per_s", "high_msg_per_s", "usd_per_month", "corners"):
        assert found[column] == pytest.approx(single[column]), column
    assert found["msg_per_s"] is not None


def test_sizes_cross_at_their_own_prices_and_say_what_their_own_machines_carry(sweep):
    rates = {row["question_id"]: row["msg_per_s"] for row in (own(sweep, one) for one in ids(sweep))}
    assert len(set(rates.values())) == 3
    capacities = {one["question_id"]: one["capacity"] for one in sweep["cost"]["questions"]}
    assert capacities[REGION] == capacities[f"{REGION}.size-roomy"] != capacities[f"{REGION}.size-xlarge"]


def ids(answers: dict[str, Any]) -> list[str]:
    return [one["question_id"] for one in answers["cost"]["questions"] if one["purpose"] != "history"]


def test_amazon_mq_and_all_that_is_drawn_stand_beside_the_first_size_alone(sweep):
    with_mq = {row["question_id"] for row in sweep["crossover"] if row["other_option"] == AMAZON_MQ}
    assert with_mq == {REGION}
    variants = {one["question_id"] for one in sweep["cost"]["cheaper"]}
    assert {name.partition(".")[0] for name in variants} == {REGION}
    volumes = {one["question_id"] for one in sweep["cost"]["volumes"]}
    for name in ("cost_curves", "bills", "break_even_hours"):
        others = {"2012-12", f"{REGION}.pairs"} | variants | volumes
        asked_of = {row.get("base_id", row["question_id"]) for row in sweep[name]}
        assert asked_of - others == {REGION}, name


def test_one_size_asks_as_ever():
    single, none = asked(LARGE), asked({"large": {"instance_type": "m7g.large"}})
    assert {each.purpose for each in single.questions} == {
        "headline", "history", "interval", "sensitivity", "message-size", "empty-receives", "cheaper", "map",
        "pairs", "pairs-interval", "volume", "staffed", "staffed-interval", "staffed-receives",
    }  # fmt: skip
    assert single.to_json() == none.to_json()
    assert single.to_json()["questions"][0]["options"][RABBITMQ] == "RabbitMQ pair of m7g.large"


def test_the_reports_table_has_a_line_for_each_size_and_the_chart_draws_the_first(sweep):
    report = sample.report(sample.planned()[:4], **sweep)
    rows = [(row.labels, row.cells[0]) for row in crossover_table(report, None).rows]
    used = [(labels[1], rate) for labels, rate in rows if labels[0] == "as used" and "RabbitMQ" in labels[1]]
    assert [label for label, _ in used] == [
        "RabbitMQ pair of m7g.large (large)",
        "RabbitMQ pair of m7g.xlarge (xlarge)",
        "RabbitMQ pair of m7g.large (roomy)",
    ]
    assert len({rate for _, rate in used}) == 3
    notes = " ".join(crossover_table(report, None).notes)
    assert "RabbitMQ pair of m7g.xlarge (xlarge), capacity of one cluster: not known" in notes
    (chart,) = costs(report)
    assert "m7g.large (large)" in chart.wide
    assert "(xlarge)" not in chart.wide


def open_loops(targets: Sequence[str] = ("sqs-standard",), **scenario: Any) -> Asked:
    given = {"producers": 1, "consumers": 1, "measure_s": 10, **scenario}
    suite = parse_suite(
        {
            "suite": "rates",
            "title": "Rates",
            "targets": list(targets),
            "scenarios": {"p": {k: v for k, v in given.items() if v is not None}},
        },
        "rates.yaml",
    )
    return ask_about(make_plan(suite, run_id="run-1").cases, 1024, load_book(REGION))


def test_the_rates_of_open_loops_are_priced_each_with_its_own_size(tmp_path: Path) -> None:
    found = answered(open_loops(rate=[50, 400], message_size="4KiB"), tmp_path)
    slow, fast = (f"{REGION}.rate-{rate}.4096B" for rate in (50, 400))
    own = [row for row in found["bills"] if ".rate-" in row["question_id"]]
    assert {(row["question_id"], row["msg_per_s"]) for row in own} == {(slow, 50.0), (fast, 400.0)}
    requests = [row["units"] for row in own if row["question_id"] == fast and row["service"] == "sqs"]
    assert max(requests) == pytest.approx(3 * 400 * 730 * 3600)
    report = sample.report(sample.planned()[:1], **found)
    table = offered_rates_table(report)
    assert table
    assert [row.labels for row in table.rows] == [("50.0", "4 KiB"), ("400", "4 KiB")]
    (priced, _) = report.offered_rates
    assert priced.usd["sqs-as-used"] == pytest.approx(
        sum(row["usd"] for row in own if (row["question_id"], row["option_id"]) == (slow, "sqs-as-used"))
    )
    assert table.rows[0].cells == tuple(dollars(usd) for usd in priced.usd.values())
    assert {bill.question_id for bill in report.bills} == {REGION}


def test_a_profile_is_priced_at_its_mean() -> None:
    steps = [{"for_s": 5, "rate": 100}, {"for_s": 5, "rate": 300}]
    asked = open_loops(rate=100, profile=steps, measure_s=None)
    assert [one.inputs.msg_per_s for one in asked.questions if one.purpose == "rate"] == [200.0]


def test_a_run_of_sqs_alone_is_priced_beside_a_quorum_trio_and_one_of_pairs_beside_its_pair() -> None:
    for targets, form in ((("sqs-standard",), "trio"), ((PAIR,), "pair")):
        (asked,) = (one for one in open_loops(targets, rate=50).questions if one.purpose == "headline")
        assert (asked.inputs.deployment, asked.inputs.instance) == (form, "m7g.large")


def test_closed_loops_and_searches_have_no_rate_to_price() -> None:
    assert [one.purpose for one in open_loops().questions if one.purpose == "rate"] == []
    searched = open_loops(mode="capacity", rate=100, targets=[PAIR])
    assert [one.purpose for one in searched.questions if one.purpose == "rate"] == []


def test_the_verdict_is_of_todays_form_and_the_detail_has_the_others_and_history(tmp_path: Path) -> None:
    targets = ["sqs-standard", PAIR, "rabbitmq-quorum-trio"]
    report = sample.report(sample.planned()[:4], **answered(open_loops(targets, rate=50), tmp_path))
    trio = "RabbitMQ trio of m7g.large in 3 zones"
    assert "us-east-1, SQS batched is the cheapest below about 2,490 messages a second (" in verdict(report)
    noted = in_detail(report)
    assert f"Amazon MQ above that, and a {trio} at no rate priced." in verdict(report)
    carried = "each Amazon MQ cluster can carry 10,700 messages a second"
    assert f"These prices suppose that {carried} (more at higher rates)" in verdict(report)
    assert f"A {trio} is the cheapest at no rate priced." in noted["The headline"]
    below = "below about 2,680 messages a second (between 501 and 2,680)"
    assert (
        f"Without Amazon MQ, SQS batched and long-polled is cheaper than a {trio} {below}"
        in (noted["The headline"])
    )
    assert noted["Other clusters"] == (
        "With SQS as used (one message a call) and a RabbitMQ pair of m7g.large in 2 zones, SQS is cheaper "
        "than RabbitMQ below about 45 messages a second (between 33 and 45). At the prices of 2012-12, three "
        "calls a message and a RabbitMQ pair of m1.small, SQS is cheaper than RabbitMQ below about 15 "
        "messages a second."
    )


def test_a_sweep_of_one_form_has_nothing_more_to_say(sweep) -> None:
    report = sample.report(sample.planned()[:4], **sweep)
    assert "Other clusters" not in in_detail(report)
    assert not any("2012" in said for said in (report.verdict, *in_detail(report).values()))


def test_the_price_of_a_cluster_has_the_iops_that_its_volumes_are_given() -> None:
    (usual,) = asked({"usual": {}}).clusters
    (fast,) = asked({"fast": {"volume_type": "io2", "volume_iops": 3000}}).clusters
    # of a pair: 20 GB of io2 at $0.125 for gp3's $0.08, and 3,000 IOPS at $0.065
    assert fast["usd"] - usual["usd"] == pytest.approx(2 * (20 * (0.125 - 0.08) + 3000 * 0.065))
