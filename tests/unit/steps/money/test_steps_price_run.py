"""Questions of money are asked again once the lanes have ended: what a run on AWS measured prices it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from breakeven.results import layout
from breakeven.results.items import lane_item
from breakeven.steps.run.price_run import kept_capacities, price_run
from breakeven.steps.services import Services
from tests.fixtures.report.spoken import in_detail
from tests.support.money.ended_runs import DAY, REGION, cases_of, planned, probe, put, report_of, searched
from tests.support.money.stored_crossings import SECONDS, agree, crossings

PAIR = "rabbitmq-mirrored-pair"
#: nodes down -> (held, failed) of each repeat, messages a second: what the programmed brokers carry
CARRIED: dict[int, Sequence[tuple[float, float | None]]] = {
    0: [(400, 420), (410, 430)],
    1: [(220, 228), (240, 250)],
}


def suite(nodes_down: Sequence[int]) -> dict[str, Any]:
    return {
        "suite": "carried",
        "title": "What a pair carries",
        "targets": [PAIR],
        "repeats": 2,
        "defaults": {"message_size": "1KiB", "drain_s": 60},
        "scenarios": {
            "capacity": {"mode": "capacity", "threads": 4, "rate": 200, "nodes_down": list(nodes_down)}
        },
    }


def measured(
    services: Services,
    run_id: str = "run-1",
    *,
    where: str = "aws",
    carried: dict[int, Sequence[tuple[float, float | None]]] = CARRIED,
    day: str = DAY,
    flags: str = "[]",
    server: str = "RabbitMQ 3.10.8, Erlang 25.2.3",
) -> None:
    """A run whose lanes have ended, with the rows that its cases leave."""
    cases = planned(services, run_id, suite(list(carried)), where=where, day=day)
    services.state(run_id).update(lane_item(PAIR), server=server)
    for case in cases:
        held, failed = carried[case.workload.nodes_down][case.repeat - 1]
        searched(services, case, held, failed, where=where, flags=flags)


def test_a_run_s_own_capacity_prices_its_report_as_the_brute_force_does(
    services: Services, tmp_path: Path
) -> None:
    measured(services)
    price_run(services, "run-1")
    report = report_of(services, "run-1", tmp_path)
    (question, *_) = report.cost_questions
    assert question.inputs["capacity_msg_per_s"] == 230
    assert "230 msg/s with one node down, measured in this run on m7g.large" in question.capacity
    assert agree(services.store, "run-1", report, REGION, (230, 220, 250)) > 3, (
        "clusters step past SQS more than once at so low a capacity"
    )


def test_with_all_nodes_up_where_it_was_not_searched_with_one_down(
    services: Services, tmp_path: Path
) -> None:
    measured(services, carried={0: CARRIED[0]})
    price_run(services, "run-1")
    report = report_of(services, "run-1", tmp_path)
    assert report.cost_questions[0].inputs["capacity_msg_per_s"] == 405
    assert "405 msg/s with all nodes up" in report.cost_questions[0].capacity
    (exact, *_) = crossings(services.store, "run-1", REGION, 405)
    (first, *_) = report.crossovers
    assert exact.messages
    assert first.msg_per_s == pytest.approx(float(exact.messages / SECONDS), rel=1e-6)
    assert [(one.msg_per_s, one.nodes_down, one.prices_question_id) for one in report.capacities] == [
        (405, 0, REGION)
    ]


def to_12_digits(value: Any) -> Any:
    """The same with the last digits of sums left out: in which order a sum is made, no query says."""
    if isinstance(value, dict):
        return {name: to_12_digits(each) for name, each in value.items()}
    if isinstance(value, list):
        return [to_12_digits(each) for each in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def test_a_local_runs_dollars_do_not_move_with_its_capacity(services: Services, tmp_path: Path) -> None:
    asked = []
    for run_id, factor in (("run-1", 1), ("run-2", 50)):
        carried = {down: [(held * factor, None) for held, _ in rates] for down, rates in CARRIED.items()}
        measured(services, run_id, where="local", carried=carried)
        price_run(services, run_id)
        report = report_of(services, run_id, tmp_path / run_id)
        assert report.cost_questions[0].inputs["capacity_msg_per_s"] is None
        assert report.capacities == []
        needed = in_detail(report)["What a cluster must carry"]
        assert "this run did not measure what a cluster carries on EC2" in needed
        priced = (*report.crossovers, *report.bills, *report.cost_curves)
        asked.append([to_12_digits(row.model_dump()) for row in priced])
    assert asked[0] == asked[1]
    assert kept_capacities(services.store) == ()


def test_an_earlier_runs_capacity_of_the_same_release_is_used_and_its_age_is_told(
    services: Services, tmp_path: Path
) -> None:
    measured(services, "run-0", day="2026-10-01")
    price_run(services, "run-0")
    failing = {1: [(5.0, 6.0), (5.0, 6.0)]}
    measured(services, carried=failing)
    for case in cases_of(services, "run-1"):
        services.store.delete(layout.row_key("cases", "run-1", case.case_id))
    price_run(services, "run-1")
    question = report_of(services, "run-1", tmp_path).cost_questions[0]
    assert question.inputs["capacity_msg_per_s"] == 230
    assert "measured in run run-0 of 2026-10-01, 50 days before" in question.capacity


def test_an_earlier_runs_capacity_of_another_release_is_not(services: Services) -> None:
    measured(services, "run-0", day="2026-10-01", server="RabbitMQ 3.9.1, Erlang 24")
    price_run(services, "run-0")
    measured(services, carried={1: CARRIED[1]})
    for case in cases_of(services, "run-1"):
        services.store.delete(layout.row_key("cases", "run-1", case.case_id))
    price_run(services, "run-1")
    cost = services.store.get_json(layout.plan_key("run-1"))["cost"]
    assert cost["questions"][0]["inputs"]["capacity_msg_per_s"] is None
    assert cost["capacities"] == []


def test_a_loader_that_was_the_limit_leaves_no_upper_end(services: Services) -> None:
    measured(services, flags='["loader_saturated"]')
    price_run(services, "run-1")
    found = {one.nodes_down: one for one in kept_capacities(services.store)}
    assert {down: (one.low_msg_per_s, one.high_msg_per_s) for down, one in found.items()} == {
        0: (400, None), 1: (220, None)
    }  # fmt: skip
    assert "220 msg/s up, as no upper end was found (range of 2 repeats)" in found[1].describe()


def test_a_capacity_that_all_repeats_confirmed_says_for_how_long(services: Services) -> None:
    measured(services, carried={0: CARRIED[0]})
    cases = cases_of(services, "run-1")
    for case, for_s in zip(cases, (600.0, 660.0), strict=True):
        held, failed = CARRIED[0][case.repeat - 1]
        assert failed
        confirmed = {**probe(3, held, True), "confirms": True, "for_s": for_s}
        put(services, "probes", case, [probe(1, held, True), probe(2, failed, False), confirmed])
    price_run(services, "run-1")
    (found,) = kept_capacities(services.store)
    assert (found.confirmed_s, found.msg_per_s) == (600.0, 405)
    assert found.describe().endswith("99 of 100 within 100 ms, confirmed for 600 s")


def test_pricing_twice_does_the_same_again_and_a_later_run_takes_the_earliers_place(
    services: Services,
) -> None:
    measured(services)
    price_run(services, "run-1")
    first = services.store.get_json(layout.plan_key("run-1"))["cost"]
    price_run(services, "run-1")
    assert services.store.get_json(layout.plan_key("run-1"))["cost"] == first
    measured(services, "run-2", day="2026-11-25")
    price_run(services, "run-2")
    assert {one.run_id for one in kept_capacities(services.store)} == {"run-2"}


def test_a_damaged_document_of_earlier_runs_fails_no_run(services: Services) -> None:
    measured(services)
    services.store.put_bytes(layout.capacities_key(), b"{")
    price_run(services, "run-1")
    assert {one.run_id for one in kept_capacities(services.store)} == {"run-1"}


def test_weaker_guarantees_price_nothing(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    measured(services)
    plan = services.store.get_json(layout.plan_key("run-1"))
    for case in plan["plan"]["cases"]:
        case["workload"]["persistent"] = False
    services.store.put_json(layout.plan_key("run-1"), plan)
    price_run(services, "run-1")
    assert kept_capacities(services.store) == ()
