"""The refresh of a price book: the right entries among traps, and what is said when there are none."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.refresh import Refreshed, refresh
from breakeven.pricing.prices.refresh_notes import not_refreshed
from tests.support.money.price_list import ALL, Entry, PriceList, elsewhere, entries

TODAY = date(2026, 11, 20)
FRANKFURT = {"eu-west-1": "eu-central-1", '"EU-': '"EUC1-', "EU (Ireland)": "EU (Frankfurt)"}
#: item -> the fixtures' SKU and tiers
US_EAST_1 = {
    "sqs/standard_request": ("SQSSTDUSE1FAKE00", [(0, 1e11, 4e-7), (1e11, 2e11, 3e-7), (2e11, None, 2.4e-7)]),
    "sqs/fifo_request": ("SQSFIFOUSE1FAKE0", [(0, 1e11, 5e-7), (1e11, 2e11, 4e-7), (2e11, None, 3.5e-7)]),
    "sqs/fair_surcharge": ("SQSFAIRUSE1FAKE0", [(0, None, 1e-7)]),
    "ec2/t3.micro": ("CRAJUW7BTXFMT2UJ", [(0, None, 0.0104)]),
    "ebs/gp3_gb_month": ("JG3KUJMBRGHV3N8G", [(0, None, 0.08)]),
    "ebs/gp3_iops_month": ("EBSUSEAST1001", [(0, None, 0.005)]),
    "ebs/gp3_mibps_month": ("EBSUSEAST1002", [(0, None, 0.04)]),
    "network/cross_zone_gb": ("DTRUSEAST1001", [(0, None, 0.01)]),
    "network/nat_hour": ("NATUSEAST1005", [(0, None, 0.045)]),
    "network/nat_gb": ("NATUSEAST1006", [(0, None, 0.045)]),
    "network/endpoint_hour": ("VPCUSEAST1002", [(0, None, 0.01)]),
    "network/endpoint_gb": (
        "VPCUSEAST1003",
        [(0, 1048576, 0.01), (1048576, 5242880, 0.006), (5242880, None, 0.004)],
    ),
    "network/public_ipv4_hour": ("VPCUSEAST1006", [(0, None, 0.005)]),
    "network/internet_out_gb": (
        "DTRUSEAST1003",
        [(0, 10240, 0.09), (10240, 51200, 0.085), (51200, 153600, 0.07), (153600, None, 0.05)],
    ),
    "amazonmq/single.mq.m5.large": ("AMQUSEAST1001", [(0, None, 0.288)]),
    "amazonmq/cluster.mq.m5.large": ("AMQUSEAST1003", [(0, None, 0.864)]),
    "amazonmq/single.mq.m5.xlarge": ("AMQUSEAST1005", [(0, None, 0.576)]),
    "amazonmq/cluster.mq.m5.xlarge": ("AMQUSEAST1007", [(0, None, 1.728)]),
    "amazonmq/storage_gb_month": ("AMQUSEAST1009", [(0, None, 0.1)]),
}


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")


def refreshed(listed: PriceList, region: str = "us-east-1", **options: Any) -> Refreshed:
    types = options.pop("instance_types", ["t3.micro"])
    return refresh(load_book(region), listed.client(), TODAY, instance_types=types, **options)


def from_the_list(book: PriceBook) -> dict[str, tuple[str, list[tuple[float, float | None, float]]]]:
    """What was refreshed, as SKU and tiers."""
    return {
        f"{p.service}/{p.item}": (p.source.rpartition(" ")[2], [(t.from_, t.to, t.usd) for t in p.tiers])
        for p in book.prices
        if p.source.startswith("AWS Price List Query API")
    }


def changed(found: list[Entry], sku: str, usd: str) -> list[Entry]:
    """The entries with another price of one product."""
    for price in dimensions(found, sku):
        price["pricePerUnit"] = {"USD": usd}
    return found


def dimensions(found: list[Entry], sku: str) -> list[dict[str, Any]]:
    (entry,) = [entry for entry in found if entry["product"]["sku"] == sku]
    (term,) = entry["terms"]["OnDemand"].values()
    return list(term["priceDimensions"].values())


@pytest.mark.parametrize("filtering", [True, False])
@pytest.mark.parametrize("page", [1, 100])
def test_the_right_entries_are_found_among_traps(filtering: bool, page: int) -> None:
    book = refreshed(PriceList(entries(*ALL), filtering=filtering, page=page)).book
    assert from_the_list(book) == US_EAST_1


@pytest.mark.parametrize(
    ("region", "names"), [("eu-west-1", {}), ("eu-central-1", FRANKFURT)], ids=["Ireland", "Frankfurt"]
)
def test_usage_types_of_another_region(region: str, names: dict[str, str]) -> None:
    made = refreshed(PriceList(elsewhere(entries(*ALL), names), filtering=False), region)
    found = from_the_list(made.book)
    assert set(found) == set(US_EAST_1) - {"sqs/fair_surcharge"}
    assert found["ec2/t3.micro"] == ("DXH6X4VVFUT4EUU5", [(0, None, 0.0114)])
    assert found["sqs/fifo_request"][0] == "SQSFIFOEUW1FAKE0"
    assert found["ebs/gp3_mibps_month"][1] == [(0, None, 0.044)]
    assert found["network/endpoint_hour"] == ("H37WJ97MHYGDXG2A", [(0, None, 0.011)])
    assert found["amazonmq/cluster.mq.m5.xlarge"][1] == [(0, None, 1.926)]
    # what was not known before is known now, and what the list does not have still says why
    assert made.book.known("network", "nat_hour").usd == 0.048
    assert made.book.price("sqs", "fair_surcharge") == load_book(region).price("sqs", "fair_surcharge")
    assert any("sqs/fair_surcharge (not known)" in n and "no entry for it" in n for n in made.notes)


def test_a_refreshed_price_says_where_it_is_from() -> None:
    book = refreshed(PriceList(entries(*ALL)), "eu-west-1").book
    price = book.price("ec2", "t3.micro")
    assert price.source == "AWS Price List Query API, AmazonEC2, SKU DXH6X4VVFUT4EUU5"
    assert (price.as_of, price.mark, price.unit, price.region) == ("2026-10-30", "V", "hour", "eu-west-1")
    # its note told where else the old figure had been seen; what a price means stays said
    assert load_book("eu-west-1").price("ec2", "t3.micro").note
    assert price.note is None
    assert "whole cluster" in (book.price("amazonmq", "cluster.mq.m5.large").note or "")
    assert book.label == "eu-west-1@2026-11-20"


def test_a_price_that_third_parties_had_is_aws_own_once_the_list_has_it() -> None:
    old = load_book("us-east-1")
    prices = tuple(
        price.model_copy(update={"publisher": "third-party"}) if price.item == "t3.micro" else price
        for price in old.prices
    )
    listed = PriceList(entries(*ALL)).client()
    book = refresh(old.model_copy(update={"prices": prices}), listed, TODAY, instance_types=["t3.micro"]).book
    assert book.price("ec2", "t3.micro").publisher == "aws"
    assert book.price("amazonmq", "cluster.mq.m7g.large").publisher == "third-party", "it is not in the list"


def test_everything_else_stays_as_it_was() -> None:
    old = load_book("us-east-1")
    made = refreshed(PriceList(entries(*ALL)))
    assert [(p.service, p.item) for p in made.book.prices] == [(p.service, p.item) for p in old.prices]
    for before, after in zip(old.prices, made.book.prices, strict=True):
        assert before == after or f"{after.service}/{after.item}" in US_EAST_1
    assert made.book.price("sqs", "free_request") == old.price("sqs", "free_request")
    rest = len(old.prices) - len(US_EAST_1) - 20  # Amazon MQ's other types were asked for
    assert made.notes[0] == (
        "19 of 39 prices of us-east-1 that were asked for came from the AWS Price List on 2026-11-20"
    )
    assert made.notes[-1] == (
        f"{rest} further prices were not asked for and are those of the book; "
        "the oldest, cloudwatch/logs_gb, lambda/gb_second_arm and states/transition, of 2024-07-01, "
        "872 days old"
    )


def test_the_book_carries_the_day_of_its_refresh() -> None:
    client = PriceList(entries(*ALL)).client()
    book = refresh(load_book("us-east-1"), client, date(2027, 1, 2), instance_types=[]).book
    assert (book.as_of, book.label) == ("2027-01-02", "us-east-1@2027-01-02")


def test_a_changed_price_is_used_and_said() -> None:
    found = changed(entries(*ALL), "CRAJUW7BTXFMT2UJ", "0.0125000000")
    made = refreshed(PriceList(changed(found, "SQSFAIRUSE1FAKE0", "0.0000002000")))
    assert made.book.known("ec2", "t3.micro").usd == 0.0125
    assert (
        "changed since the book of 2026-11-20: sqs/fair_surcharge $0.0000001 to $0.0000002, "
        "ec2/t3.micro $0.0104 to $0.0125"
    ) in made.notes


def test_questions_are_few_and_narrow() -> None:
    listed = PriceList(entries(*ALL))
    refreshed(listed, instance_types=["t3.micro", "m7g.large", "m99.huge"])
    assert listed.filters("AWSQueueService") == [{"regionCode": "us-east-1", "productFamily": "API Request"}]
    instances = [one for one in listed.filters("AmazonEC2") if "instanceType" in one]
    assert [one.pop("instanceType") for one in instances] == ["t3.micro", "m7g.large"]
    assert instances[0] == {
        "regionCode": "us-east-1",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "productFamily": "Compute Instance",
        "licenseModel": "No License required",
    }
    assert len(listed.asked) == 1 + 2 + 2 + 1 + 1 + 2


def test_two_prices_for_one_item_leave_the_old_one() -> None:
    twin = json.loads(json.dumps(entries("ec2")[0]).replace("CRAJUW7BTXFMT2UJ", "AAAATWIN00000000"))
    same = refreshed(PriceList([*entries(*ALL), twin]))
    assert from_the_list(same.book)["ec2/t3.micro"] == ("AAAATWIN00000000", [(0, None, 0.0104)])
    differ = refreshed(PriceList(changed([*entries(*ALL), twin], "AAAATWIN00000000", "0.02")))
    assert differ.book.price("ec2", "t3.micro") == load_book("us-east-1").price("ec2", "t3.micro")
    why = "the list has 2 entries for it, and their prices differ"
    assert f"not refreshed: ec2/t3.micro (123 days old): {why}" in differ.notes


def test_traffic_is_not_asked_for_without_the_regions_name() -> None:
    listed = PriceList(entries("data_transfer"))
    made = refreshed(listed)
    assert listed.filters("AWSDataTransfer") == []
    why = "the list's name of the region was not learnt"
    items = "network/cross_zone_gb (72 days old), network/internet_out_gb (65 days old)"
    assert f"not refreshed: {items}: {why}" in made.notes
    assert made.book is load_book("us-east-1")


def test_a_book_of_history_is_not_refreshed() -> None:
    listed = PriceList(entries(*ALL))
    made = refresh(load_book("2012-12"), listed.client(), TODAY, instance_types=["m1.small"])
    assert made.book is load_book("2012-12")
    assert listed.asked == []
    assert "one point in history" in made.notes[0]


def test_what_is_said_where_there_is_no_account() -> None:
    assert not_refreshed(load_book("us-east-1"), date(2026, 12, 20)) == (
        "prices were not refreshed: this run had no AWS account to ask; those of the book of 2026-11-20, "
        "30 days old; the oldest, cloudwatch/logs_gb, lambda/gb_second_arm and states/transition, of "
        "2024-07-01, 902 days old; “Prices used” lists those behind this report's figures"
    )
