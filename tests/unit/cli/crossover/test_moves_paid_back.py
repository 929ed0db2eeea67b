"""``breakeven crossover --migration-hours``: when a move is paid back, in the terminal and on the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from breakeven import words
from breakeven.report.render.page_data import page_data
from cli.main import main
from tests.fixtures.report import sample
from tests.support.page.evaluator import evaluated


def answered(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, dict[str, float]]:
    """What the terminal says in one line, and dollars a month by option."""
    said = []
    for form in ((), ("--json",)):
        assert main(["crossover", *options, *form]) == 0
        said.append(capsys.readouterr().out)
    usd = {one["option"]: one["usd_per_month"] for one in json.loads(said[1])["options"]}
    return " ".join(said[0].split()), usd


def on_page(**fields: Any) -> str:
    data = page_data(sample.report(sample.planned()[:2]))
    assert data is not None
    inputs = {**data["inputs"], **fields}
    setting = {"inputs": inputs, "region": "us-east-1", "rate": inputs["msg_per_s"], "intervals": False}
    (found,) = evaluated(data, [setting])
    return str(found["moving"])


def test_months_are_what_it_takes_once_over_what_is_saved_a_month(capsys):
    said, usd = answered(capsys, "--rate", "1000", "--migration-hours", "120", "--hour-rate", "80")
    own, managed = (9600 / (usd["sqs-as-used"] - usd[each]) for each in ("rabbitmq", "amazon-mq"))
    assert own > 1, "or the sentence says within a month"
    assert "A move takes 120 hours of staff time once, $9,600, and is paid back: from SQS as used to " in said
    assert (
        f" to RabbitMQ trio of m7g.large, in {words.figure(own)} months; from SQS as used to Amazon " in said
    )
    assert f", in {words.figure(managed)} months." in said


def test_hours_a_month_are_part_of_what_is_saved(capsys):
    said, usd = answered(capsys, "--rate", "1000", "--migration-hours", "500", "--hours", "8")
    saved = usd["sqs-as-used"] - usd["rabbitmq"]
    without, _ = answered(capsys, "--rate", "1000", "--migration-hours", "500")
    assert f"in {words.figure(37_500 / saved)} months" in said
    assert f"in {words.figure(37_500 / (saved + 600))} months" in without


def test_where_sqs_costs_less_it_is_the_way_back_that_is_paid_back(capsys):
    said, usd = answered(capsys, "--rate", "1", "--migration-hours", "40")
    months = words.figure(3000 / (usd["rabbitmq"] - usd["sqs-as-used"]))
    assert f"from RabbitMQ trio of m7g.large to SQS as used, in {months} months" in said


def test_what_takes_less_than_a_month_is_said_so(capsys):
    said, _ = answered(capsys, "--rate", "50000", "--migration-hours", "1")
    assert "within a month; " in said


def test_nobody_who_did_not_ask_is_told(capsys):
    said, _ = answered(capsys, "--rate", "1000")
    assert "paid back" not in said
    assert on_page(migration_hours=None) == ""


def test_the_page_says_the_same(capsys):
    options = ("--rate", "1000", "--migration-hours", "120", "--hour-rate", "80", "--deployment", "pair")
    said, _ = answered(capsys, *options)
    found = on_page(msg_per_s=1000.0, migration_hours=120.0, hour_rate=80.0, deployment="pair")
    assert found.startswith(
        "A move takes 120 hours of staff time once, $9,600, and is paid back: from SQS as used to "
    )
    assert found in said
