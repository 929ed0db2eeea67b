"""What a run on AWS measured of Amazon MQ prices Amazon MQ in its report, at the type that it measured."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.planning.plan import make_plan
from breakeven.pricing.bill.run_capacities import NO_CAPACITIES
from breakeven.pricing.prices.book_files import load_book
from breakeven.report.building.money_builder import cost_questions
from breakeven.results import layout
from breakeven.results.items import lane_item
from breakeven.steps.run.costs import ask_about
from breakeven.steps.run.price_run import kept_capacities, price_run
from breakeven.steps.services import Services
from breakeven.workload.read import parse_suite
from tests.support.money.ended_runs import REGION, planned, report_of, searched

CLUSTER, SINGLE, TRIO = "amazon-mq-cluster", "amazon-mq-single", "rabbitmq-quorum-trio"
MEDIUM = "mq.m7g.medium"
SERVER = "Amazon MQ's RabbitMQ 4.2.1, Erlang 27.3"
HELD, FAILED = 900.0, 940.0


def suite(*targets: str) -> dict[str, Any]:
    return {
        "suite": "managed",
        "title": "What Amazon MQ carries",
        "targets": list(targets),
        "instrument": False,
        "defaults": {"message_size": "1KiB", "drain_s": 60},
        "scenarios": {"capacity": {"mode": "capacity", "threads": 4, "rate": 200}},
    }


def measured(services: Services, *targets: str, where: str = "aws") -> None:
    """A run whose lanes have ended, each search with the same answer."""
    for case in planned(services, "run-1", suite(*targets), where=where):
        services.state("run-1").update(lane_item(case.target), server=SERVER)
        searched(services, case, HELD, FAILED, where=where)
    price_run(services, "run-1")


@pytest.mark.parametrize(
    ("targets", "deployment"),
    [((CLUSTER, TRIO), "trio"), ((CLUSTER,), "trio"), ((SINGLE,), "single")],
)
def test_the_reports_amazon_mq_has_the_capacity_and_interval_of_this_run(
    services, tmp_path, targets, deployment
):
    measured(services, *targets)
    question = report_of(services, "run-1", tmp_path).headline_question
    assert (question.inputs["deployment"], question.inputs["amazon_mq"]) == (deployment, "mq.m7g.large")
    assert question.inputs["amazon_mq_capacity_msg_per_s"] == HELD
    assert question.inputs["amazon_mq_low_msg_per_s"] == HELD
    assert question.inputs["amazon_mq_high_msg_per_s"] == FAILED
    assert "measured in this run on mq.m7g.large, Amazon MQ's RabbitMQ 4.2.1" in question.amazon_mq_capacity
    own = HELD if TRIO in targets else None
    assert question.inputs["capacity_msg_per_s"] == own, "one's own brokers have their own, or none"


def test_it_is_kept_for_later_runs_as_that_of_its_type(services):
    measured(services, CLUSTER, SINGLE)
    kept = {one.target: one for one in kept_capacities(services.store)}
    assert {name: (one.deployment, one.instance) for name, one in kept.items()} == {
        CLUSTER: ("trio", "mq.m7g.large"),
        SINGLE: ("single", "mq.m7g.large"),
    }
    assert kept[CLUSTER].nodes_down == 0


def test_the_board_of_sizes_has_it(services, tmp_path):
    measured(services, CLUSTER)
    (size,) = report_of(services, "run-1", tmp_path, ("cases", "cheapest_size")).size_board
    assert (size.target, size.capacity_msg_per_s) == (CLUSTER, HELD)


def test_the_type_that_a_suite_names_is_the_one_that_is_priced():
    document = suite(CLUSTER) | {"machines": {CLUSTER: {"m": {"instance_type": MEDIUM}}}}
    made = make_plan(parse_suite(document, "managed.yaml"), run_id="run-1")
    book = load_book(REGION)
    priced = [
        each.model_copy(update={"usd": 0.4, "reason": None}) if each.item == f"cluster.{MEDIUM}" else each
        for each in book.prices
    ]
    asked = ask_about(made.cases, 1024, book.model_copy(update={"prices": priced}), NO_CAPACITIES)
    assert asked.questions[0].inputs.amazon_mq == MEDIUM


def test_crossings_name_the_target_that_amazon_mq_was_measured_as(services, tmp_path):
    measured(services, CLUSTER, TRIO)
    report = report_of(services, "run-1", tmp_path)
    others = {row.other_option: row.targets[1] for row in report.crossovers}
    assert others["amazon-mq"] == CLUSTER
    assert cost_questions(services.store.get_json(layout.plan_key("run-1"))["cost"])
