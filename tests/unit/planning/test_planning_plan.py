"""Plans: order, what is refused and what would do instead."""

from collections import Counter

import pytest

from breakeven.errors import InputError
from breakeven.planning import execution_limits
from breakeven.planning import plan as plan_module
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.plan import Plan, make_plan
from breakeven.planning.warm_up import WINDOW_S
from breakeven.workload.read import load_suite, parse_suite
from tests.support.cases import case_with, workload_with
from tests.support.money.lacking import lacking

SQS, RABBITMQ, TRIO = "sqs-standard", "rabbitmq-mirrored-pair", "rabbitmq-quorum-trio"


def suite(scenarios, **changes):
    """Without the instrument, unless ``changes`` say otherwise."""
    base = {"suite": "mine", "title": "A suite", "targets": [SQS, RABBITMQ], "scenarios": scenarios}
    base["instrument"] = False
    return parse_suite({**base, **changes}, "mine.yaml")


def plan(scenarios, *, environment="aws", seed=None, scale=1.0, max_usd=20.0, run_id="run-1", **changes):
    return make_plan(
        suite(scenarios, **changes),
        run_id=run_id,
        environment=environment,
        seed=seed,
        scale=scale,
        max_usd=max_usd,
        allowance=Allowance(max_sqs_usd=1000),
    )


def ids(legs):
    return [ref.case_id for leg in legs for ref in leg.cases]


def test_on_aws_lanes_go_side_by_side_with_repeats_interleaved():
    made = plan({"p": {"threads": [1, 2, 3]}}, repeats=2)
    (legs,) = made.rounds
    assert [(leg.target, leg.opens, leg.closes) for leg in legs] == [
        (SQS, True, True),
        (RABBITMQ, True, True),
    ]
    assert made.lanes_at_once == 2
    for leg in legs:
        repeats = [ref.case_id.rsplit(".", 1)[1] for ref in leg.cases]
        assert repeats == ["r1"] * 3 + ["r2"] * 3


def test_on_one_machine_each_round_is_a_repeat_of_every_target():
    made = plan({"p": {"threads": [1, 2, 3]}}, repeats=3, environment="local")
    assert made.lanes_at_once == 1
    assert len(made.rounds) == 3
    for number, legs in enumerate(made.rounds, start=1):
        assert {leg.target for leg in legs} == {SQS, RABBITMQ}
        assert {case_id.rsplit(".", 1)[1] for case_id in ids(legs)} == {f"r{number}"}
        assert {leg.opens for leg in legs} == {number == 1}
        assert {leg.closes for leg in legs} == {number == 3}


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_the_instrument_is_a_round_of_its_own_before_all_others(environment):
    scenarios = {"p": {"threads": [1, 2]}}
    without = plan(scenarios, repeats=2, environment=environment)
    made = plan(scenarios, repeats=2, environment=environment, instrument=True)
    (first,), *others = made.rounds
    assert (first.target, first.opens, first.closes) == ("instrument", True, True)
    assert [ref.case_id for ref in first.cases] == [
        "instrument.amqp.instrument.r1",
        "instrument.sqs.instrument.r1",
    ]
    assert all(ref.loaders == [0] for ref in first.cases)
    assert others == without.rounds
    assert [case for case in made.cases if case.target != "instrument"] == without.cases
    assert made.lanes_at_once == without.lanes_at_once
    lane_s = made.estimate.lanes["instrument"]
    assert made.estimate.seconds == pytest.approx(without.estimate.seconds + lane_s, abs=0.3)


def test_the_instrument_is_no_target_of_a_suite():
    with pytest.raises(InputError, match="must be one of sqs-standard, sqs-fifo, rabbitmq-quorum-trio"):
        suite({"p": {"threads": 1}}, targets=["instrument"])


def test_the_quick_suite_is_30_cases_and_the_instruments():
    made = make_plan(load_suite("quick"), run_id="run-1")
    targets = Counter(case.target for case in made.cases)
    assert targets == {"instrument": 2, SQS: 13, TRIO: 5, RABBITMQ: 12}
    assert made.refusals == []


