"""``breakeven crossover`` as its user sees it: prices, crossings, hours and origins."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.money.crossover_command import OF_PAIR, document, run


def test_a_bill_is_turned_into_traffic_and_both_sides_priced_at_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = document(capsys, "--sqs-bill", "4000")
    # 4,000 / 0.4e-6 = 10,000 million billed requests, a million free ones, three a message
    assert found["messages_per_month"] == pytest.approx((10_000e6 + 1e6) / 3)
    assert found["question"]["msg_per_s"] == pytest.approx(10_001e6 / 3 / (730 * 3600))
    usd = {option["option"]: option["usd_per_month"] for option in found["options"]}
    assert usd["sqs-as-used"] == pytest.approx(4000 + 0.20), "and two alarms, which are not on SQS's bill"
    assert usd["sqs-batched"] < usd["sqs-as-used"] / 9
    assert usd["rabbitmq"] < usd["amazon-mq"]
    assert {row["sqs_option"] for row in found["break_even_hours"]} == {"sqs-as-used", "sqs-batched"}
    assert found["assumptions"]
    assert {row["purpose"] for row in found["crossovers"]} == {"headline"}


def test_the_terminal_tells_prices_crossings_hours_capacity_and_assumptions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(
        capsys, *OF_PAIR, "--rate", "500", "--size", "2KiB", "--region", "eu-west-1", "--hour-rate", "50"
    )
    assert (code, err) == (0, "")
    assert "2 KiB messages, queue only, prices of eu-west-1@2026-11-20" in out
    assert "SQS as used is cheaper below 54.5 msg/s (between" in out
    assert "Never: SQS batched and long-polled and RabbitMQ pair of m7g.large do not cost the same" in out
    assert "a million more messages cost $0.197 on a RabbitMQ pair of m7g.large (traffic across zones)" in out
    assert "hours of staff time a month at $50.00 an hour" in out
    assert "One cluster needs at least 2,140 msg/s with one node down" in out
    assert "before tax, as shipped, not asked of AWS today" in out


@pytest.mark.parametrize(
    ("options", "named"),
    [((), "trio of m"), (OF_PAIR, "pair of m"), ((*OF_PAIR, "--nodes", "3"), "mirrored cluster of 3 m")],
)
def test_of_a_mirrored_pair_alone_it_is_said_at_once_that_its_queues_have_ended(
    options: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, *options)
    assert code == 0
    cheapest, first, second = out.splitlines()[:3]
    asked = "Cheapest at 100 msg/s, 263 million messages a month"
    assert cheapest == f"{asked}: SQS batched and long-polled, $31.34 a month."
    assert first.startswith(f"Amazon SQS against a RabbitMQ {named}7g.large, 1 KiB messages, queue only")
    ended = "A pair's classic mirrored queues left RabbitMQ in 4.0; today's choice is the quorum trio."
    assert (second == ended, ended in out) == (bool(options), bool(options))


def test_cheaper_ways_to_run_the_brokers_stand_beside_with_what_they_give_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--rate", "100", "--amazon-mq", "none")
    code, out, err = run(capsys, *asked)
    assert (code, err) == (0, "")
    assert "RabbitMQ on one m7g.large gives up: no copy" in out
    assert (
        "RabbitMQ trio of t4g.large (standard credits) gives up: CPU credits sustain 30% of each vCPU" in out
    )
    (one, *_) = document(capsys, *asked)["cheaper_variants"]
    fixed = 730 * 0.0816 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10
    assert one["usd"] == pytest.approx(sum(line["usd"] for line in one["lines"]))
    assert one["usd"] == pytest.approx(fixed, abs=0.01), "one zone, in which its clients are taken to be"
    used, batched = one["crossings"]
    assert used["msg_per_s"] == pytest.approx((fixed - 0.2) / 1.2e-6 / (730 * 3600), rel=0.02)
    assert batched["msg_per_s"] == pytest.approx(10 * used["msg_per_s"], rel=0.02)


@pytest.mark.parametrize(("mode", "limit"), [("standard", "CPU credits"), ("unlimited", "capacity")])
def test_what_a_burstable_type_sustains_is_told(
    capsys: pytest.CaptureFixture[str], mode: str, limit: str
) -> None:
    asked = ("--instance", "t4g.medium", "--cpu-credits", mode, "--capacity", "3000")
    found = document(capsys, *asked)
    assert found["capacity"]["limit"] == limit
    (cluster,) = [option for option in found["options"] if option["option"] == "rabbitmq"]
    billed = [line for line in cluster["lines"] if line["line"] == "surplus CPU credits"]
    assert bool(billed) == (mode == "unlimited")
    code, _, err = run(capsys, "--cpu-credits", "some")
    assert code == 2
    assert "--cpu-credits: 'some'" in err


def test_what_several_clusters_need_is_each_ones(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--rate", "1000", "--size", "64KiB")
    _, out, _ = run(capsys, *asked)
    assert "carries 763 msg/s at most" in out
    assert "Each of the 6 clusters needs at least 714 msg/s with one node down" in out
    needed = document(capsys, *asked)["capacity"]["needed_msg_per_s"]
    assert needed == pytest.approx(1000 * 3 / 0.7 / 6)


@pytest.mark.parametrize("explain", [[], ["--explain", "bills"]])
def test_a_price_that_ends_before_the_clusters_do_is_named_and_not_added_up(
    capsys: pytest.CaptureFixture[str], explain: list[str]
) -> None:
    # two nodes of ten metrics: the book of eu-west-1 prices the first 10,000, which 500 clusters take
    asked = (*OF_PAIR, "--region", "eu-west-1", "--capacity", "10", "--rate")
    code, out, err = run(capsys, *asked, "10000000", *explain)
    assert (code, err) == (0, "")
    assert "Not priced at 10,000,000 msg/s: RabbitMQ pair of m7g.large, metrics: 85.7 million metrics" in out
    assert "eu-west-1@2026-11-20 has a price for the first 10,000 only." in out
    (not_priced,) = [note for note in document(capsys, *asked, "10000000")["notes"] if "metrics" in note]
    assert not_priced in out
    full = 500 * 10 * 0.7 / 3  # messages a second of 500 clusters
    for rate, priced in ((full * 0.999, True), (full * 1.001, False)):
        (cluster,) = [o for o in document(capsys, *asked, str(rate))["options"] if o["option"] == "rabbitmq"]
        assert (cluster["usd_per_month"] is not None) == priced


def test_that_nobody_knows_what_amazon_mq_carries_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys)
    out = " ".join(out.split())
    # 196 msg/s x 3 / 0.7: what a peak of three times the mean takes at 70%
    assert "Amazon MQ cluster of mq.m7g.large above it, if each of its clusters carries at least 839" in out
    assert "and traffic between its brokers, whose price no source gives, is free: 515 million" in out
    assert "three brokers of mq.m7g.large with 15 GB of disk each, as many as the traffic takes" in out
    assert "Its capacity is not known; the network baseline carries 40,120 msg/s at most" in out
    _, out, _ = run(capsys, "--amazon-mq", "none")
    assert "Amazon MQ" not in out


def test_every_option_stands_against_every_other(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys)
    rows = [re.split(r"  +", line) for line in out.splitlines()]
    table = {tuple(row[:2]): row[2:] for row in rows if len(row) == 6}
    assert len(table) == 7 * 6 / 2 + 1
    assert table["RabbitMQ trio", "Amazon MQ cluster"][:3] == ["2,400", "or no crossing", "$778.05"]
    assert table["RabbitMQ pair", "RabbitMQ trio"] == ["1,310", "–", "$513.23", "5,630 msg/s"]
    assert table["SQS as used", "RabbitMQ trio"][:2] == ["66.7", "49.0 to 66.7"]
    assert table["SQS batched", "RabbitMQ trio"][:2] == ["2,680 (+1 crossing)", "501 to 2,680"]
    assert table["SQS batched", "Amazon MQ cluster"][:2] == ["2,490", "1,080 to 8,330"]
    pairs = document(capsys)["pairs"]
    assert pairs["options"]["amazon-mq-single"] == "Amazon MQ, one mq.m7g.large"
    (one,) = [
        each
        for each in pairs["crossings"]
        if (each["first_option"], each["second_option"]) == ("rabbitmq-trio", "amazon-mq-cluster")
    ]
    assert (one["cheaper_above"], one["needs_msg_per_s"]) == (
        "amazon-mq-cluster",
        pytest.approx(one["msg_per_s"] * 3 / 0.7),
    )


def test_a_cluster_of_more_nodes_is_priced_and_called_by_their_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = run(capsys, "--nodes", "5", "--explain")
    assert "RabbitMQ quorum cluster of 5 m7g.large" in out
    assert "5 nodes over 3 zones" in out
    assert "RabbitMQ quorum cluster of 5 nodes" in out, "in the table of pairs"
    assert "baseline / 8 / 3,216.4 B" in out, "two copies, and deliveries to three of five consumers"


def test_every_price_of_the_pairs_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--explain")
    for said in (
        "ec2/m7g.large", "ebs/gp3_gb_month", "network/cross_zone_gb", "amazonmq/cluster.mq.m7g.large",
        "amazonmq/single.mq.m7g.large", "amazonmq/storage_gb_month", "sqs/standard_request",
    ):  # fmt: skip
        assert said in out, said
    (explained,) = re.findall(r"\n== pairs\n(.*?)\n== ", out, re.DOTALL)
    for label in ("RabbitMQ on one m7g.large", "RabbitMQ pair of m7g.large", "Amazon MQ, one mq.m7g.large"):
        assert f"{label} at 100 msg/s" in explained
    assert "rows of queries/money/pair_crossings.sql" in explained


def test_what_other_services_add_to_a_given_bill_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--sqs-bill", "0.1")
    assert "as assumed below; other services bill what is added to it: alarms $0.20" in out


def test_hours_that_are_given_stand_on_the_bill(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--hours", "10", "--hour-rate", "80")
    (cluster,) = [option for option in found["options"] if option["option"] == "rabbitmq"]
    assert {line["line"]: line["usd"] for line in cluster["lines"]}["people"] == pytest.approx(800)


def test_a_capacity_that_is_given_adds_clusters_and_widens_the_interval(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = document(capsys, "--rate", "5000", "--size", "100B", "--capacity", "9000")
    (cluster,) = [option for option in found["options"] if option["option"] == "rabbitmq"]
    assert {line["clusters"] for line in cluster["lines"]} == {3}
    assert found["capacity"]["limit"] == "capacity"


def test_the_origin_of_every_line_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--explain", "bills")
    assert "send ceil(1 x 1024 B / 64 KiB) / 1 = 1" in out
    assert "$4e-07 per request from 0 to 100,000,000,000: us-east-1@2026-11-20 sqs/standard_request" in out
    assert "2026-07-20" in out, "the date of the instance's price"
    assert "rows of queries/money/bills.sql:" in out
    assert "FROM cost_items" in out, "the SQL, with the parts that it includes"


@pytest.mark.parametrize("subject", ["inputs", "crossings", "hours", "capacity"])
def test_every_subject_is_reported_alone(capsys: pytest.CaptureFixture[str], subject: str) -> None:
    _, out, _ = run(capsys, "--explain", subject)
    assert out.count("\n== ") == 1
    assert f"== {subject}" in out


def test_all_is_reported_when_no_subject_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--explain")
    assert out.count("\n== ") == 6


def test_a_book_of_ones_own_is_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    book = json.loads(
        Path("functions/breakeven/pricing/prices/books/us-east-1.json").read_text(encoding="utf-8")
    )
    (price,) = [p for p in book["prices"] if (p["service"], p["item"]) == ("ec2", "m7g.large")]
    price["usd"] = 1.0
    (tmp_path / "mine.json").write_text(json.dumps(book | {"name": "mine"}))
    found = document(capsys, "--book", str(tmp_path / "mine.json"))
    assert found["price_book"] == "mine@2026-11-20"
    (cluster,) = [option for option in found["options"] if option["option"] == "rabbitmq"]
    assert {line["line"]: line["usd"] for line in cluster["lines"]}["instances"] == pytest.approx(3 * 730)


def test_a_published_capacity_is_taken_where_none_is_given_and_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    of_pair = (*OF_PAIR, "--instance", "r3.xlarge")
    _, out, _ = run(capsys, *of_pair, "--rate", "5000")
    assert "Capacity of one cluster: 5,500 msg/s of a pair of r3.xlarge" in out
    assert "published 2016: a fastest rate, all nodes up" in out
    larger = document(capsys, *of_pair, "--size", "8KiB")
    assert larger["capacity"]["from"] == "none is known", "it says nothing of messages over 4000 B"
    given = document(capsys, *of_pair, "--capacity", "100")
    assert given["capacity"]["from"] == "given with the question"


def test_a_broker_without_a_volume_needs_no_size_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--volume", "none", "--volume-gb", "0")
    assert code == 0
    assert "3 nodes over 3 zones, no volume, on-demand" in out


def test_a_months_messages_are_the_rate_of_the_pages_month(capsys: pytest.CaptureFixture[str]) -> None:
    """2,628,000 s are the 730 h of a month that the page has, too."""
    by_month = document(capsys, "--per-month", "7,884,000")
    assert by_month == document(capsys, "--rate", "3")
    assert document(capsys, "--per-month", "0") == document(capsys, "--rate", "0")
