"""The board of sizes from capacities that runs measured: questions, the query's rows, and what is shown."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.run_capacities import NO_CAPACITIES, Capacities, RunCapacity
from breakeven.pricing.bill.size_board import boards
from breakeven.pricing.prices.book_files import load_book
from breakeven.report.building.board_builder import board
from breakeven.report.money.size_board_table import board_table, cheapest_lines, why_empty
from local.stored.answers import answers
from tests.fixtures.report import money, sample

BOOK = load_book("us-east-1")
TRIO, PAIR = "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair"


def capacity(instance: str, msg_per_s: float, target: str = TRIO, **more: Any) -> RunCapacity:
    fields = {
        "target": target,
        "deployment": "pair" if target == PAIR else "trio",
        "instance": instance,
        "release": "RabbitMQ 4.0.5",
        "message_bytes": 1024,
        "nodes_down": 1,
        "objective_ms": 100.0,
        "msg_per_s": msg_per_s,
        "low_msg_per_s": msg_per_s * 0.9,
        "high_msg_per_s": msg_per_s * 1.1,
        "repeats": 3,
        "cell": "capacity",
        "run_id": "run-1",
        "date": "2026-11-20",
    }
    return RunCapacity(**{**fields, **more})


def known(*own: RunCapacity, stored: tuple[RunCapacity, ...] = ()) -> Capacities:
    return Capacities(date(2026, 11, 23), own, stored)


def sizes_of(capacities: Capacities):
    questions, sizes, left_out = boards(ask(), BOOK, capacities)
    asked = Asked(tuple(questions), capacities=capacities, board=tuple(sizes))
    rows = answers(asked.rows(), ("cheapest_size",))["cheapest_size"]
    return board(asked.to_json(), rows), left_out


#: of a node a month: hours, 20 GB of gp3, ten metrics and five alarms
LARGE = 730 * 0.0816 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10
XLARGE = 730 * 0.1632 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10


def test_dollars_for_each_1000_messages_a_second_are_those_of_as_many_clusters_as_hold_them():
    found, left_out = sizes_of(known(capacity("m7g.large", 2000), capacity("m7g.xlarge", 3500)))
    assert left_out == []
    rates = {(size.option, rate.msg_per_s): rate for size in found for rate in size.rates}
    large, xlarge = (f"RabbitMQ trio of m7g.{name}" for name in ("large", "xlarge"))
    # 10,000 msg/s: five clusters of three large nodes, or three of three xlarge ones
    assert rates[large, 10_000].clusters == 5
    assert rates[large, 10_000].usd == pytest.approx(5 * 3 * LARGE)
    assert rates[large, 10_000].usd_per_1000_msg_per_s == pytest.approx(5 * 3 * LARGE / 10)
    assert rates[xlarge, 10_000].usd == pytest.approx(3 * 3 * XLARGE)
    assert [rates[name, 10_000].cheapest for name in (large, xlarge)] == [True, False]
    # 3,000 msg/s: two large clusters cost more than one of xlarge
    assert 2 * LARGE > XLARGE
    assert [rates[name, 3000].cheapest for name in (large, xlarge)] == [False, True]


def test_each_target_has_a_board_of_its_own_and_an_earlier_runs_size_says_its_age():
    earlier = capacity("m7g.large", 4000, PAIR, run_id="run-0", date="2026-11-01")
    found, _ = sizes_of(known(capacity("m7g.large", 2000), stored=(earlier,)))
    assert [(size.target, size.run_id, size.age_days) for size in found] == [
        (TRIO, "run-1", 0),
        (PAIR, "run-0", 22),
    ]
    assert all(rate.cheapest for size in found for rate in size.rates), "each is the only size of its target"


def test_a_burstable_size_costs_what_keeps_it_up_and_no_surplus_credits_at_any_rate():
    """A node of t4g.large: 730 h at $0.0672, and the volume and monitoring of any other."""
    (size,), _ = sizes_of(known(capacity("t4g.large", 3000)))
    node = 730 * 0.0672 + 20 * 0.08 + 10 * 0.30 + 5 * 0.10  # $54.156; three are $162.47
    assert {rate.msg_per_s: rate.usd for rate in size.rates if rate.clusters == 1} == pytest.approx(
        {100.0: 3 * node, 1000.0: 3 * node, 3000.0: 3 * node}
    )


def test_brokers_of_amazon_mq_are_sizes_with_their_own_price():
    managed = capacity("mq.m7g.large", 5000, "amazon-mq-cluster", nodes_down=0)
    (size,), left_out = sizes_of(known(managed))
    assert left_out == []
    assert size.option == "Amazon MQ cluster of mq.m7g.large"
    assert size.rates[0].usd > 3 * 730 * 0.25, "three brokers at some $0.27 an hour, and their disks"
    unpriced = capacity("mq.m7g.4xlarge", 9000, "amazon-mq-cluster", nodes_down=0)
    found, (why,) = sizes_of(known(unpriced))
    assert (found, "mq.m7g.4xlarge is not on the board of sizes" in why) == ([], True)


def test_a_size_that_the_book_does_not_price_is_left_out_and_said():
    questions, sizes, (why,) = boards(ask(), load_book("ap-southeast-1"), known(capacity("m8g.large", 2000)))
    assert (questions, sizes) == ([], [])
    assert why.startswith("m8g.large is not on the board of sizes: price book ap-southeast-1")


def test_with_no_capacity_there_is_no_board():
    assert boards(ask(), BOOK, NO_CAPACITIES) == ([], [], [])


def report_of(**more: Any):
    plan = sample.planned()[:2]
    return sample.report(plan, **{**money.answers(), **more})


def test_the_table_marks_the_cheapest_and_the_terminal_names_it():
    capacities = known(capacity("m7g.large", 2000), capacity("m7g.xlarge", 3500))
    questions, sizes, _ = boards(ask(), BOOK, capacities)
    asked = Asked(tuple(questions), capacities=capacities, board=tuple(sizes))
    rows = answers(asked.rows(), ("cheapest_size",))["cheapest_size"]
    report = report_of(cheapest_size=rows, cost=money.answers()["cost"] | {"board": sizes})
    table = board_table(report)
    assert table is not None
    cells = {row.labels: dict(zip(table.columns, row.cells, strict=True)) for row in table.rows}
    large = cells["RabbitMQ quorum trio", "RabbitMQ trio of m7g.large"]
    assert large["holds, msg/s"] == "2,000"
    assert large["range"] == "1,800 to 2,200"
    assert large["10,000 msg/s"] == f"${5 * 3 * LARGE / 10:,.2f} (5 clusters, cheapest)"
    assert "cheapest" not in large["3,000 msg/s"]
    assert why_empty(report) == ""
    (line,) = cheapest_lines(report)
    assert line.startswith(
        "RabbitMQ quorum trio: 100 msg/s held cheapest by 1 cluster of RabbitMQ trio of m7g.large"
    )
    assert "3,000 msg/s held cheapest by 1 cluster of RabbitMQ trio of m7g.xlarge" in line


def test_where_nothing_was_measured_on_aws_the_report_says_why_there_is_no_board():
    report = report_of()
    assert board_table(report) is None
    assert "neither this run nor an earlier one measured a capacity on EC2 or Amazon MQ" in why_empty(report)
    assert cheapest_lines(report) == []
