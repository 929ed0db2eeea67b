"""What ``breakeven crossover`` says first, and what it leaves out: dearer ways, and crossings without end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli.main import main

Capsys = pytest.CaptureFixture[str]


def said(capsys: Capsys, *asked: str) -> str:
    assert main(["crossover", "--amazon-mq", "none", *asked]) == 0
    return capsys.readouterr().out


def document(capsys: Capsys, *asked: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, *asked, "--json"))
    return found


def test_it_begins_with_what_is_cheapest_at_the_rate_and_what_that_supposes(capsys: Capsys) -> None:
    def begins(*asked: str) -> str:
        return said(capsys, *asked).splitlines()[0]

    trio = "Cheapest at 3,000 msg/s, 7.88 billion messages a month: RabbitMQ trio of m7g.large"
    needs = "if each of its clusters carries at least 12,900 msg/s with one node down"
    assert begins("--rate", "3000") == f"{trio}, $922.78 a month before staff time, {needs}."
    known = begins("--rate", "3000", "--capacity", "20000", "--hours", "0.1")
    assert known == f"{trio}, $930.28 a month with staff time."
    assert begins("--rate", "10", "--batch", "10").endswith("; SQS batched and long-polled costs the same.")
    asked = begins("--per-month", "3,000,000")
    assert asked.startswith("Cheapest at 1.14 msg/s, 3.00 million messages a month: SQS batched")
    assert document(capsys, "--rate", "3000")["cheapest"] == ["rabbitmq"]


def test_many_crossings_are_cut_short_and_the_last_is_said(capsys: Capsys) -> None:
    out = said(capsys, "--capacity", "11550")
    assert len([line for line in out.splitlines() if " is cheaper below " in line]) == 1 + 6
    assert "change places 88 more times, the last at" in out


def test_from_which_rate_it_pays_with_staff_time_is_exact_where_clusters_are_added(capsys: Capsys) -> None:
    """A trio of 500 msg/s carries a mean of 117: from 583 to 700 msg/s there are six, and $600 of work."""
    used, batched = document(capsys, "--capacity", "500")["pays_from"]
    assert (used["sqs_option"], used["hours"], batched["msg_per_s"]) == ("sqs-as-used", 8, None)
    assert used["msg_per_s"] == pytest.approx(606, abs=0.5)
    out = said(capsys, "--capacity", "500")
    begins = "self-hosting is cheaper than SQS as used from about 606 msg/s on "
    assert f"{begins}(between 298 and 1,140, or only to about 38,500)" in " ".join(out.split())
    assert "and than SQS batched and long-polled at no rate." in out
    assert "if its clusters carry the load." in said(capsys)


def test_where_it_pays_at_no_rate_there_is_no_load_to_carry(capsys: Capsys) -> None:
    out = said(capsys, "--size", "64KiB")
    assert "than SQS as used at no rate and than SQS batched and long-polled at no rate.\n" in out


def test_that_sqs_is_cheaper_again_is_no_reason_to_say_that_it_never_pays(capsys: Capsys) -> None:
    said_of = "self-hosting is cheaper than SQS as used from about 718 ("
    out = " ".join(said(capsys, "--size", "10KiB").split())
    assert said_of in out
    assert ") to about 64,900 msg/s and than SQS batched and long-polled at no rate, if its clusters" in out


def test_ways_that_are_dearer_at_the_rate_are_not_called_cheaper(capsys: Capsys) -> None:
    """At 300,000 msg/s the burstable type's surplus credits cost more than the other type."""
    ways = {}
    for rate in ("100", "300000"):
        found = document(capsys, "--rate", rate)
        (own,) = [one["usd_per_month"] for one in found["options"] if one["option"] == "rabbitmq"]
        ways[rate] = [one["usd"] for one in found["cheaper_variants"]]
        assert all(each < own for each in ways[rate])
    assert len(ways["100"]) == 4
    assert 0 < len(ways["300000"]) < 4


def test_a_single_node_is_called_one(capsys: Capsys) -> None:
    out = " ".join(said(capsys, "--deployment", "single").split())
    assert "Amazon SQS against RabbitMQ on one m7g.large, 1 KiB messages" in out
    assert "RabbitMQ on one m7g.large above it, if each of its nodes carries at least 88.2 msg/s:" in out
    assert "if its nodes carry the load." in out
