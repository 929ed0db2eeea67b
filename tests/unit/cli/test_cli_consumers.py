"""``breakeven crossover --consumer``: what takes the messages in the bill, and what is refused of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import main


@pytest.mark.parametrize("kind", ["containers", "lambda"])
def test_consumers_are_priced_where_they_are_named_and_each_of_their_prices_is_explained(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["crossover", "--rate", "500", "--consumer", kind, "--explain", "bills"]) == 0
    said = capsys.readouterr().out
    assert f"consumed by {'Lambda' if kind == 'lambda' else kind}, prices of" in said
    assert "Queue only" not in said
    items = {
        "containers": ("fargate/vcpu_hour_arm", "fargate/gb_hour_arm"),
        "lambda": (
            "lambda/request",
            "lambda/gb_second_arm",
            "network/endpoint_hour",
            "fargate/vcpu_hour_arm",
        ),
    }
    for item in items[kind]:
        assert item in said, item


@pytest.mark.parametrize("consumer", [[], ["--consumer", "containers"], ["--consumer", "lambda"]])
def test_each_price_of_each_bill_is_explained_by_its_item_its_source_and_its_date(
    consumer: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["crossover", "--rate", "500", "--size", "40KiB", *consumer]
    assert main.main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    book = json.loads(Path("functions/breakeven/pricing/prices/books/us-east-1.json").read_text())
    prices = {(price["service"], price["item"]): price for price in book["prices"]}
    billed = {(line["service"], line["item"]) for option in found["options"] for line in option["lines"]}
    assert len(billed) >= 8
    assert main.main([*asked, "--explain", "bills"]) == 0
    said = capsys.readouterr().out
    for service, item in billed & set(prices):
        price = prices[service, item]
        assert f"us-east-1@2026-11-20 {service}/{item}, {price['source']}, {price['as_of']}" in said
    for service, item in billed - set(prices):
        assert f"{service}/{item}" in said


def test_without_consumers_the_answer_is_of_the_queue_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["crossover", "--rate", "500"]) == 0
    assert "Queue only: what consumers cost is not in these figures." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--lambda-batch", "5"], "--lambda-batch: '5': give --consumer lambda with it"),
        (["--containers", "5"], "--containers: '5': give --consumer containers or lambda with it"),
        (
            ["--consumer", "lambda", "--poll-wait", "5"],
            "--poll-wait: '5': give --consumer containers with it",
        ),
        (["--consumer", "people"], "--consumer: 'people'"),
        (
            ["--consumer", "lambda", "--lambda-polls", "1", "--empty-receives", "1"],
            "--lambda-polls: '1': empty_receives says how many there are; give one of both",
        ),
        (
            ["--consumer", "lambda", "--lambda-receives", "11"],
            "--lambda-receives: '11': must be at most 10",
        ),
        (
            ["--consumer", "lambda", "--lambda-window", "1.5"],
            "--lambda-window: '1.5': must be a whole number; give whole seconds, 0 to 300",
        ),
        (
            ["--consumer", "containers", "--poll-wait", "1.5"],
            "--poll-wait: '1.5': must be a whole number; give whole seconds, 1 to 20",
        ),
        (
            ["--consumer", "lambda", "--lambda-batch", "50"],
            "--lambda-batch: '50': over 10 messages need a window",
        ),
        (
            ["--consumer", "containers", "--container-gb", "9"],
            "--container-gb: '9': with 0.25 vCPU Fargate has",
        ),
    ],
)
def test_an_option_of_consumers_that_cannot_be_is_refused_by_its_name(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["crossover", *options]) == 2
    assert said in capsys.readouterr().err
