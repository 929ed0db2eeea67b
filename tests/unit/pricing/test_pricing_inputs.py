"""What a question takes, what it refuses, and the questions that vary it."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.errors import InputError
from breakeven.pricing.bill.broker_lines import apart_share
from breakeven.pricing.bill.cluster_capacity import capacity_of
from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.questions import question
from breakeven.pricing.bill.sqs_lines import batched, requests_per_message
from breakeven.pricing.bill.uncertainty import capacity_ends, uncertain
from breakeven.pricing.bill.variations import ask_all, corners, quarters
from breakeven.pricing.prices.book_files import load_book
from breakeven.results.schemas import TABLES

KIB = 1024


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"msg_per_s": -1}, r"msg_per_s: -1: .*at least 0"),
        ({"msg_per_s": 10_000_001}, r"msg_per_s: 10000001: .*at most 10000000"),
        ({"msg_per_s": "many"}, r"msg_per_s: 'many': .*a number"),
        ({"msg_per_s": float("nan")}, r"msg_per_s: nan: .*finite"),
        ({"message_bytes": 0}, r"message_bytes: 0: .*at least 1"),
        ({"message_bytes": KIB * KIB + 1}, r"message_bytes: 1048577: .*at most 1048576"),
        ({"send_batch": 11}, r"send_batch: 11: .*at most 10"),
        ({"send_batch": 10, "message_bytes": 200 * KIB}, r"send_batch: 10: .*at most 5 fit"),
        ({"queue": "lifo"}, r"queue: 'lifo': .*'standard', 'fifo' or 'fair'"),
        ({"deployment": "pair", "broker_zones": 3}, r"broker_zones: 3: 3 zones for 2 nodes"),
        ({"batch_fill": 0}, r"batch_fill: 0: .*over 0"),
        ({"batch_fill": 1.5}, r"batch_fill: 1.5: .*at most 1"),
        ({"utilisation": 0}, r"utilisation: 0: .*at least 0.01"),
        ({"colour": "red"}, r"colour: 'red': no such field"),
    ],
)
def test_bad_inputs_are_named_with_their_value(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ask(**fields)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(InputError) as caught:
        ask(msg_per_s=-1, hours="x")
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("message_bytes", "requests"),
    [(1, 3), (64 * KIB, 3), (64 * KIB + 1, 5), (128 * KIB, 5), (200 * KIB, 9), (1024 * KIB, 33)],
)
def test_requests_of_a_message_sent_received_and_deleted_alone(message_bytes: int, requests: float) -> None:
    assert requests_per_message(ask(message_bytes=message_bytes)) == requests


def test_empty_receives_are_requests() -> None:
    assert requests_per_message(ask(empty_receives=0.5)) == 3.5


@pytest.mark.parametrize(("message_bytes", "fits"), [(KIB, 10), (200 * KIB, 5), (1024 * KIB, 1)])
def test_full_batches_hold_what_a_call_carries(message_bytes: int, fits: int) -> None:
    full = batched(ask(message_bytes=message_bytes, empty_receives=3))
    assert (full.send_batch, full.receive_batch, full.delete_batch) == (fits, fits, 10)
    assert full.empty_receives == 0


@pytest.mark.parametrize(
    ("nodes", "zones", "share"), [(1, 1, 0), (2, 1, 0), (2, 2, 1), (3, 3, 1), (3, 2, 2 / 3)]
)
def test_share_of_pairs_of_nodes_with_a_zone_between_them(nodes: int, zones: int, share: float) -> None:
    assert apart_share(nodes, zones) == pytest.approx(share)


def test_the_network_caps_a_capacity_that_is_higher() -> None:
    # 937 Mbit/s; the leader sends 64 KiB to both other copies, and to a third of the consumers
    cap = 937e6 / 8 / (2 * (64 * KIB + 250) + (64 * KIB + 90) / 3)
    found = capacity_of(ask(message_bytes=64 * KIB, capacity_msg_per_s=5000))
    assert found.sustained == pytest.approx(cap)
    assert found.limit == "network"
    assert found.mean_msg_per_s == pytest.approx(cap * 0.7 / 3)
    small = capacity_of(ask(message_bytes=64, capacity_msg_per_s=5000))
    assert (small.sustained, small.limit) == (5000, "capacity")


def test_a_capacity_that_is_not_known_is_said_and_what_is_needed_with_it() -> None:
    found = capacity_of(ask(instance="m1.small"))
    assert (found.sustained, found.mean_msg_per_s, found.limit) == (None, None, "not known")
    assert found.describe() == "not known"
    assert found.needed(700) == pytest.approx(3000)
    assert any("network baseline" in note and "earlier generation" in note for note in found.notes)


def test_uncertain_inputs_make_corners() -> None:
    book = load_book("us-east-1")
    single: dict[str, Any] = {"amazon_mq": None}
    # empty receives move SQS as used alone, and how full its own calls are SQS batched: no corner moves both
    assert len(corners(question("q", ask(**single), book))) == 3
    assert len(corners(question("q", ask(send_batch=10, capacity_msg_per_s=1000, **single), book))) == 12
    assert len(corners(question("q", ask(empty_receives=0, **single), book))) == 2
    assert corners(question("q", ask(empty_receives=0, batch_fill=0.8, **single), book)) == []


def test_an_option_stands_in_the_corners_that_move_it_and_in_one_more() -> None:
    found = [
        {option.option_id for option in corner.options}
        for corner in corners(question("q", ask(amazon_mq=None), load_book("us-east-1")))
    ]
    both, cluster = {"sqs-as-used", "sqs-batched"}, {"rabbitmq"}
    assert found == [both | cluster, {"sqs-batched"} | cluster, {"sqs-as-used"} | cluster]


def test_batches_that_were_asked_for_are_filled_no_better_where_sqs_batched_keeps_them() -> None:
    """A batch of ten that is asked for is as uncertain as one that SQS batched has of its own."""
    batches = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10}

    def requests(**asked: Any) -> list[float]:
        found = corners(question("q", ask(amazon_mq=None, **asked), load_book("us-east-1")))
        options = [option for corner in found for option in corner.options]
        lines = [line for one in options if one.option_id == "sqs-batched" for line in one.lines]
        each = [line.per_message for line in lines if line.line == "requests"]
        return [min(each), max(each)]

    assert requests(**batches) == requests() == pytest.approx([0.3, 0.6])
    # of single calls nothing is uncertain but how full those of SQS batched are
    assert "batch fill" not in uncertain(ask())


def test_a_fill_that_was_measured_moves_the_crossing_as_far_as_its_repeats_did() -> None:
    known = uncertain(ask(batch_fill=0.7, batch_fill_low=0.6, batch_fill_high=0.75))
    assert known["batch fill of SQS batched"] == [{"batch_fill": 0.6}, {"batch_fill": 0.75}]
    assert "batch fill of SQS batched" not in uncertain(ask(batch_fill=0.7))


@pytest.mark.parametrize(
    ("message_bytes", "fill", "asked", "batches", "requests"),
    [
        (KIB, 0.5, 1, (5, 5, 5), 3 / 5),
        (KIB, 0.74, 1, (7.4, 7.4, 7.4), 3 / 7.4),
        (KIB, 0.05, 1, (1, 1, 1), 3),  # no call has less than a message
        (7 * KIB, 0.5, 1, (4.5, 4.5, 5), 2 / 4.5 + 1 / 5),  # half of the nine that cost least
        (KIB, 0.5, 8, (8, 8, 8), 3 / 8),  # what was asked for stays where it costs less
        (1024 * KIB, 0.5, 1, (1, 1, 5), 32 + 1 / 5),
    ],
)
def test_batches_that_are_not_full_are_more_requests(
    message_bytes: int, fill: float, asked: float, batches: tuple[float, ...], requests: float
) -> None:
    calls = dict.fromkeys(("send_batch", "receive_batch", "delete_batch"), asked)
    found = batched(ask(message_bytes=message_bytes, batch_fill=fill, **calls))
    assert (found.send_batch, found.receive_batch, found.delete_batch) == pytest.approx(batches)
    assert requests_per_message(found) == pytest.approx(requests)


@pytest.mark.parametrize(("fill", "factors"), [(None, {0.75: 0.75}), (0.9, {0.75: 0.675, 1.25: 1.0})])
def test_sensitivity_varies_how_full_batches_are_within_its_bounds(
    fill: float | None, factors: dict[float, float]
) -> None:
    varied = quarters(question("q", ask(batch_fill=fill), load_book("us-east-1")))
    found = {one.factor: one.inputs.batch_fill for one in varied if one.varied == "batch fill of SQS batched"}
    assert found == pytest.approx(factors)


@pytest.mark.parametrize(
    ("fields", "many"),
    [
        ({}, 2),
        ({"amazon_mq_inter_node": 0.5}, 0),
        ({"deployment": "single"}, 0),
        ({"amazon_mq_capacity_msg_per_s": 4000}, 4),
    ],
)
def test_what_is_not_known_of_amazon_mq_makes_corners(fields: dict[str, Any], many: int) -> None:
    asked = question("q", ask(empty_receives=0, batch_fill=1, **fields), load_book("us-east-1"))
    assert len(corners(asked)) == many


def test_sensitivity_varies_what_the_bill_has_by_a_quarter() -> None:
    base = question("q", ask(hours=10, capacity_msg_per_s=1000), load_book("us-east-1"))
    found = {(each.varied, each.factor): each.inputs for each in quarters(base)}
    assert found["capacity", 1.25].capacity_msg_per_s == 1250
    assert found["people's hours", 0.75].hours == 7.5
    assert found["message size", 0.75].message_bytes == 768
    assert ("empty receives", 1.25) not in found, "a quarter of nothing is nothing"
    assert all(each.base_id == "q" and each.purpose == "sensitivity" for each in quarters(base))


@pytest.mark.parametrize(
    ("asked", "names", "zones"),
    [
        ({}, "1 zone for 3", 1),
        ({"deployment": "pair"}, "1 zone for 2", 1),
        ({"broker_zones": 1}, "3 zones for 1", 3),
        ({"deployment": "single"}, None, 1),
    ],
)
def test_zones_are_among_what_is_varied(asked: dict[str, Any], names: str | None, zones: int) -> None:
    base = question("q", ask(**asked), load_book("us-east-1"))
    found = [each for each in quarters(base) if "zone" in str(each.varied)]
    assert [each.varied for each in found] == ([names] if names else [])
    assert all(each.inputs.zones == zones for each in found)
    assert all((each.inputs.client_zone_share == 0.0) == (zones == 1) for each in found)


@pytest.mark.parametrize(
    "asked", [{}, {"client_zone_share": 0.5}, {"broker_zones": 1}, {"deployment": "pair"}]
)
def test_in_other_zones_amazon_mq_is_billed_as_it_was(asked: dict[str, Any]) -> None:
    base = question("q", ask(**asked), load_book("us-east-1"))
    (zones,) = [each for each in quarters(base) if "zone" in str(each.varied)]
    bills = [{option.option_id: option.lines for option in each.options} for each in (base, zones)]
    assert bills[0].keys() == bills[1].keys()
    assert [name for name in bills[0] if bills[0][name] != bills[1][name]] == ["rabbitmq"]


@pytest.mark.parametrize(
    ("message_bytes", "batch", "requests"),
    [(1024, 10, 0.1), (7 * 1024, 9, 1 / 9), (40 * 1024, 8, 5 / 8), (65 * 1024, 10, 1.1), (2**20, 1, 16)],
)
def test_a_batch_is_the_one_that_costs_least(message_bytes: int, batch: float, requests: float) -> None:
    best = batched(ask(message_bytes=message_bytes))
    assert best.send_batch == best.receive_batch == batch
    assert requests_per_message(best) == pytest.approx(2 * requests + 0.1)


def test_a_batch_that_was_asked_for_and_costs_less_stays() -> None:
    # calls of 6.5 messages of 10,000 bytes fill 64 KiB better than any whole number does
    asked = ask(message_bytes=10_000, send_batch=6.5, receive_batch=6.5)
    assert requests_per_message(batched(asked)) <= requests_per_message(asked.but(delete_batch=10))


def test_rows_have_the_columns_of_their_tables() -> None:
    asked = ask_all("q", ask(msg_per_s=10, hours=1, deployment="pair"), load_book("eu-west-1"))
    schemas = {table.name: list(table.columns) for table in TABLES}
    rows = asked.rows()
    assert set(rows) == {"cost_options", "cost_items", "prices"}
    for table, content in rows.items():
        assert content
        assert all(list(row) == schemas[table] for row in content)
    keys = [(row["question_id"], row["option_id"], row["line"]) for row in rows["cost_items"]]
    assert len(keys) == len(set(keys))
    mapped = [row["option_id"] for row in rows["cost_options"] if row["purpose"] == "map"]
    assert mapped == ["sqs-as-used", "sqs-batched", "m7g.large", "r3.xlarge", "r3.2xlarge", "r3.4xlarge"]


def test_amazon_mq_without_a_price_is_left_out_and_said() -> None:
    asked = ask_all("q", ask(amazon_mq="mq.m7g.xlarge"), load_book("us-east-1"))
    assert "amazon-mq" not in {option.option_id for option in asked.questions[0].options}
    assert any("mq.m7g.xlarge" in note for note in asked.notes)


def test_a_price_that_is_not_known_refuses_the_question_that_needs_it() -> None:
    book = load_book("eu-west-1")
    with pytest.raises(InputError, match=r"ec2/m8i\.large: .*choose one that is"):
        question("q", ask(instance="m8i.large"), book)
    with pytest.raises(InputError, match=r"sqs/fair_surcharge"):
        question("q", ask(queue="fair"), book)
    assert question("q", ask(), book).options


def test_a_receive_may_bring_more_than_a_call_may_send() -> None:
    """As in a suite: the service bounds a receive by ten messages, and what a call sends by 1 MiB, too."""
    asked = ask(message_bytes=200 * 1024, receive_batch=10, delete_batch=10, send_batch=5)
    assert asked.receive_batch == 10
    # 2,000 KiB are 32 requests, for ten messages; 1,000 KiB to send are 16, for five
    assert requests_per_message(asked) == pytest.approx(16 / 5 + 32 / 10 + 1 / 10)
    with pytest.raises(InputError, match=r"send_batch: .*over the 1 MiB that a call sends; at most 5 fit"):
        ask(message_bytes=200 * 1024, send_batch=6)


def test_the_throughput_of_a_gp3_volume_is_bounded_by_its_iops() -> None:
    """A quarter of a MiB/s for each of its IOPS (Amazon EBS User Guide)."""
    assert ask(volume_mibps=750).volume_mibps == 750
    with pytest.raises(InputError) as caught:
        ask(volume_mibps=751)
    assert caught.value.field == "volume_mibps"
    assert "3000 IOPS has at most 750 MiB/s; give as many, or more volume_iops" in caught.value.remedy
    assert ask(volume_mibps=2000, volume_iops=8000).volume_mibps == 2000


def test_a_capacity_without_an_upper_end_may_be_whatever_the_network_carries() -> None:
    """Less is known than of one with both ends: corners reach to those of a capacity that nobody stated."""
    bound = {"capacity_msg_per_s": 6000.0, "capacity_low_msg_per_s": 5800.0}
    assert capacity_ends(ask(**bound)) == (5800.0, None)
    assert capacity_ends(ask(**bound, capacity_high_msg_per_s=6100.0)) == (5800.0, 6100.0)
    base = question("q", ask(**bound, amazon_mq=None), load_book("us-east-1"))
    stated = {corner.inputs.capacity_msg_per_s for corner in corners(base)}
    assert stated == {5800.0, None}
    unknown = question("u", ask(amazon_mq=None), load_book("us-east-1"))
    (most,) = {
        option.messages_per_cluster
        for corner in corners(base)
        if corner.inputs.capacity_msg_per_s is None
        for option in corner.options
        if option.option_id == "rabbitmq"
    }
    assert most == next(
        option.messages_per_cluster for option in unknown.options if option.option_id == "rabbitmq"
    )
