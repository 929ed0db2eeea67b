"""Objects that need not be there, read in the roles of who reads them: S3 denies where it may not say so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError

from breakeven.errors import CaseError
from breakeven.instrument.program import Program
from breakeven.results import layout
from breakeven.results.items import case_item, loader_item
from breakeven.steps.case.fail_case import fail_unsettled
from breakeven.steps.case.watch import watch
from breakeven.steps.lane.establish_lane import raise_if_a_node_failed
from breakeven.steps.run.metric_queries import MetricOf, read_minutes
from breakeven.steps.run.price_run import kept_capacities
from breakeven.steps.run.read_metrics import read_metrics
from breakeven.steps.run.suite_advice import known_advice
from tests.support.aws.moto_server import moto_server
from tests.support.cases import case_with, workload_with
from tests.support.grants.enforced import BUCKET, enforced, roles_on_names

PAIR = "rabbitmq-mirrored-pair"
NODE = f"{layout.nodes_prefix('run', PAIR)}i-1"


@pytest.fixture(scope="module")
def aws(plain):
    """A simulated AWS that enforces the roles of the plain stack's template."""
    with moto_server() as server, enforced(server.aws.endpoint, roles_on_names(plain.template)) as found:
        yield found


@pytest.fixture(scope="module")
def case(aws):
    """A case of the instrument of which its one loader has ended, and left nothing."""
    made = case_with(workload_with(program=Program(protocol="amqp", messages=10)), target="instrument")
    aws.person.store.put_json(layout.case_key("run", "case"), made.model_dump(mode="json"))
    aws.person.state("run").update(case_item("case"), queues="[]", status="running")
    aws.person.state("run").update(loader_item("case", 1, 0), finished=True)
    return made


@pytest.mark.parametrize("role", ["WatchInVpc", "WatchOutside"])
def test_watch_sees_that_no_watch_before_it_has_left_samples(aws, case, role):
    services = aws.as_role(role)
    attempt = 1 if role == "WatchInVpc" else 2
    aws.person.state("run").update(loader_item("case", attempt, 0), finished=True)
    assert watch(services, "run", "case", attempt, 10.0).samples == 0
    assert services.store.find_json(layout.watch_key("run", "case", attempt)) == []


def test_await_nodes_sees_that_no_node_has_failed_and_why_one_has(aws):
    services = aws.as_role("AwaitNodes")
    raise_if_a_node_failed(services, "run", PAIR)
    aws.person.store.put_bytes(f"{NODE}.failed", b"no disk")
    with pytest.raises(CaseError, match="no disk"):
        raise_if_a_node_failed(services, "run", PAIR)


def test_fail_leg_sees_that_a_loader_of_the_instrument_has_left_no_record(aws, case):
    assert fail_unsettled(aws.as_role("FailLeg"), "run", ["case"], "the leg broke") == 1


@pytest.mark.parametrize("role", ["Plan", "FinishRun"])
def test_plan_and_finish_see_that_no_run_has_left_advice(aws, role):
    advice, damaged = known_advice(aws.as_role(role), "a-suite")
    assert (advice.suite, damaged) == ("a-suite", [])


def test_price_run_sees_that_no_case_and_no_run_has_left_a_capacity(aws):
    store = aws.as_role("PriceRun").store
    assert kept_capacities(store) == ()
    assert store.rows("probes", "run", "case") == []


def test_read_metrics_sees_that_a_case_of_a_service_was_not_watched_and_may_ask_cloudwatch(aws):
    case = case_with(workload_with(), run_id="unwatched", target="sqs-standard")
    plan = {"plan": {"cases": [case.model_dump(mode="json")]}}
    aws.person.store.put_json(layout.plan_key("unwatched"), plan)
    cloudwatch = aws.client("cloudwatch", "ReadMetrics")
    assert read_metrics(aws.as_role("ReadMetrics"), cloudwatch, "unwatched") == 0
    now = datetime.now(UTC)
    sent = MetricOf("AWS/SQS", "NumberOfMessagesSent", "Sum", (("QueueName", "queue"),))
    found = read_minutes(cloudwatch, [sent], round(now.timestamp()) - 60, round(now.timestamp()))
    assert found.values == {sent: {}}
    with pytest.raises(ClientError, match="cloudwatch:GetMetricData"):
        read_minutes(aws.client("cloudwatch", "PriceRun"), [sent], 0, 60)


def test_whoever_may_list_some_prefixes_is_not_told_that_an_object_is_missing(aws):
    """S3 evaluates the bucket's listing without a prefix: what is read without looking first is denied."""
    services = aws.as_role("WatchOutside")
    with pytest.raises(ClientError, match="s3:ListBucket on resource") as denied:
        services.store.get_bytes(f"{layout.run_prefix('run')}nothing")
    assert denied.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


@pytest.mark.parametrize(("role", "prefix"), [("WatchOutside", "secrets/"), ("AwaitNodes", "runs/")])
def test_nobody_lists_where_it_has_nothing_to_look_for(aws, role, prefix):
    s3 = aws.client("s3", role)
    for options in ({"Prefix": prefix}, {}):
        with pytest.raises(ClientError, match="AccessDenied"):
            s3.list_objects_v2(Bucket=BUCKET, **options)
