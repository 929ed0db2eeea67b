"""``breakeven crossover --capacity-from``: what a run measured of Amazon MQ's brokers prices them."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from breakeven.report.contract.report_model import CaseReport, Report
from tests.fixtures.report import sample
from tests.support.money.searched_cases import ask_of_run, report, searched

MQ, MQ_TYPE = "amazon-mq-cluster", "mq.m7g.large"
TRIO = "rabbitmq-quorum-trio"


@pytest.fixture
def crossover(tmp_path, capsys):
    return partial(ask_of_run, tmp_path, capsys)


def on_aws(*cases: CaseReport) -> Report:
    """A run on AWS of trios of m7g.large, and of clusters of Amazon MQ."""
    types = {MQ: MQ_TYPE, TRIO: "m7g.large", "amazon-mq-single": MQ_TYPE}
    targets = {name: {"instance_type": kind} for name, kind in types.items()}
    manifest = sample.manifest().model_copy(update={"targets": targets})
    return report(*cases, environment="aws", manifest=manifest)


def of_mq(*rates: float, target: str = MQ, **changes: Any) -> CaseReport:
    return searched(*rates, target=target, environment="aws", flags=[], **changes)


def of_trio(*rates: float) -> CaseReport:
    return searched(*rates, target=TRIO, environment="aws", flags=[])


def test_amazon_mqs_capacity_is_read_as_that_of_clusters_is(crossover):
    made = on_aws(of_trio(900, 950), of_mq(1000, 1100), of_mq(1200, 1350, repeat=2))
    code, out, err = crossover(made, "--deployment", "trio", "--rate", "5000")
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    assert "What clusters are priced to carry: 900 msg/s of a trio" in said
    assert "What Amazon MQ is priced to carry: 1,100 msg/s of an Amazon MQ cluster with messages of" in said
    assert "on mq.m7g.large" in said
    assert "all brokers up, as no call stops one" in said
    interval = "1,000 to 1,350 msg/s (the range of 2 repeats, which has the median with 50% probability)"
    assert f"Amazon MQ's capacity {interval}" in said.partition("Intervals: ")[2]
    _, out, _ = crossover(made, "--deployment", "trio", "--rate", "5000", "--json")
    answered = json.loads(out)
    asked = answered["question"]
    assert (asked["capacity_msg_per_s"], asked["amazon_mq_capacity_msg_per_s"]) == (900, 1100)
    assert (asked["amazon_mq_low_msg_per_s"], asked["amazon_mq_high_msg_per_s"]) == (1000, 1350)
    assert answered["capacity"]["amazon_mq"]["target"] == MQ
    # 5,000 a second, three times that at the peak, over 0.7 of 1,100
    (managed,) = [one for one in answered["options"] if one["option"] == "amazon-mq"]
    assert {line["clusters"] for line in managed["lines"]} == {20}


def test_a_run_of_amazon_mq_alone_prices_it_and_no_cluster_of_ones_own(crossover):
    code, out, _ = crossover(on_aws(of_mq(1000, 1100)), "--capacity", "500", "--json")
    asked = json.loads(out)["question"]
    assert code == 0
    assert (asked["capacity_msg_per_s"], asked["amazon_mq_capacity_msg_per_s"]) == (500, 1000)


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (on_aws(of_mq(1000, 1100)), ["--amazon-mq", "none"], "give --amazon-mq mq.m7g.large"),
        (
            on_aws(of_mq(1000, 1100)),
            ["--deployment", "single"],
            "it measured an Amazon MQ cluster, and the question has a single broker beside; use "
            "--deployment trio",
        ),
        (
            on_aws(of_mq(1000, 1100)),
            ["--amazon-mq", "mq.m5.large"],
            "no capacity is carried over; --amazon",
        ),
        (on_aws(of_mq(1000, 1100)), ["--size", "2KiB"], "ask for --size 1024B or less"),
        (
            on_aws(of_mq(1000, 1100)),
            ["--amazon-mq-capacity", "9"],
            "give it or --amazon-mq-capacity, not both",
        ),
    ],
)
def test_what_amazon_mq_did_not_carry_is_refused(crossover, made, options, words):
    code, out, err = crossover(made, *options)
    assert (code, out) == (2, "")
    assert words in err


def test_a_broker_that_does_not_stand_beside_a_cluster_that_does_is_a_note(crossover):
    made = on_aws(of_trio(900, 950), of_mq(700, 750, target="amazon-mq-single"))
    code, out, _ = crossover(made, "--deployment", "trio")
    assert code == 0
    assert "- Not used of run r1: it measured an Amazon MQ single broker, and the question has a cluster" in (
        " ".join(out.split())
    )
    code, out, _ = crossover(made, "--deployment", "trio", "--amazon-mq", "none")
    assert (code, "Not used of run" in out) == (0, False)
