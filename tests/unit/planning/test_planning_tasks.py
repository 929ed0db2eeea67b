"""Loaders as tasks: which cases have them, what they cost, and what an account cannot run."""

from __future__ import annotations

from math import ceil

import pytest

from breakeven.errors import InputError
from breakeven.planning import execution_limits, run_deadline
from breakeven.planning.budget import durations
from breakeven.planning.budget.allowance import Allowance
from breakeven.planning.budget.task_lines import endpoints
from breakeven.planning.loaders.fargate import may_have_tasks
from breakeven.planning.machine_availability import Account
from breakeven.planning.plan import Plan, make_plan
from breakeven.steps.run.plan_run import _endpoints
from breakeven.workload.read import load_suite, parse_suite

SQS, PAIR = "sqs-standard", "rabbitmq-mirrored-pair"
ALLOWED = Allowance(max_sqs_usd=10_000)


def suite(scenario, targets=(SQS, PAIR), **changes):
    document = {"suite": "long", "title": "Long", "targets": list(targets), "instrument": False, **changes}
    return parse_suite({**document, "scenarios": {"p": {"threads": 1, **scenario}}}, "long.yaml")


def planned(scenario, account=None, environment="aws", **changes) -> Plan:
    return make_plan(
        suite(scenario, **changes),
        run_id="run-1",
        region="eu-west-1",
        environment=environment,
        max_usd=10_000,
        allowance=ALLOWED,
        account=account or Account(),
    )


def kinds(plan: Plan) -> set[str]:
    return {case.loader for case in plan.cases if case.target != "instrument"}


#: measure_s at which a loader needs 830 s, the most that it may: 8 s to the start, 2 of warm-up, 300 of drain
MOST_S = 830 - 8 - 2 - 300


@pytest.mark.parametrize(("measure_s", "kind"), [(MOST_S, "lambda"), (MOST_S + 1, "fargate")])
def test_a_case_has_tasks_as_soon_as_a_function_would_not_last(measure_s, kind):
    made = planned({"measure_s": measure_s})
    assert kinds(made) == {kind}
    assert {ref.loader for legs in made.rounds for leg in legs for ref in leg.cases} == {kind}
    assert made.refusals == []


def test_a_search_that_is_to_be_confirmed_for_ten_minutes_has_tasks_and_is_priced_with_them():
    search = {"mode": "capacity", "rate": 1000}
    brief = planned(search, targets=[PAIR])
    longer = planned({**search, "confirm_s": 600}, targets=[PAIR])
    assert (kinds(brief), kinds(longer)) == ({"lambda"}, {"fargate"})
    (before,), (after,) = brief.cases, longer.cases
    more_s = 2 + 600 + durations.BETWEEN_PROBES_S + durations.OVERHEADS["aws"].task_start
    assert after.expected_s - before.expected_s == pytest.approx(more_s)
    assert longer.estimate.usd > brief.estimate.usd
    refused = planned({**search, "confirm_s": 600, "loader": "lambda"}, targets=[PAIR])
    (found,) = refused.refusals
    assert (found.field, found.value) == ("scenarios.p.confirm_s", 600)
    assert "s fit, or loader: fargate" in found.remedy


def test_the_plan_says_why():
    made = planned({"measure_s": 2000})
    assert made.loader_notes == [
        f"p, threads=1 on {target}: 1 loader as a task of Fargate, because a loader may need 38 min "
        "and a function may run for 14 min."
        for target in (SQS, PAIR)
    ]
    (just,) = planned({"measure_s": MOST_S + 1}, targets=[PAIR]).loader_notes
    assert just.endswith("because a loader may need 831 s and a function may run for 830 s.")
    asked = planned({"loader": "fargate", "threads": 40}, targets=[PAIR])
    assert asked.loader_notes == [
        f"p, threads=40 on {PAIR}: 10 loaders as tasks of Fargate, as the suite says."
    ]
    assert planned({}).loader_notes == []


@pytest.mark.parametrize("environment", ["aws", "local"])
def test_the_long_loads_of_2012_are_tasks_and_not_refused_for_their_length(environment):
    made = make_plan(load_suite("sqs-vs-rabbitmq-2012"), run_id="run-1", environment=environment)
    tasks = [case for case in made.cases if case.loader == "fargate"]
    assert {case.scenario for case in tasks} == {"load-unload"}
    assert not [refusal for refusal in made.refusals if "a loader may take" in refusal.remedy]


def test_the_suites_own_word_stands_at_either_layer_and_the_scenarios_is_nearer():
    assert kinds(planned({"loader": "fargate"})) == {"fargate"}
    assert kinds(planned({}, defaults={"loader": "fargate"})) == {"fargate"}
    assert kinds(planned({"loader": "lambda"}, defaults={"loader": "fargate"})) == {"lambda"}
    refused = planned({"loader": "lambda", "measure_s": 2000}).refusals
    assert {(each.field, each.value) for each in refused} == {("scenarios.p.measure_s", 2000.0)}
    assert all(each.remedy.endswith("or loader: fargate") for each in refused)


