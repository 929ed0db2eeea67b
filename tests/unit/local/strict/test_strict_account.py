"""The simulated account: its plan and its quotas are told, and held."""

from __future__ import annotations

import threading

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from breakeven.planning.plan import make_plan
from breakeven.steps.run.account_capacity import account_of
from breakeven.workload.read import load_suite
from local.aws.strict import front
from local.aws.strict.front import Answer
from local.aws.strict.permissions.account_quotas import AccountLayer, SimulatedAccount
from local.aws.swaps import Swaps
from tests.support.aws.moto_server import REGION, moto_server

TRIO, PAIR = "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair"
#: opened yesterday. Lambda: 10, where its guide says "reduced concurrency" of new accounts ("Lambda quotas");
#: EC2: 5 vCPUs of standard instances (EC2 guide, "EC2 instance type quotas"); Fargate: 6 (General Reference,
#: "Amazon ECS endpoints and quotas", Fargate On-Demand vCPU resource count)
NEW = SimulatedAccount(functions=10, vcpus=5, task_vcpus=6)
ONCE = Config(retries={"total_max_attempts": 1})


@pytest.fixture(scope="module")
def moto():
    with moto_server() as server:
        yield server


@pytest.fixture
def simulated(moto, monkeypatch):
    """An account of the given plan and quotas, which boto3 finds as handlers do."""
    monkeypatch.setenv("BREAKEVEN_ZONES", f"{REGION}a,{REGION}b")
    with Swaps() as swaps:
        installed = []
        front.install(swaps, installed)

        def simulate(account, *layers):
            installed.extend((AccountLayer(account), *layers))

        yield simulate


def planned(account):
    """A run of many loaders in an account as the plan's function finds it."""
    return make_plan(load_suite("quick"), run_id="run-1", account=account)


def test_a_run_in_a_new_account_is_planned_to_fit_its_quotas(simulated):
    simulated(NEW)
    found = account_of(["m7g.large"], with_tasks=True)
    assert (found.functions, found.vcpus, found.task_vcpus, found.free_plan) == (10, 5.0, 6.0, False)
    made = planned(found)
    assert made.refusals == []
    assert max(case.loaders for case in made.cases) == 5
    assert any("5 loaders and not 10" in note for note in made.loader_notes)
    assert {case.machines.instance_type for case in made.cases if case.machines} == {"m7g.medium"}
    assert any("nodes are m7g.medium and not m7g.large" in note for note in made.machine_notes)
    assert made.lanes_at_once == 1, (
        "five loaders of a lane and what runs beside them are all of its functions"
    )


def test_a_run_in_an_account_on_the_free_plan_is_refused_before_anything_is_launched(simulated):
    simulated(SimulatedAccount(plan="FREE"))
    reasons = planned(account_of(["m7g.large"])).refusals
    assert [(each.field, each.value) for each in reasons] == [
        (f"targets.{TRIO}", "m7g.large"),
        (f"targets.{PAIR}", "m7g.large"),
    ]
    assert "upgrade the account to the paid plan" in reasons[0].remedy


def launch(count: int, **more):
    ec2 = boto3.client("ec2", config=ONCE)
    return ec2.run_instances(ImageId="ami-12c6146b", MinCount=count, MaxCount=count, **more)["Instances"]


def terminate(instances):
    boto3.client("ec2").terminate_instances(InstanceIds=[one["InstanceId"] for one in instances])


def test_ec2_launches_on_the_free_plan_only_what_is_eligible(simulated):
    simulated(SimulatedAccount(plan="FREE"))
    with pytest.raises(ClientError, match=r"InvalidParameterCombination.*not eligible for Free Tier"):
        launch(1, InstanceType="m7g.large")
    launched = launch(1, InstanceType="t3.micro")
    assert len(launched) == 1
    terminate(launched)


def test_ec2_launches_as_many_vcpus_as_the_account_has_and_those_that_are_gone_count_no_more(simulated):
    simulated(NEW)
    first = launch(2, InstanceType="m7g.large")
    with pytest.raises(ClientError, match="VcpuLimitExceeded"):
        launch(1, InstanceType="m7g.large")
    terminate(first)
    second = launch(1, InstanceType="m7g.large")
    assert len(second) == 1
    terminate(second)


def test_a_function_over_the_accounts_concurrency_is_refused_and_does_not_run(simulated, moto):
    entered, leave = threading.Semaphore(0), threading.Event()
    ran = []

    def run(request, pass_on):
        if request.operation != "lambda:Invoke":
            return pass_on(request)
        ran.append(request)
        entered.release()
        leave.wait(10)
        return Answer.of(200, "application/json", b"{}")

    simulated(SimulatedAccount(functions=2), run)
    client = boto3.client("lambda", config=ONCE)
    client_calls = [threading.Thread(target=lambda: client.invoke(FunctionName="f")) for _ in range(2)]
    for each in client_calls:
        each.start()
    assert entered.acquire(timeout=10)
    assert entered.acquire(timeout=10)
    with pytest.raises(ClientError, match="TooManyRequestsException"):
        client.invoke(FunctionName="f")
    leave.set()
    for each in client_calls:
        each.join()
    assert len(ran) == 2
    assert client.invoke(FunctionName="f")["StatusCode"] == 200
