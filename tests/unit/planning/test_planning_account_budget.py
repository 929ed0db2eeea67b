"""What a plan may spend on AWS: refused with field, value and remedy, and no input gets around it."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.budget.allowance import Allowance, allowance_of
from breakeven.planning.budget.budget import sqs_requests_at_most
from breakeven.planning.plan import make_plan
from breakeven.steps.run.plan_run import check_surroundings, plan_of
from breakeven.steps.run.run_input import parse_run_input, suite_of
from breakeven.workload.read import load_suite, parse_suite, scenarios, shipped_suites


def suite(scenarios, **changes):
    base = {"suite": "mine", "title": "A suite", "targets": ["sqs-standard"], "scenarios": scenarios}
    return parse_suite({**base, "instrument": False, "warm_up": False, **changes}, "mine.yaml")


def refusals(scenarios, *, max_usd=20.0, environment="aws", allowance=None, **changes):
    made = make_plan(
        suite(scenarios, **changes),
        run_id="run-1",
        environment=environment,
        max_usd=max_usd,
        allowance=allowance or Allowance(),
    )
    return [(r.field, r.value, r.remedy) for r in made.refusals]


def test_over_the_budget_is_refused_with_the_estimate_by_line():
    ((field, value, remedy),) = refusals(
        {"l": {"mode": "load-unload", "messages": 50_000, "threads": 40}}, max_usd=0.01
    )
    assert (field, value) == ("max_usd", 0.01)
    # 150,000 requests; ten loaders for 50,000 / 4,000 + 50,000 / 2,000 + 8 s, half a GB for one and 10 s
    assert remedy.startswith(
        "the run would cost about $0.0781 (SQS requests $0.0600; functions, memory $0.0109; "
        "results, written $0.0024; workflow $0.0020; metrics $0.0012; "
    )
    # a quarter more; its messages are as many however fast SQS is
    assert remedy.endswith(
        "), and up to $0.0976 where the estimate errs; raise it, or run fewer or shorter cases"
    )


def test_a_budget_is_not_passed_by_an_estimate_that_is_too_low():
    """A closed loop sends twice as much where SQS answers in 5 ms and not in 10."""
    scenarios = {"p": {"threads": 10, "warmup_s": 0, "measure_s": 500, "drain_s": 60, "wait_s": 20}}
    plan = make_plan(suite(scenarios), run_id="run-1")
    estimate = plan.estimate
    requests = next(line.usd for line in estimate.lines if line.what == "SQS requests")
    assert requests == pytest.approx(10 * 100 * 500 * 3 * 0.4e-6, rel=1e-6)
    most = 1.25 * estimate.usd + requests
    assert refusals(scenarios, max_usd=most + 0.001) == []
    ((field, _, remedy),) = refusals(scenarios, max_usd=most - 0.001)
    assert field == "max_usd"
    assert f"and up to ${most:.4f}" in remedy


def test_the_refusal_is_the_same_here_and_on_aws():
    """Locally by ``breakeven plan``, there by the plan function of what an execution was given."""
    here = make_plan(load_suite("quick"), run_id="plan", region="eu-west-1", max_usd=0.01)
    wanted = parse_run_input({"suite": "quick", "region": "eu-west-1", "max_usd": 0.01})
    there = plan_of(wanted, suite_of(wanted), "run-1", allowance=allowance_of({}))
    with pytest.raises(InputError) as of_here:
        here.raise_if_refused()
    with pytest.raises(InputError) as of_there:
        there.raise_if_refused()
    assert str(of_here.value) == str(of_there.value)


def test_requests_at_most_count_what_is_never_found():
    # 2 senders and 3 consumers at 200 calls a second: 17 s sending, 20 s more asking; one chunk each
    scenario = {"producers": 2, "consumers": 3, "warmup_s": 2, "measure_s": 15, "drain_s": 20}
    (case,) = make_plan(suite({"p": {**scenario, "message_size": 1024}}), run_id="r").cases
    sends = 2 * 200 * 17
    assert sqs_requests_at_most(case) == 3 * sends + 3 * 200 * 37
    (large,) = make_plan(suite({"p": {**scenario, "message_size": 65_537}}), run_id="r").cases
    assert sqs_requests_at_most(large) == 5 * sends + 3 * 200 * 37
    (polling,) = make_plan(suite({"p": {**scenario, "rate": 100, "wait_s": 20}}), run_id="r").cases
    asks = polling.workload.in_flight * 3 * 37 / 20
    assert sqs_requests_at_most(polling) == pytest.approx(3 * 100 * 17 + asks)


def test_only_sqs_is_billed_by_the_request():
    (case,) = make_plan(suite({"p": {"threads": 40}}, targets=["rabbitmq-mirrored-pair"]), run_id="r").cases
    assert sqs_requests_at_most(case) == 0


def test_what_sqs_could_cost_is_refused_above_the_deployments_limit_whatever_max_usd_says():
    scenarios = {"p": {"threads": 40, "measure_s": 400}}
    assert refusals(scenarios, max_usd=1e6) == []
    ((field, value, remedy),) = refusals(scenarios, max_usd=1e6, allowance=Allowance(max_sqs_usd=5))
    assert (field, value) == ("deployed.max_sqs_usd", 5)
    # 40 x 200 x 402 sent, received and deleted, 40 x 200 x 702 asked in vain
    assert "could cost $6.11 (15,264,000 at most)" in remedy
    assert "only a new deployment raises this" in remedy


@pytest.mark.parametrize(
    ("scenario", "field", "value"),
    [
        ({"threads": 5, "rate": 501}, "scenarios.p.rate", 501),
        ({"threads": 5, "rate": [100, 700]}, "scenarios.p.rate", 700),
        (
            {"threads": 5, "rate": 100, "profile": [{"rate": 900, "for_s": 5}]},
            "scenarios.p.profile",
            900,
        ),
    ],
)
def test_a_rate_above_the_deployments_is_refused_where_it_is_asked_for(scenario, field, value):
    ((found, rate, remedy),) = refusals({"p": scenario}, allowance=Allowance(max_msg_per_s=500))
    assert (found, rate) == (field, value)
    assert "this deployment allows 500 msg/s" in remedy
    assert refusals({"p": scenario}, allowance=Allowance(max_msg_per_s=value)) == []


def test_one_machine_is_held_to_nothing():
    scenarios = {"p": {"threads": 5, "rate": 501}}
    frugal = Allowance(max_msg_per_s=1, max_sqs_usd=0, suites=())
    assert refusals(scenarios, environment="local", max_usd=0.01, allowance=frugal) == []
    wanted = parse_run_input({"suite": "quick", "surroundings": {"name": "local"}})
    assert plan_of(wanted, suite_of(wanted), "run-1", allowance=frugal).refusals == []


def test_an_account_cannot_be_called_one_machine():
    wanted = parse_run_input({"surroundings": {"name": "local"}})
    check_surroundings(wanted, simulated=True)
    with pytest.raises(InputError, match=r"surroundings\.name: 'local': .*leave surroundings out"):
        check_surroundings(wanted, simulated=False)


@pytest.mark.parametrize(
    ("given", "value"),
    [("capacity", "capacity"), ({"suite": "quick", "title": "so called"}, "a whole suite, quick")],
)
def test_a_suite_that_the_deployment_does_not_run_is_refused_with_those_that_it_does(given, value):
    with pytest.raises(InputError) as caught:
        Allowance(suites=("quick",)).check_suite(given)
    assert (caught.value.field, caught.value.value) == ("suite", value)
    assert "this deployment runs quick" in caught.value.remedy
    Allowance(suites=("quick",)).check_suite("quick")
    Allowance().check_suite(given)


def test_the_plan_asks_before_it_expands_anything():
    wanted = parse_run_input({"suite": "quick"})
    with pytest.raises(InputError, match="this deployment runs capacity"):
        plan_of(wanted, suite_of(wanted), "run-1", allowance=Allowance(suites=("capacity",)))


@pytest.mark.parametrize(
    "allowance", [Allowance(), Allowance(max_msg_per_s=0.5, max_sqs_usd=0, suites=("quick", "capacity"))]
)
def test_an_allowance_survives_the_functions_environment(allowance):
    assert allowance_of(allowance.environment()) == allowance


def test_without_variables_the_limits_are_the_defaults_and_nonsense_is_refused():
    assert allowance_of({}) == Allowance()
    for text in ("lots", "nan", "-1", "inf", ""):
        with pytest.raises(InputError, match="BREAKEVEN_MAX_SQS_USD"):
            allowance_of({"BREAKEVEN_MAX_SQS_USD": text})


#: what shipped suites need more of on AWS than a deployment and a run have by default
NEEDS = {
    "cluster-sizing": {"allowance": Allowance(max_msg_per_s=40_000), "max_usd": 130.0},
    "rate-ladder": {"allowance": Allowance(max_msg_per_s=40_000)},
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_suite_that_needs_more_than_the_defaults_says_so_and_is_refused_without(name):
    assert make_plan(load_suite(name), run_id="run-1", **NEEDS[name]).refusals == []
    refused = make_plan(load_suite(name), run_id="run-1").refusals
    assert {refusal.field.rsplit(".", 1)[-1] for refusal in refused} <= {"rate", "profile", "max_usd"}
    text = shipped(name)
    assert "-c breakeven:max_msg_per_s=40000" in text
    assert ("max_usd" in NEEDS[name]) == (f"--max-usd {NEEDS[name].get('max_usd', 0):g}" in text)


def shipped(name):
    return (scenarios() / f"{name}.yaml").read_text(encoding="utf-8")


def test_every_other_shipped_suite_keeps_to_the_defaults_at_the_scale_that_fits():
    for name in sorted(set(shipped_suites()) - NEEDS.keys()):
        made = make_plan(load_suite(name), run_id="run-1", scale=0.1)
        here = [each for each in made.refusals if "before Amazon SQS itself none is built" in each.remedy]
        assert made.refusals == here, name
        assert bool(here) == (name == "sqs-faults"), "which runs on one machine alone"
