"""What tables of rates priced say of rates above them, and which inputs are varied of Amazon MQ."""

from __future__ import annotations

from breakeven.report.elements import Table
from breakeven.report.money.lookup_tables import PRICE_OF_AMAZON_MQ, STAY, map_table, sensitivity_table
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]
TRIO, MANAGED = "RabbitMQ trio of m7g.large", "Amazon MQ cluster of mq.m7g.large"


def table_of_map(**inputs: float | str) -> Table:
    table = map_table(sample.report(PLAN, **money.answers(deployment="trio", **inputs)))
    assert table
    return table


def test_sqs_is_the_cheapest_at_no_more_rates_than_were_priced() -> None:
    """With 80 hours the trio is cheaper than SQS batched from 118,000 a second, above all that are priced."""
    table = table_of_map()
    rows = {row.labels[0]: row.cells for row in table.rows}
    assert rows["80"][1] == "SQS at every rate of the charts, up to 100,000 msg/s"
    assert "No rate above 100,000 messages a second was priced here." in table.notes[0]


def test_a_rate_that_was_asked_for_above_them_is_one_of_them() -> None:
    table = table_of_map(msg_per_s=120_000.0)
    rows = {row.labels[0]: row.cells for row in table.rows}
    assert rows["80"][1].startswith("m7g.large from 11")
    assert rows["160"][1] == "SQS at every rate of the charts, up to 120,000 msg/s"
    assert "No rate above 120,000 messages a second was priced here." in table.notes[0]


def rows_of(table: Table | None, other: str) -> dict[str, tuple[str, ...]]:
    """Of SQS batched against another option: input -> crossings with it lower, higher and as asked."""
    assert table
    section = f"SQS batched and long-polled against {other}"
    return {row.labels[0]: row.cells for row in table.rows if row.section == section}


def test_each_side_has_rows_of_the_inputs_that_it_has() -> None:
    table = sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio", amazon_mq_hours=2.0)))
    own, managed = (set(rows_of(table, other)) for other in (TRIO, MANAGED))
    assert own - managed == {
        "instance price", "volume size", "metrics a node", "alarms a node", "1 zone for 3"
    }  # fmt: skip
    assert managed - own == {
        "Amazon MQ price", "people's hours of Amazon MQ", "1 zone for 3 (Amazon MQ's stay in 3)"
    }  # fmt: skip
    assert table
    assert PRICE_OF_AMAZON_MQ in table.notes
    assert any(note.endswith(STAY) for note in table.notes)


def test_zones_of_our_own_brokers_leave_amazon_mq_where_it_was() -> None:
    """By hand, 1 KiB in us-east-1: SQS batched takes 0.3 requests at $0.40 a million, less a million that
    are free ($0.40), and two alarms ($0.20). Amazon MQ takes 730 hours at $0.8202 and 3 x 15 GB at $0.10,
    which is $603.246, and two thirds of publishes and of deliveries cross zones: 2 x (1,024 + 90) B x 4/3 at
    $0.01 a GB is $0.027666 a million. They meet at 603.446 / (0.12 - 0.027666) = 6,535 million a month, 2,487
    a second; without that traffic it would be 1,913.
    """
    table = sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio")))
    rows = rows_of(table, MANAGED)
    assert rows["1 zone for 3 (Amazon MQ's stay in 3)"] == ("2,490", "–", "2,490")
    lower, _, asked = rows_of(table, TRIO)["1 zone for 3"]
    assert lower != asked


def test_the_price_of_amazon_mq_is_varied_by_a_quarter() -> None:
    """As above, with brokers and disks at $452.43 and at $754.06: 1,865 and 3,108 a second."""
    rows = rows_of(sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio"))), MANAGED)
    assert rows["Amazon MQ price"] == ("1,870", "3,110", "2,490")


def test_without_amazon_mq_nothing_is_said_of_it() -> None:
    table = sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio", amazon_mq=None)))
    assert table
    assert not any("Amazon MQ" in said for said in [*table.notes, *(row.labels[0] for row in table.rows)])
