"""Bills worked by hand, line by line, at the prices of us-east-1 of 2026-11-20: of a pair unless said.

At 100 messages a second a month of 730 hours has 262,800,000 messages; a GB of traffic is 2^30 bytes.
"""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.bill.article import article_question
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import question
from breakeven.pricing.prices.book_files import load_book
from local.stored.answers import answers
from tests.support.money.traffic_by_hand import moved, usd

MESSAGES = 262_800_000
SQS_ALARMS = {"alarms": 0.20}
PAIR = {"instances": 119.136, "volumes": 3.20, "metrics": 6.00, "alarms": 1.00}
TRIO = {"instances": 178.704, "volumes": 4.80, "metrics": 9.00, "alarms": 1.50}
KIB = 1024
#: bytes of a message that cross zones
OF_PAIR = moved(KIB, mirrored=2.5, clients=1, hops=1)


def bill(option: str, **inputs: Any) -> dict[str, float]:
    """Dollars by line at 100 messages a second unless said, from ``queries/money/bills.sql``."""
    return {row["line"]: row["usd"] for row in lines(option, **inputs)}


def lines(option: str, **inputs: Any) -> list[dict[str, Any]]:
    asked = question("by-hand", of_pair(**{"msg_per_s": 100} | inputs), load_book("us-east-1"))
    rows = answers(Asked((asked,)).rows(), ["bills"])["bills"]
    return [row for row in rows if row["option_id"] == option]


def of_pair(**inputs: Any) -> Inputs:
    return ask(**{"deployment": "pair"} | inputs)