def test_another_word_is_refused():
    with pytest.raises(InputError, match=r"scenarios.p.loader: 'ecs': must be one of lambda, fargate"):
        suite({"loader": "ecs"})


def test_the_instrument_is_measured_by_functions():
    made = planned({}, defaults={"loader": "fargate"}, instrument=True)
    assert {case.loader for case in made.cases if case.target == "instrument"} == {"lambda"}


def test_a_task_may_take_what_its_stages_can_and_tasks_have_longer_to_start():
    (case,) = planned({"measure_s": 3000, "drain_s": 600}, targets=[PAIR]).cases
    # 8 s to the start, 2 of warm-up, both stages, 300 to start, 10 to close: in whole minutes
    assert case.limit_s == ceil((8 + 2 + 3000 + 600 + 300 + 10) / 60) * 60
    assert case.start_deadline_s == 300
    (short,) = planned({"loader": "fargate"}, targets=[PAIR]).cases
    assert short.limit_s == durations.LOADER_LIMIT_S
    (load,) = planned({"mode": "load-unload", "messages": 2_000_000, "threads": 5}, targets=[PAIR]).cases
    expected_s = 8 + 2_000_000 / 1875 + 2_000_000 / 1293
    assert load.limit_s == ceil((1.5 * expected_s + 310) / 60) * 60
    (function,) = planned({}, targets=[PAIR]).cases
    assert (function.limit_s, function.start_deadline_s) == (840, 60)


def test_the_deadline_leaves_the_longest_case_its_time():
    made = planned({"measure_s": 3000}, targets=[PAIR])
    (case,) = made.cases
    assert made.deadline_s == pytest.approx(1.5 * made.estimate.seconds + 1800 + case.limit_s - 840, abs=1)
    # begun when the cases before it have taken half as long again as expected, it is still begun
    latest_s = made.deadline_s - run_deadline.overtime_s(case)
    assert latest_s >= 1.5 * (made.estimate.seconds - case.expected_s)


def test_cases_that_the_machine_of_twelve_hours_cannot_hold_are_refused():
    (refusal,) = planned({"measure_s": 10_800, "threads": [1, 2, 3]}, targets=[PAIR]).refusals
    assert refusal.field == "scenarios"
    assert "it is stopped after 12 h" in refusal.remedy
    assert planned({"measure_s": 10_800}, targets=[PAIR]).refusals == []


def test_a_watch_is_called_again_for_each_14_minutes_of_a_task():
    (case,) = planned({"measure_s": 3000}, targets=[PAIR]).cases
    assert execution_limits.watches(case) == ceil((case.limit_s + 300) / 840) == 5
    (function,) = planned({}, targets=[PAIR]).cases
    assert execution_limits.watches(function) == 1
    more = execution_limits.history_events([case]) - execution_limits.history_events([function])
    assert (
        more
        == 4 * execution_limits.HISTORY_PER_WATCH
        + execution_limits.HISTORY_PER_TASK
        - execution_limits.HISTORY_PER_LOADER
    )


@pytest.mark.parametrize(
    ("targets", "names"),
    [([PAIR], ["ecr.api", "ecr.dkr", "logs"]), ([SQS, PAIR], ["ecr.api", "ecr.dkr", "logs", "sqs"])],
)
def test_endpoints_are_those_that_the_targets_tasks_call(targets, names):
    assert endpoints(planned({"loader": "fargate"}, targets=targets).cases) == names
    assert endpoints(planned({}, targets=targets).cases) == []


def test_a_run_that_goes_on_makes_none_for_cases_that_are_settled():
    made = planned({"loader": "fargate"})
    assert _endpoints(made) == ["ecr.api", "ecr.dkr", "logs", "sqs"]
    assert _endpoints(made.model_copy(update={"rounds": []})) == []


# -- what the account may run


def loaders(plan: Plan) -> set[int]:
    return {case.loaders for case in plan.cases}


@pytest.mark.parametrize("vcpus", [None, 10, 1000])
def test_where_there_are_enough_vcpus_or_it_is_not_known_nothing_changes(vcpus):
    made = planned({"threads": 40, "loader": "fargate"}, Account(task_vcpus=vcpus))
    assert (loaders(made), made.refusals) == ({10}, [])


def test_a_new_account_gets_as_many_tasks_as_it_may_run_and_is_reported_so():
    made = planned({"threads": 40, "loader": "fargate"}, Account(task_vcpus=6))
    assert (loaders(made), made.refusals) == ({6}, [])
    assert made.loader_notes[0] == (
        f"p, threads=40 on {SQS}: 6 loaders and not 10, as the account may run 6 vCPUs of Fargate at once, "
        "and a loader has 1. Its figures may be lower bounds; ask AWS for more of quota L-3032A538 of "
        "Fargate in Service Quotas."
    )
    assert loaders(planned({"threads": 40}, Account(task_vcpus=6))) == {10}, "functions have another quota"


