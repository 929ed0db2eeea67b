"""The prices of a run: where they come from, where they are kept, and what the report says of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from moto import mock_aws

from breakeven.errors import InputError
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book
from breakeven.results import layout
from breakeven.results.items import RUN
from breakeven.steps.run.account_capacity import prices_of
from breakeven.steps.run.build_report import _manifest
from breakeven.steps.run.plan_run import plan_run
from breakeven.steps.run.run_input import parse_run_input
from breakeven.steps.services import Services
from tests.support.aws.moto_results import services_in_moto
from tests.support.money.price_list import ALL, PriceList, entries, refused

TODAY = date(2026, 11, 20)


@pytest.fixture(autouse=True)
def _account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


@pytest.fixture
def services() -> Any:
    with mock_aws():
        yield services_in_moto()


def plan(services: Services, document: dict[str, Any]) -> tuple[dict[str, Any], PriceBook]:
    """What is stored of a planned run: its plan and its book."""
    plan_run(services, "run-1", document, execution="arn", started_at="2026-11-20T00:00:00Z", simulated=True)
    stored = services.store.get_json(layout.price_book_key("run-1"))
    return services.store.get_json(layout.plan_key("run-1")), PriceBook.model_validate(stored)


def test_an_account_is_asked_in_the_api_region_for_the_runs_region() -> None:
    listed = PriceList(entries(*ALL))
    wanted = parse_run_input({"region": "eu-west-1"})
    client = listed.client()
    made = prices_of(wanted, TODAY, client=lambda: client)
    assert client.meta.region_name == "us-east-1"
    assert {one["regionCode"] for one in listed.filters("AmazonEC2")} == {"eu-west-1"}
    # the instances of the targets' nodes, and no other
    assert [one["instanceType"] for one in listed.filters("AmazonEC2") if "instanceType" in one] == [
        "m7g.large"
    ]
    assert made.book.price("sqs", "standard_request").as_of == "2026-10-28"


def test_one_machine_asks_nobody() -> None:
    listed = PriceList(entries(*ALL), reply=refused("AccessDeniedException"))
    wanted = parse_run_input({"surroundings": {"name": "local"}})
    made = prices_of(wanted, TODAY, client=listed.client)
    assert listed.asked == []
    assert made.book is load_book("us-east-1")
    assert len(made.notes) == 1
    assert "this run had no AWS account to ask; those of the book of 2026-11-20, 0 days old" in made.notes[0]


def test_a_region_without_a_book_is_refused() -> None:
    with pytest.raises(InputError, match="'mars-1': no such book"):
        prices_of(parse_run_input({"region": "mars-1"}), TODAY)


def test_the_book_is_kept_with_the_run_and_the_notes_reach_the_manifest(services: Services) -> None:
    here = {"surroundings": {"name": "local", "notes": ["ElasticMQ is missing"]}}
    stored, book = plan(services, {"suite": "quick", **here})
    assert book == load_book("us-east-1")
    manifest = _manifest(stored, services.state("run-1"), {})
    assert manifest.notes[0] == "ElasticMQ is missing"
    assert manifest.notes[1].startswith("prices were not refreshed: this run had no AWS account to ask")
    assert manifest.price_books == ["2012-12", book.label]


def test_a_run_on_aws_goes_on_without_the_price_list(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_PRICING", "http://127.0.0.1:1")
    stored, book = plan(services, {"region": "eu-west-1"})
    assert book == load_book("eu-west-1")
    said = " ".join(stored["price_notes"])
    assert "ec2/m7g.large (" in said
    assert "could not be reached (EndpointConnectionError)" in said
    assert services.state("run-1").get(RUN)["status"] == "running"


def test_a_run_on_aws_uses_and_keeps_what_the_list_says(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = PriceList(entries(*ALL))
    monkeypatch.setattr(
        "breakeven.steps.run.plan_run.prices_of", lambda *given: prices_of(*given, listed.client)
    )
    stored, book = plan(services, {"region": "eu-west-1"})
    assert book.price("network", "nat_hour").source.startswith("AWS Price List Query API, AmazonEC2, SKU NAT")
    assert book.as_of == datetime.now(UTC).date().isoformat()
    assert stored["price_books"] == ["2012-12", book.label]
    assert {question["book"] for question in stored["cost"]["questions"]} == {"2012-12", book.label}
    assert "came from the AWS Price List" in stored["price_notes"][0]
