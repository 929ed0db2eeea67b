"""What tables of rates priced say of rates above them, and what stands in no row of Amazon MQ."""

from __future__ import annotations

from breakeven.report.elements import Table
from breakeven.report.money.lookup_tables import AMAZON_MQ_PRICE_KEPT, map_table, sensitivity_table
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]


def table_of_map(**inputs: float | str) -> Table:
    table = map_table(sample.report(PLAN, **money.answers(deployment="trio", **inputs)))
    assert table
    return table


def test_sqs_is_the_cheapest_at_no_more_rates_than_were_priced() -> None:
    """With 80 hours the trio is cheaper than SQS batched from 102,000 a second, above all that are priced."""
    table = table_of_map()
    rows = {row.labels[0]: row.cells for row in table.rows}
    assert rows["80"][1] == "SQS at every rate priced, up to 100,000 msg/s"
    assert "No rate above 100,000 messages a second was priced here." in table.notes[0]


def test_a_rate_that_was_asked_for_above_them_is_one_of_them() -> None:
    table = table_of_map(msg_per_s=110_000.0)
    rows = {row.labels[0]: row.cells for row in table.rows}
    assert rows["80"][1].startswith("m7g.large from 10")
    assert rows["160"][1] == "SQS at every rate priced, up to 110,000 msg/s"
    assert "No rate above 110,000 messages a second was priced here." in table.notes[0]


def test_sensitivity_has_no_price_of_an_instance_against_amazon_mq_and_says_why() -> None:
    table = sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio")))
    assert table
    inputs = {
        against: set[str]() for against in ("Amazon MQ cluster of mq.m7g.large", "RabbitMQ trio of m7g.large")
    }
    for row in table.rows:
        inputs[str(row.section).rpartition(" against ")[2]].add(row.labels[0])
    managed, own = inputs.values()
    assert own - managed == {"instance price", "volume size", "metrics a node", "alarms a node"}
    assert AMAZON_MQ_PRICE_KEPT in table.notes


def test_without_amazon_mq_nothing_is_said_of_its_prices() -> None:
    table = sensitivity_table(sample.report(PLAN, **money.answers(deployment="trio", amazon_mq=None)))
    assert table
    assert AMAZON_MQ_PRICE_KEPT not in table.notes