def test_a_count_of_the_suites_own_is_refused_where_it_can_never_run():
    scenario = {"threads": 40, "loaders": 20, "loader": "fargate"}
    refused = planned(scenario, Account(task_vcpus=6)).refusals
    assert {(each.field, each.value) for each in refused} == {("scenarios.p.loaders", 20)}
    assert "6 loaders fit, or ask AWS for more of quota L-3032A538" in refused[0].remedy
    (reason, *_) = planned({"loader": "fargate"}, Account(task_vcpus=0)).refusals
    assert "too few for any case" in reason.remedy


def test_more_hours_of_loaders_than_one_settling_can_hold_are_refused():
    scenario = {"threads": 40, "measure_s": 10_690, "drain_s": 300, "loaders": 13}
    # 11,000 s each: 143,000 loader-seconds of 150,000
    assert planned(scenario, targets=[PAIR]).refusals == []
    (refusal,) = planned({**scenario, "loaders": 14}, targets=[PAIR]).refusals
    assert (refusal.field, refusal.value) == ("scenarios.p.loaders", 14)
    assert "than one settle step can hold; ask for 13 loaders at most" in refusal.remedy


@pytest.mark.parametrize(("vcpus", "lanes"), [(None, 2), (20, 2), (19, 1)])
def test_lanes_are_up_together_as_far_as_their_tasks_may_run(vcpus, lanes):
    made = planned({"threads": 40, "loader": "fargate"}, Account(task_vcpus=vcpus))
    assert made.lanes_at_once == lanes


def test_tasks_take_nothing_of_lambdas_quota():
    made = planned({"threads": 40, "loader": "fargate"}, Account(functions=10))
    assert (loaders(made), made.refusals, made.lanes_at_once) == ({10}, [], 2)


def test_the_account_is_asked_about_tasks_where_there_may_be_some():
    assert may_have_tasks(suite({"loader": "fargate"}))
    assert may_have_tasks(suite({"measure_s": 2000}))
    assert not may_have_tasks(suite({}))
    assert not may_have_tasks(suite({"queues": 5}))  # refused by the plan itself


# -- money, in eu-west-1: 1,000 messages a second for 1,000 s by two loaders on each target


def lines(**account) -> dict[str, tuple[float, float]]:
    """Item -> units and dollars, of those that tasks bring."""
    scenario = {"rate": 1000, "measure_s": 998, "loaders": 2, "threads": 2, "loader": "fargate"}
    made = planned(scenario, Account(**account))
    wanted = ("fargate", "network", "codebuild")
    return {
        f"{line.service}/{line.item}": (line.quantity, line.usd)
        for line in made.estimate.lines
        if line.service in wanted and line.item != "cross_zone_gb"
    }


def test_the_lines_by_hand():
    found = lines()
    # two consumers of SQS, ten calls each, settle 1,000 a second, and the pair's two, with 200 messages in
    # hand each, more than that: nothing is left to drain
    lane_s = 45 + 8 + 1000
    hours = 2 * (lane_s + lane_s) / 3600
    assert found["fargate/vcpu_hour_arm"] == pytest.approx((hours, hours * 0.03238), rel=1e-3)
    assert found["fargate/gb_hour_arm"] == pytest.approx((2 * hours, 2 * hours * 0.00356), rel=1e-3)
    # four services in two zones; the run takes about 20 min, and begun hours are whole ones
    assert found["network/endpoint_hour"] == pytest.approx((8, 8 * 0.011))
    gb = 2 * 1_000_000 * 1024 / 2**30
    assert found["network/endpoint_gb"] == pytest.approx((gb, gb * 0.01))
    assert found["codebuild/arm_small_minute"] == pytest.approx((4, 4 * 0.0034))


def test_an_image_that_is_built_is_not_paid_for_again():
    assert "codebuild/arm_small_minute" not in lines(image_built=True)
    assert "codebuild/arm_small_minute" in lines(image_built=False)
    built, missing = (planned({"loader": "fargate"}, Account(image_built=one)) for one in (True, False))
    assert missing.estimate.seconds - built.estimate.seconds == 240


def test_a_task_is_billed_a_minute_at_least():
    made = planned({"loader": "fargate", "warmup_s": 0, "measure_s": 1, "drain_s": 1}, targets=[PAIR])
    (line,) = [line for line in made.estimate.lines if line.item == "vcpu_hour_arm"]
    assert line.quantity == pytest.approx(60 / 3600)


def test_functions_are_not_paid_for_where_loaders_are_tasks_and_nothing_else_without_tasks():
    def of(plan):
        return {f"{line.service}/{line.item}": line.quantity for line in plan.estimate.lines}

    tasks, functions = of(planned({"loader": "fargate"})), of(planned({}))
    assert tasks["lambda/gb_second_arm"] < functions["lambda/gb_second_arm"]
    assert tasks.keys() - functions.keys() == {
        "fargate/vcpu_hour_arm",
        "fargate/gb_hour_arm",
        "network/endpoint_hour",
        "network/endpoint_gb",
        "codebuild/arm_small_minute",
    }
    # what is made before the first lane
    assert tasks["states/transition"] == functions["states/transition"] + 5
