"""``breakeven crossover --migration-hours``: when a move is paid back, in the terminal and on the page."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from breakeven import words
from breakeven.report.render.page_data import page_data
from cli.main import main
from tests.fixtures.report import money, sample
from tests.support.page.evaluator import evaluated

TRIO = "RabbitMQ trio of m7g.large"
SERVICE = "Amazon MQ cluster of mq.m7g.large"
FULL = "SQS batched and long-polled"
#: fields of the question -> the option that sets it
OPTIONS = {
    "msg_per_s": "--rate",
    "migration_hours": "--migration-hours",
    "hour_rate": "--hour-rate",
    "hours": "--hours",
    "amazon_mq_hours": "--amazon-mq-hours",
    "capacity_msg_per_s": "--capacity",
    "amazon_mq_capacity_msg_per_s": "--amazon-mq-capacity",
    "deployment": "--deployment",
    "consumer": "--consumer",
}


def answered(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[str, dict[str, float]]:
    """What the terminal says of a move, and dollars a month by option."""
    said = []
    for form in ((), ("--json",)):
        assert main(["crossover", *options, *form]) == 0
        said.append(capsys.readouterr().out)
    usd = {one["option"]: one["usd_per_month"] for one in json.loads(said[1])["options"]}
    found = re.search(r"A move .*?(?= Capacity of one cluster)", " ".join(said[0].split()))
    return found.group() if found else "", usd


def on_page(**fields: Any) -> str:
    data = page_data(sample.report(sample.planned()[:2]))
    assert data is not None
    inputs = {**data["inputs"], **money.ANYWHERE, **fields}
    setting = {"inputs": inputs, "region": "us-east-1", "rate": inputs["msg_per_s"], "intervals": True}
    (found,) = evaluated(data, [setting])
    return str(found["moving"])


def of(cluster: str, said: str) -> str:
    """What is said of moves to one cluster, and back, after its conditions."""
    found = re.search(rf"To {cluster} \([^:]*\): ([^:]*?)\.(?= To |$)", said)
    assert found, said
    return found.group(1)


def test_months_are_what_it_takes_once_over_what_is_saved_a_month(capsys):
    said, usd = answered(capsys, "--rate", "1000", "--migration-hours", "120", "--hour-rate", "80")
    own, managed = (9600 / (usd["sqs-as-used"] - usd[each]) for each in ("rabbitmq", "amazon-mq"))
    assert own > 1, "or the sentence says within a month"
    assert said.startswith(
        f"A move takes 120 hours of staff time once, $9,600, to be paid back by what it saves. To {TRIO}"
    )
    assert of(TRIO, said).startswith(f"from SQS as used, in {words.figure(own)} months")
    assert of(SERVICE, said).startswith(f"from SQS as used, in {words.figure(managed)} months")


def test_a_move_from_sqs_batched_that_costs_less_is_never_paid_back_and_the_way_back_is(capsys):
    said, usd = answered(capsys, "--rate", "500", "--migration-hours", "80", "--hours", "8")
    back = 6000 / (usd["rabbitmq"] - usd["sqs-batched"])
    there = 6000 / (usd["sqs-as-used"] - usd["rabbitmq"])
    assert re.fullmatch(
        rf"from SQS as used, in {words.figure(there)} months( \(.*?\))?; from {FULL}, never; "
        rf"back to {FULL}, in {words.figure(back)} months( \(.*?\))?",
        of(TRIO, said),
    )


def test_where_every_sqs_costs_less_they_are_named_together(capsys):
    said, usd = answered(capsys, "--rate", "1", "--migration-hours", "40")
    months = words.figure(3000 / (usd["rabbitmq"] - usd["sqs-batched"]))
    assert of(TRIO, said).startswith(f"from SQS as used or {FULL}, never; back to {FULL}, in {months} months")


@pytest.mark.parametrize(("rate", "sqs"), [("60", "SQS as used"), ("1000", FULL)])
def test_within_the_interval_of_their_crossing_it_is_not_known_which_way_a_move_pays(capsys, rate, sqs):
    said, _ = answered(capsys, "--rate", rate, "--migration-hours", "80")
    assert f"from {sqs}, not known which way a move pays" in of(TRIO, said)
    assert f"back to {sqs}" not in of(TRIO, said)


def test_months_have_the_ends_of_what_is_not_known(capsys):
    """SQS as used at 500 msg/s, with no empty receive or one a message: 3 or 4 requests each."""
    said, usd = answered(capsys, "--rate", "500", "--migration-hours", "80")
    _, most = answered(capsys, "--rate", "500", "--empty-receives", "1")
    ends = [6000 / (each["sqs-as-used"] - usd["rabbitmq"]) for each in (most, usd)]
    between = " and ".join(map(words.figure, ends))
    assert f"in {words.figure(ends[1])} months (between {between});" in of(TRIO, said)


def test_what_takes_over_ten_years_is_said_so(capsys):
    said, _ = answered(capsys, "--rate", "500", "--migration-hours", "5000", "--empty-receives", "0")
    assert of(TRIO, said).startswith("from SQS as used, not within 10 years; ")


def test_what_takes_less_than_a_month_is_said_so(capsys):
    said, _ = answered(capsys, "--rate", "50000", "--migration-hours", "1")
    assert of(TRIO, said) == f"from SQS as used or {FULL}, within a month"


def test_hours_a_month_are_part_of_what_is_saved(capsys):
    said, usd = answered(capsys, "--rate", "1000", "--migration-hours", "500", "--hours", "8")
    saved = usd["sqs-as-used"] - usd["rabbitmq"]
    without, _ = answered(capsys, "--rate", "1000", "--migration-hours", "500")
    assert f"in {words.figure(37_500 / saved)} months" in of(TRIO, said)
    assert f"in {words.figure(37_500 / (saved + 600))} months" in of(TRIO, without)


def test_its_conditions_are_those_of_the_headline(capsys):
    said, _ = answered(capsys, "--rate", "500", "--migration-hours", "80")
    load = "if its clusters carry the load"
    free = "and traffic between its brokers is free"
    assert f"To {TRIO} (before staff time each month, {load}): " in said
    assert f"To {SERVICE} (before staff time each month, {load} {free}): " in said
    said, _ = answered(
        capsys, "--rate", "500", "--migration-hours", "80", "--hours", "8", "--capacity", "9000"
    )
    assert f"To {TRIO} (with 8 hours of staff time each month): " in said
    assert f"To {SERVICE} (without staff time each month, {load} {free}): " in said
    said, _ = answered(capsys, "--rate", "5", "--migration-hours", "1", "--deployment", "single")
    assert "A move takes 1 hour of staff time once, $75.00, to be paid back by what it saves. " in said
    assert "(before staff time each month, if its nodes carry the load): " in said
    assert "(before staff time each month, if its brokers carry the load): " in said


@pytest.mark.parametrize(
    ("options", "rate"),
    [(("--migration-hours", "0"), "0 hours at $75.00"), (("--migration-hours", "80"), "80 hours at $0.00")],
)
def test_a_move_that_costs_nothing_is_said_so(capsys, options, rate):
    given = ("--hour-rate", "0") if rate.endswith("$0.00") else ()
    said, _ = answered(capsys, "--rate", "500", *options, *given)
    assert said == f"A move of {rate} an hour costs nothing: there is nothing to pay back."


def test_nobody_who_did_not_ask_is_told(capsys):
    said, _ = answered(capsys, "--rate", "1000")
    assert said == ""
    assert on_page(migration_hours=None) == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"msg_per_s": 500.0},
        {"msg_per_s": 60.0, "hours": 8.0},
        {"msg_per_s": 1.0, "amazon_mq_hours": 2.0},
        {"msg_per_s": 50_000.0, "migration_hours": 1.0, "capacity_msg_per_s": 30_000.0},
        {"msg_per_s": 500.0, "migration_hours": 5000.0, "hour_rate": 80.0},
        {"msg_per_s": 500.0, "migration_hours": 0.0},
        {"msg_per_s": 500.0, "hour_rate": 0.0},
        {"msg_per_s": 2000.0, "amazon_mq_capacity_msg_per_s": 20_000.0, "consumer": "lambda"},
        {"msg_per_s": 5.0, "deployment": "single"},
    ],
    ids=str,
)
def test_the_page_says_the_same(capsys, fields):
    asked = {"migration_hours": 80.0, "deployment": "trio", **fields}
    options = [text for name, value in asked.items() for text in (OPTIONS[name], str(value))]
    said, _ = answered(capsys, *options)
    assert said
    assert on_page(**asked) == said