def test_the_quick_suite_takes_minutes_on_one_machine_and_seconds_of_them_to_warm_up():
    made = make_plan(load_suite("quick"), run_id="run-1", environment="local")
    assert made.estimate.seconds <= 8.5 * 60
    assert made.warm_up_s + WINDOW_S <= 16


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_every_case_is_in_exactly_one_leg_of_its_target(environment):
    made = plan({"p": {"threads": [1, 5, 40]}}, repeats=3, environment=environment)
    assert sorted(case_id for legs in made.rounds for case_id in ids(legs)) == sorted(
        case.case_id for case in made.cases
    )
    loaders = {case.case_id: case.loaders for case in made.cases}
    for legs in made.rounds:
        for leg in legs:
            assert all(f".{leg.target}." in ref.case_id for ref in leg.cases)
            assert all(ref.loaders == list(range(loaders[ref.case_id])) for ref in leg.cases)
    leg_ids = [leg.leg_id for legs in made.rounds for leg in legs]
    assert len(set(leg_ids)) == len(leg_ids)


def test_the_seed_orders_legs_and_cases_and_nothing_else():
    scenarios = {"p": {"threads": list(range(1, 9))}}

    def made(seed):
        return plan(scenarios, repeats=5, environment="local", seed=seed)

    assert made(1).rounds == made(1).rounds
    assert made(1).rounds != made(2).rounds
    assert made(1).cases == made(2).cases
    firsts = {legs[0].target for seed in range(4) for legs in made(seed).rounds}
    assert firsts == {SQS, RABBITMQ}


def test_the_seed_is_the_callers_the_suites_or_the_runs():
    scenarios = {"p": {"threads": 1}}
    assert plan(scenarios, seed=7).seed == 7
    assert plan(scenarios, defaults={}, seed=None).seed != plan(scenarios, run_id="run-2").seed
    with_seed = suite(scenarios, **{"seed": 11})
    assert make_plan(with_seed, run_id="run-1").seed == 11
    assert make_plan(with_seed, run_id="run-1", seed=7).seed == 7


def test_a_plan_survives_its_json():
    made = plan({"p": {"threads": [1, 5]}}, repeats=2)
    assert Plan.model_validate_json(made.model_dump_json()) == made


def as_functions(found):
    """The same suite, whose loaders shall be functions."""
    document = {**found.document(), "defaults": {**found.document().get("defaults", {}), "loader": "lambda"}}
    return parse_suite(document, found.where)


def test_the_suite_of_2012_as_functions_is_refused_with_the_scale_that_fits():
    found = as_functions(load_suite("sqs-vs-rabbitmq-2012"))
    made = make_plan(found, run_id="run-1")
    assert len(made.cases) >= 20
    assert {(r.case_id, r.field, r.value) for r in made.refusals} == {
        (f"load-unload.threads-5.{target}.r1", "scenarios.load-unload.messages", 1_000_000)
        for target in (SQS, RABBITMQ)
    }
    scales = {r.remedy.split("--scale ")[1].split(" ")[0] for r in made.refusals}
    assert len(scales) == 1
    with pytest.raises(InputError, match="--scale") as caught:
        made.raise_if_refused()
    assert caught.value.where == "scenarios/sqs-vs-rabbitmq-2012.yaml"

    scale = float(scales.pop())
    fitting = make_plan(found, run_id="run-1", scale=scale)
    fitting.raise_if_refused()
    assert fitting.refusals == []
    assert make_plan(found, run_id="run-1", scale=scale * 1.1).refusals


@pytest.mark.parametrize("environment", ["aws", "local"])
@pytest.mark.parametrize("messages", [900_000, 3_333_333, 5_000_000, 100_000_000])
def test_the_scale_that_is_named_really_fits_in_two_figures(environment, messages):
    scenarios = {"l": {"mode": "load-unload", "messages": messages, "threads": 5, "loader": "lambda"}}
    refused = plan(scenarios, environment=environment)
    named = refused.refusals[0].remedy.split("--scale ")[1].split(" ")[0]
    assert refused.refusals[0].remedy.endswith(", or loader: fargate")
    assert len(named.replace("0.", "").lstrip("0")) <= 2
    assert plan(scenarios, environment=environment, scale=float(named)).refusals == []


