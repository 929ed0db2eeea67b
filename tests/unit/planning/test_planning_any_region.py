"""A run in a region that no price book is shipped of: priced by the Price List, or refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from moto import mock_aws

from breakeven.errors import InputError
from breakeven.planning.plan import make_plan
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import book_of, load_book
from breakeven.results import layout
from breakeven.steps.run.account_capacity import prices_of
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.services import Services
from breakeven.workload.read import load_suite
from tests.support.aws.moto_results import services_in_moto
from tests.support.money.price_list import ALL, Entry, PriceList, elsewhere, entries

STOCKHOLM = {"eu-west-1": "eu-north-1", '"EU-': '"EUN1-', "EU (Ireland)": "EU (Stockholm)"}
#: service code, usage type, unit, dollars and further attributes of what runs are billed for beside
BESIDE: list[tuple[str, str, str, str, dict[str, str]]] = [
    ("AWSLambda", "Request-ARM", "Requests", "0.0000002", {}),
    ("AWSLambda", "Lambda-GB-Second-ARM", "Lambda-GB-Second", "0.0000133334", {}),
    ("AmazonStates", "StateTransition", "StateTransitions", "0.000025", {}),
    ("AmazonS3", "Requests-Tier1", "Requests", "0.000005", {}),
    ("AmazonS3", "Requests-Tier2", "Requests", "0.0000004", {}),
    ("AmazonDynamoDB", "WriteRequestUnits", "WriteRequestUnits", "0.0000006685", {"group": "DDB-WriteUnits"}),
    ("AmazonDynamoDB", "ReadRequestUnits", "ReadRequestUnits", "0.0000001335", {"group": "DDB-ReadUnits"}),
    ("AmazonAthena", "DataScannedInTB", "Terabytes", "5", {}),
    ("AmazonCloudWatch", "CW:MetricMonitorUsage", "Metrics", "0.3", {}),
    ("AmazonCloudWatch", "CW:AlarmMonitorUsage", "Alarms", "0.1", {}),
    ("AmazonCloudWatch", "CW:GMD-Metrics", "Metrics", "0.00001", {}),
    ("AmazonCloudWatch", "DataProcessing-Bytes", "GB", "0.54", {}),
    ("AmazonECS", "Fargate-ARM-vCPU-Hours:perCPU", "hours", "0.03238", {}),
    ("AmazonECS", "Fargate-ARM-GB-Hours", "hours", "0.00356", {}),
]


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")


def entry(service_code: str, usage: str, unit: str, usd: str, more: dict[str, str]) -> Entry:
    attributes = {"usagetype": f"EUN1-{usage}", "regionCode": "eu-north-1", **more}
    if service_code == "AmazonDynamoDB":
        attributes["operation"] = "PayPerRequestThroughput"
    price = {"unit": unit, "beginRange": "0", "endRange": "Inf", "pricePerUnit": {"USD": usd}}
    term = {"priceDimensions": {"a": price}}
    return {
        "serviceCode": service_code,
        "product": {"sku": usage.upper().replace(":", ""), "attributes": attributes},
        "terms": {"OnDemand": {"a": term}},
        "publicationDate": "2026-10-30T00:00:00Z",
    }


def instance(name: str, usd: str) -> Entry:
    """Of a type that the fixtures do not have, from one that they do."""
    (made,) = [
        each
        for each in elsewhere(entries("ec2"), STOCKHOLM)
        if each["product"]["attributes"].get("usagetype") == "EUN1-BoxUsage:t3.micro"
        and each["product"]["attributes"].get("instanceType") == "t3.micro"
        and each["product"]["sku"] == "DXH6X4VVFUT4EUU5"
    ]
    (renamed,) = elsewhere([made], {"t3.micro": name, "DXH6X4VVFUT4EUU5": f"SKU{name.upper()}"})
    (term,) = renamed["terms"]["OnDemand"].values()
    for price in term["priceDimensions"].values():
        price["pricePerUnit"] = {"USD": usd}
    return renamed


def stockholm(*without: str) -> PriceList:
    beside = [entry(*each) for each in BESIDE if each[1] not in without]
    types = [instance("m7g.large", "0.0866"), instance("m7g.medium", "0.0433")]
    return PriceList([*elsewhere(entries(*ALL), STOCKHOLM), *types, *beside])


def plan(monkeypatch: pytest.MonkeyPatch, services: Services, listed: PriceList) -> dict[str, Any]:
    monkeypatch.setattr(
        "breakeven.steps.run.plan_run.prices_of", lambda *given: prices_of(*given, listed.client)
    )
    document = {"suite": "quick", "region": "eu-north-1"}
    plan_run(services, "run-1", document, execution="arn", started_at="2026-11-20T00:00:00Z")
    found: dict[str, Any] = services.store.get_json(layout.plan_key("run-1"))
    return found


def test_the_price_list_prices_a_run_in_a_region_that_no_shipped_book_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with mock_aws():
        services = services_in_moto()
        stored = plan(monkeypatch, services, stockholm())
        book = PriceBook.model_validate(services.store.get_json(layout.price_book_key("run-1")))
    assert stored["plan"]["estimate"]["unpriced"] == []
    lines = {f"{each['service']}/{each['item']}": each for each in stored["plan"]["estimate"]["lines"]}
    assert lines["ec2/m7g.large"]["unit_usd"] == 0.0866
    assert lines["dynamodb/write"]["unit_usd"] == 6.685e-7
    assert all(each["source"].startswith("AWS Price List Query API") for each in lines.values())
    assert (book.region, book.known("states", "transition").usd) == ("eu-north-1", 2.5e-5)
    assert book.price("ec2", "c7g.large").reason == (
        "no price book of eu-north-1 is shipped, and the AWS Price List gave none"
    )
    assert {question["book"] for question in stored["cost"]["questions"]} == {"2012-12", book.label}


def test_what_the_price_list_lacks_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with mock_aws(), pytest.raises(InputError) as caught:
        plan(monkeypatch, services_in_moto(), stockholm("StateTransition"))
    assert "states/transition" in str(caught.value)
    assert "lambda/request" not in str(caught.value)


def test_offline_the_plan_says_what_it_lacks() -> None:
    made = make_plan(load_suite("quick"), run_id="run-1", region="eu-north-1")
    assert {"ec2/m7g.large", "states/transition", "sqs/standard_request"} <= set(made.estimate.unpriced)
    assert any("states/transition" in refusal.remedy for refusal in made.refusals)
    assert {line.reason for line in made.estimate.lines} == {
        "no price book of eu-north-1 is shipped, and the AWS Price List gave none"
    }


def test_what_is_no_regions_name_is_refused_and_shipped_books_are_asked_for_nothing_more() -> None:
    with pytest.raises(InputError, match="'mars-1': no such book"):
        book_of("mars-1")
    assert book_of("us-east-1") is load_book("us-east-1")