def crossings(**inputs: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return crossings_of(of_pair(**inputs))


def crossings_of(inputs: Inputs) -> dict[tuple[str, str], dict[str, Any]]:
    """The last of each two options, which of a pair's is the only one."""
    return {(row["sqs_option"], row["other_option"]): row for row in crossing_rows(inputs)}


def crossing_rows(inputs: Inputs) -> list[dict[str, Any]]:
    asked = question("by-hand", inputs, load_book("us-east-1"))
    return answers(Asked((asked,)).rows(), ["crossover"])["crossover"]


def test_a_pair_beside_sqs_at_1_kib_unbatched() -> None:
    # 3 requests a message: 788.4 million, less a million free, at $0.40 a million
    assert bill("sqs-as-used") == pytest.approx({"requests": 314.96} | SQS_ALARMS)
    # a tenth of the calls: 78.84 million, less a million free
    assert bill("sqs-batched") == pytest.approx({"requests": 31.136} | SQS_ALARMS)
    # round the ring, 2, and to the mirror from a channel at the master, half of the time; half of publishes
    # and deliveries to another zone, and half on to the master: 4.5
    traffic = usd(MESSAGES, OF_PAIR)
    assert traffic == pytest.approx(29.2135, rel=1e-5)
    assert bill("rabbitmq") == pytest.approx(PAIR | {"traffic across zones": traffic})


def test_batches_of_ten_times_16_kib_are_seven_tenths_of_a_request_a_message() -> None:
    # 160 KiB a call is three chunks of 64 KiB: 3/10 to send, 3/10 to receive, and 1/10 to delete
    (requests,) = [
        row
        for row in lines(
            "sqs-as-used", message_bytes=16 * KIB, send_batch=10, receive_batch=10, delete_batch=10
        )
        if row["line"] == "requests"
    ]
    assert requests["units"] == pytest.approx(0.7 * MESSAGES)
    assert requests["usd"] == pytest.approx((183.96e6 - 1e6) * 4e-7)
    assert "send ceil(10 x 16384 B / 64 KiB) / 10 = 0.3" in requests["formula"]
    assert "delete 1 / 10 = 0.1" in requests["formula"]


def test_200_kib_is_four_requests_to_send_four_to_receive_and_one_to_delete() -> None:
    (requests,) = [row for row in lines("sqs-as-used", message_bytes=200 * KIB) if row["line"] == "requests"]
    assert requests["units"] == pytest.approx(9 * MESSAGES)
    assert requests["usd"] == pytest.approx(945.68)
    assert "= 4; receive" in requests["formula"]


def test_fifo_has_a_price_of_its_own() -> None:
    assert bill("sqs-as-used", queue="fifo")["requests"] == pytest.approx(787.4e6 * 5e-7)


def test_a_fair_queue_pays_a_surcharge_on_every_request_from_the_first() -> None:
    found = bill("sqs-as-used", queue="fair")
    assert found == pytest.approx({"requests": 314.96, "fair queue surcharge": 78.84} | SQS_ALARMS)


def test_a_one_year_commitment() -> None:
    assert bill("rabbitmq", commitment="1y-standard")["instances"] == pytest.approx(2 * 730 * 0.054)
    assert bill("rabbitmq", commitment="1y-standard")["volumes"] == pytest.approx(3.20)


def test_no_crossover_at_64_kib_in_two_zones_with_clients_spread() -> None:
    found = crossings(message_bytes=64 * KIB, amazon_mq=None)
    assert {key: (row["kind"], row["cheaper_above"]) for key, row in found.items()} == {
        ("sqs-as-used", "rabbitmq"): ("never", "sqs-as-used"),
        ("sqs-batched", "rabbitmq"): ("never", "sqs-batched"),
    }
    # traffic alone costs more a message than SQS's three requests
    assert usd(1, 4.5 * 64 * KIB) > 3 * 4e-7
    # the same pair in one zone does cross
    assert crossings(message_bytes=64 * KIB, broker_zones=1)["sqs-as-used", "rabbitmq"]["kind"] == "meet"


def test_the_crossover_of_the_pair_at_1_kib() -> None:
    # fixed 129.336 - 0.20 (alarms) + 0.40 (free requests), over $1.2e-6 less the pair's traffic a message
    slope = 3 * 4e-7 - usd(1, OF_PAIR)
    found = crossings()["sqs-as-used", "rabbitmq"]
    assert found["messages_per_month"] == pytest.approx((129.336 - 0.20 + 0.40) / slope)
    assert (found["cheaper_below"], found["cheaper_above"]) == ("sqs-as-used", "rabbitmq")


def test_what_names_no_form_is_of_the_quorum_trio() -> None:
    # two copies to other zones, two thirds of publishes and of deliveries to another zone, and as many of the
    # publishes on to the leader: 4 crossings of a zone a message
    traffic = usd(1, moved(KIB, copies=2, clients=4 / 3, hops=2 / 3))
    asked = question("by-hand", ask(msg_per_s=100), load_book("us-east-1"))
    rows = answers(Asked((asked,)).rows(), ["bills"])["bills"]
    assert {row["line"]: row["usd"] for row in rows if row["option_id"] == "rabbitmq"} == pytest.approx(
        TRIO | {"traffic across zones": traffic * MESSAGES}
    )
    # as of the pair: what is fixed, over what SQS costs a message less the traffic
    fixed = 194.004 - 0.20 + 0.40
    as_used, batched, more = (row for row in crossing_rows(ask()) if row["other_option"] == "rabbitmq")
    assert as_used["messages_per_month"] == pytest.approx(fixed / (3 * 4e-7 - traffic))
    assert f"{as_used['msg_per_s']:.1f}" == "66.7"
    assert batched["messages_per_month"] == pytest.approx(fixed / (0.3 * 4e-7 - traffic))
    assert f"{batched['msg_per_s']:,.0f}" == "2,681"
    assert (more["sqs_option"], more["cheaper_above"]) == ("sqs-batched", "sqs-batched")


def test_the_article_of_2012() -> None:
    (row,) = answers(Asked((article_question(),)).rows(), ["crossover"])["crossover"]
    assert row["messages_per_hour"] == pytest.approx(0.16 / 3e-6)
    assert f"{row['messages_per_hour']:,.0f}" == "53,333"
    assert f"{row['msg_per_s']:.1f}" == "14.8"
    assert row["usd_per_month"] == pytest.approx(2 * 730 * 0.08)


def test_other_use_of_the_account_takes_the_free_requests_and_the_first_tier() -> None:
    # 99,999.5 million elsewhere: a million free, 99,998.5 million of the first tier; 1.5 million are left
    found = bill("sqs-as-used", existing_requests=99_999.5e6)["requests"]
    assert found == pytest.approx(1.5e6 * 4e-7 + (788.4e6 - 1.5e6) * 3e-7)


def test_a_discount_is_off_the_price() -> None:
    assert bill("sqs-as-used", sqs_price_factor=0.9)["requests"] == pytest.approx(314.96 * 0.9)
    assert bill("rabbitmq", instance_price_factor=0.75)["instances"] == pytest.approx(119.136 * 0.75)
    usual, cheaper = (bill("amazon-mq", amazon_mq_price_factor=factor) for factor in (1, 0.75))
    assert {line for line, usd in cheaper.items() if usd == pytest.approx(0.75 * usual[line])} == {
        "brokers", "storage"
    }  # fmt: skip


#: what three calls of a message move in and out beside its body: 1,050 bytes each, and 1,050 more
THREE_CALLS = 2 * KIB + 4 * 1050


@pytest.mark.parametrize(
    ("path", "hourly", "gb"),
    [
        ("endpoint", {"interface endpoint hours": 0.01}, ("interface endpoint data", 0.01)),
        ("nat", {"NAT gateway hours": 0.045, "NAT gateway addresses": 0.005}, ("NAT gateway data", 0.045)),
    ],
)
def test_the_clients_way_to_sqs(path: str, hourly: dict[str, float], gb: tuple[str, float]) -> None:
    found = bill("sqs-as-used", sqs_path=path)
    data, price = gb
    assert {line: found[line] for line in found if line not in ("requests", "alarms")} == pytest.approx(
        {line: 2 * 730 * each for line, each in hourly.items()}
        | {data: THREE_CALLS * MESSAGES / 2**30 * price}
    )


def test_empty_receives_and_batches_move_as_many_bytes_as_they_have_calls() -> None:
    full = {"send_batch": 10, "receive_batch": 10, "delete_batch": 10, "sqs_path": "nat"}
    found = bill("sqs-as-used", **full, empty_receives=2.0)["NAT gateway data"]
    each = 2 * KIB + 1050 + (3 / 10 + 2) * 1050
    assert found == pytest.approx(each * MESSAGES / 2**30 * 0.045)


def test_amazon_mq_is_the_services_cluster_of_three() -> None:
    # publish and deliver, two thirds of the clients in another zone than their node
    traffic = usd(MESSAGES, moved(KIB, clients=4 / 3))
    assert bill("amazon-mq") == pytest.approx(
        {"brokers": 730 * 0.8202, "storage": 3 * 15 * 0.10, "traffic across zones": traffic}
    )
    # one broker has 200 GB; its clients are where it is
    assert bill("amazon-mq", deployment="single") == pytest.approx(
        {"brokers": 730 * 0.2734, "storage": 200 * 0.10}
    )


def test_a_clusters_disks_are_as_chosen_and_those_of_the_former_generation_are_200_gb() -> None:
    assert bill("amazon-mq", amazon_mq_gb=75)["storage"] == pytest.approx(3 * 75 * 0.10)
    assert bill("amazon-mq", amazon_mq="mq.m5.large")["storage"] == pytest.approx(3 * 200 * 0.10)


def test_traffic_between_amazon_mqs_brokers_is_priced_at_what_it_is_said_to_be_charged() -> None:
    # two copies; two thirds of publishes hop to the leader, and each broker's own member delivers
    across = usd(MESSAGES, moved(KIB, copies=2, hops=2 / 3))
    assert "traffic between brokers" not in bill("amazon-mq")
    found = bill("amazon-mq", amazon_mq_inter_node=0.5)
    assert found["traffic between brokers"] == pytest.approx(across / 2)
    assert "traffic between brokers" not in bill("amazon-mq", amazon_mq_inter_node=1.0, deployment="single")


def test_a_book_that_knows_what_is_charged_between_brokers_prices_it() -> None:
    book = load_book("us-east-1")
    known = {"usd": 0.02, "reason": None, "tiers": [{"from": 0, "to": None, "usd": 0.02}]}
    prices = [
        price.model_validate(price.model_dump(by_alias=True) | known)
        if price.item == "inter_node_gb"
        else price
        for price in book.prices
    ]
    asked = question("q", ask(msg_per_s=100), book.model_copy(update={"prices": tuple(prices)}))
    rows = answers(Asked((asked,)).rows(), ["bills"])["bills"]
    (line,) = [row for row in rows if row["line"] == "traffic between brokers"]
    assert line["usd"] == pytest.approx(moved(KIB, copies=2, hops=2 / 3) * MESSAGES / 2**30 * 0.02)


def test_amazon_mq_grows_by_clusters_as_its_capacity_and_its_network_let_it() -> None:
    def clusters(**inputs: Any) -> float:
        return max(row["clusters"] for row in lines("amazon-mq", **inputs))

    # 0.937 Gbit/s / 8 / (2 copies and a third of deliveries: 2,919 B) = 40,120 msg/s; x 0.7 / 3 = 9,361
    assert [clusters(msg_per_s=rate) for rate in (9_361, 9_362)] == [1, 2]
    # 3,000 x 0.7 / 3 = 700
    stated = {"amazon_mq_capacity_msg_per_s": 3000}
    assert [clusters(msg_per_s=rate, **stated) for rate in (700, 701, 1401)] == [1, 2, 3]
    assert clusters(msg_per_s=20_000, amazon_mq_capacity_msg_per_s=1e6) == 3, "capped by the network"


def test_a_quorum_trio_sends_two_copies_and_two_thirds_of_what_is_published_hop() -> None:
    found = bill("rabbitmq", deployment="trio", message_bytes=4096)
    assert found["traffic across zones"] == pytest.approx(
        usd(MESSAGES, moved(4096, copies=2, clients=4 / 3, hops=2 / 3))
    )
    assert found["instances"] == pytest.approx(3 * 730 * 0.0816)


def test_clusters_are_added_by_usable_capacity() -> None:
    # 4,000 with one node down, 70% of it at a peak of three times the mean: 933.3 a second each
    found = lines("rabbitmq", msg_per_s=2000, message_bytes=64, capacity_msg_per_s=4000)
    assert {row["clusters"] for row in found} == {3}
    exactly = lines("rabbitmq", msg_per_s=4000 * 0.7 / 3, message_bytes=64, capacity_msg_per_s=4000)
    assert {row["clusters"] for row in exactly} == {1}
    assert {row["line"]: row["usd"] for row in found}["instances"] == pytest.approx(3 * 119.136)


def test_volume_extras_are_billed_above_what_gp3_includes() -> None:
    found = bill("rabbitmq", volume_iops=5000, volume_mibps=250)
    assert found["volume IOPS"] == pytest.approx(2 * 2000 * 0.005)
    assert found["volume throughput"] == pytest.approx(2 * 125 * 0.04)


def test_tiers_of_io2_are_each_volumes_own() -> None:
    # two volumes of 40,000: each 32,000 in the first tier and 8,000 in the second, not 80,000 through them
    found = bill("rabbitmq", volume="io2", volume_gb=40, volume_iops=40_000)
    assert found["volume IOPS"] == pytest.approx(2 * (32_000 * 0.065 + 8_000 * 0.0455))


def test_people_stand_on_the_bill_only_when_their_hours_are_given() -> None:
    assert bill("rabbitmq", hours=10, hour_rate=80)["people"] == pytest.approx(800)
    assert "people" not in bill("rabbitmq")


def test_break_even_hours_leave_peoples_own_line_out() -> None:
    def hours(other: str = "rabbitmq", **inputs: Any) -> float:
        asked = question("by-hand", of_pair(msg_per_s=100, **inputs), load_book("us-east-1"))
        rows = answers(Asked((asked,)).rows(), ["break_even_hours"])["break_even_hours"]
        rows = [row for row in rows if row["other_option"] == other]
        (found,) = [row for row in rows if row["asked"] and row["sqs_option"] == "sqs-as-used"]
        return float(found["hours"])

    saved = 314.96 + 0.20 - (129.336 + usd(MESSAGES, OF_PAIR))
    assert hours(hour_rate=50) == pytest.approx(saved / 50)
    assert hours(hour_rate=50, hours=7) == pytest.approx(saved / 50)
    of_amazon_mq = hours("amazon-mq", hour_rate=50, deployment="single")
    assert hours("amazon-mq", hour_rate=50, deployment="single", amazon_mq_hours=2) == of_amazon_mq > 0


def test_amazon_mqs_own_hours_are_a_line_of_its_bill_and_of_no_other() -> None:
    without = bill("amazon-mq", amazon_mq_hours=None, hours=7)
    assert "people" not in without
    found = bill("amazon-mq", amazon_mq_hours=2, hours=7, hour_rate=50)
    assert found == pytest.approx({**without, "people": 100})
    assert bill("rabbitmq", amazon_mq_hours=2, hours=7, hour_rate=50)["people"] == 350


def test_one_node_alone_has_no_traffic_between_nodes() -> None:
    found = bill("rabbitmq", deployment="single")
    assert found == pytest.approx({"instances": 59.568, "volumes": 1.60, "metrics": 3.00, "alarms": 0.50})