def test_a_timed_case_that_could_outlast_its_loader_is_refused_at_its_longest_stage():
    as_function = {"threads": 1, "loader": "lambda"}
    made = plan({"p": {**as_function, "measure_s": 800}}, environment="local")
    assert {(r.field, r.value) for r in made.refusals} == {("scenarios.p.measure_s", 800.0)}
    fits = float(made.refusals[0].remedy.split("add up to ")[1].split(" ")[0])
    drain_s = 300
    for over, refused in ((2, False), (1, True)):
        scenario = {**as_function, "measure_s": fits - over - drain_s}
        assert bool(plan({"p": scenario}, environment="local").refusals) == refused


def test_repeats_beyond_one_execution_are_refused_with_how_many_fit():
    scenarios = {"p": {"threads": [1, 5, 10, 40]}}
    made = plan(scenarios, repeats=40)
    (refusal,) = made.refusals
    assert (refusal.case_id, refusal.field, refusal.value) == (None, "repeats", 40)
    fitting = int(refusal.remedy.split("; ")[-1].split(" ")[0])
    assert plan(scenarios, repeats=fitting).refusals == []
    assert plan(scenarios, repeats=fitting + 1).refusals


def test_cells_beyond_one_execution_are_refused_even_without_repeats():
    made = plan({"p": {"threads": list(range(1, 51)), "message_size": [16, 32, 64, 128, 256]}}, max_usd=100)
    assert [(r.field, r.value) for r in made.refusals] == [("scenarios", 500)]


def case_of(loaders):
    workload = workload_with(producers=40, consumers=40, warmup_s=1, measure_s=3, drain_s=60, client="boto3")
    return case_with(workload, case_id=f"p.{loaders}", target=SQS, loaders=loaders, limit_s=1)


def test_history_counts_run_legs_cases_and_loaders():
    events = execution_limits.history_events([case_of(1), case_of(40)])
    assert events == (
        execution_limits.HISTORY_PER_RUN
        + execution_limits.HISTORY_PER_QUERY * execution_limits.QUERIES
        + execution_limits.HISTORY_PER_LEG
        + 2 * execution_limits.HISTORY_PER_CASE
        + 41 * execution_limits.HISTORY_PER_LOADER
    )


def test_of_more_loaders_than_an_inline_map_runs_the_number_takes_no_events():
    inline, more, most = (execution_limits.history_events([case_of(loaders)]) for loaders in (40, 41, 100))
    assert (
        more
        == most
        == inline - 40 * execution_limits.HISTORY_PER_LOADER + execution_limits.HISTORY_OF_MANY_LOADERS
    )


def test_the_state_is_counted_in_bytes_of_json():
    assert execution_limits.state_bytes([["ä"]]) == len(b'[["\\u00e4"]]')
    assert execution_limits.fits([case_of(1)], [["x" * 1000]])
    assert not execution_limits.fits([case_of(1)], [["x" * execution_limits.STATE_BUDGET]])


def test_the_budgets_leave_some_of_what_the_service_allows():
    assert execution_limits.HISTORY_BUDGET * 4 <= 25_000 * 3
    assert execution_limits.STATE_BUDGET * 2 <= 256 * 1024


def test_a_run_over_the_budget_is_refused_on_aws_only():
    scenarios = {"l": {"mode": "load-unload", "messages": 50_000, "threads": 40}}
    (refusal,) = plan(scenarios, max_usd=0.01).refusals
    assert (refusal.field, refusal.value) == ("max_usd", 0.01)
    assert "would cost about $" in refusal.remedy
    assert plan(scenarios, max_usd=0.01, environment="local").refusals == []


def test_a_budget_that_cannot_be_checked_is_a_refusal(monkeypatch):
    monkeypatch.setattr(plan_module, "book_of", lambda region: lacking("states", "transition", region))
    made = make_plan(suite({"p": {"threads": 1}}), run_id="run-1", region="eu-west-1")
    (refusal,) = made.refusals
    assert "has no price of" in refusal.remedy
    assert "states/transition" in refusal.remedy
    assert made.estimate.unpriced


def test_a_region_without_a_book_is_bad_input():
    with pytest.raises(InputError, match="no such book"):
        make_plan(suite({"p": {"threads": 1}}), run_id="run-1", region="mars-1")
