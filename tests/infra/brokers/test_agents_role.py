"""The agent on a node in the role that its node has: it does its work, and reaches nothing beyond it."""

from __future__ import annotations

import time

import pytest
from botocore.exceptions import ClientError

from breakeven.agent.bucket import Bucket, NodeOrders, Samples
from breakeven.agent.node_orders import FaultAnswer
from breakeven.results import layout
from breakeven.results.fault_orders import FaultOrder, FaultOrders
from tests.support.aws.moto_server import moto_server
from tests.support.grants.enforced import BUCKET, enforced, roles_on_names

RUN, TRIO, NODE, ROLE = "run", "rabbitmq-quorum-trio", "rabbit@ip-10-0-0-4", "role:BrokersNode"
ORDERS, SAMPLES = layout.faults_prefix(RUN, TRIO), layout.samples_prefix(RUN, TRIO)


@pytest.fixture(scope="module")
def aws(plain):
    """A simulated AWS that enforces the roles of the plain stack's template."""
    with moto_server() as server, enforced(server.aws.endpoint, roles_on_names(plain.template)) as found:
        yield found


@pytest.fixture(scope="module")
def bucket(aws) -> Bucket:
    return Bucket(aws.client("s3", ROLE), BUCKET)


def order(number: int, node: str | None = NODE) -> FaultOrder:
    return FaultOrder(
        case_id="case",
        attempt=1,
        number=number,
        kind="kill",
        aimed_at="leader",
        node=node,
        due_at_s=1.5,
        for_s=2.5,
        in_sync=True,
    )


def test_it_reads_its_nodes_orders_answers_them_and_leaves_others_alone(aws, bucket):
    given = FaultOrders(aws.person.store, RUN, TRIO)
    given.expect("case", 1, time.time() + 60)
    for each in (order(1), order(2, "rabbit@ip-10-0-0-5"), order(3, None)):
        given.give(each)
    mine = NodeOrders(bucket, ORDERS, NODE)
    assert list(mine.half_done()) == []
    found = mine.beyond(())
    assert [(each.kind, each.due_at_s, each.for_s) for each in found.values()] == [("kill", 1.5, 2.5)]
    answer = FaultAnswer(over=False, done_at_s=1.6)
    for each in found.values():
        mine.answer(each, answer)
    assert given.answered("case", 1) == {1: answer}
    assert mine.beyond(found.keys()) == {}


def test_one_that_begins_anew_finds_what_was_half_done_and_repeats_nothing(aws, bucket):
    given = FaultOrders(aws.person.store, "run-2", TRIO)
    for number, answer in (
        (1, FaultAnswer(over=False, done_at_s=1.6)),
        (2, FaultAnswer(over=True, error="x")),
    ):
        given.give(order(number))
        given.answer(order(number), answer)
    mine = NodeOrders(bucket, layout.faults_prefix("run-2", TRIO), NODE)
    half_done = list(mine.half_done())
    assert [answer for _, answer in half_done] == [FaultAnswer(over=False, done_at_s=1.6)]
    assert mine.beyond(()) == {}


def test_while_no_order_is_expected_it_looks_every_other_second(aws, bucket):
    given = FaultOrders(aws.person.store, "run-3", TRIO)
    mine = NodeOrders(bucket, layout.faults_prefix("run-3", TRIO), NODE)
    assert mine.beyond(()) == {}
    given.give(order(1))
    assert mine.beyond(()) == {}, "too early"
    time.sleep(2.1)
    assert len(mine.beyond(())) == 1


def test_it_leaves_samples_in_batches(aws, bucket):
    samples = Samples(bucket, f"{SAMPLES}{NODE}/")
    for second in range(12):
        samples.add({"at_s": 100.0 + second})
    assert aws.person.store.keys(SAMPLES) == [
        f"{SAMPLES}{NODE}/100-104.json.gz",
        f"{SAMPLES}{NODE}/105-109.json.gz",
    ]


@pytest.mark.parametrize(
    "key",
    [
        f"{ORDERS}case/a1/9.order.json",
        f"{ORDERS}case/a1/9.expected.json",
        f"{layout.run_prefix(RUN)}plan.json",
        layout.case_key(RUN, "case"),
        layout.watch_key(RUN, "case", 1),
        layout.row_key("nodes", RUN, "case"),
    ],
)
def test_it_writes_nothing_else(bucket, key):
    with pytest.raises(ClientError, match="AccessDenied"):
        bucket.write(key, b"{}", "application/json")


@pytest.mark.parametrize(
    "key", [layout.plan_key(RUN), layout.case_key(RUN, "case"), f"{SAMPLES}{NODE}/100-104.json.gz"]
)
def test_it_reads_nothing_else_and_not_its_own_samples(aws, bucket, key):
    if not aws.person.store.keys(key):
        aws.person.store.put_json(key, {})
    with pytest.raises(ClientError, match="AccessDenied"):
        bucket.read(key)


@pytest.mark.parametrize("prefix", ["", "runs/", layout.run_prefix(RUN), SAMPLES, "rows/"])
def test_it_lists_nothing_else(bucket, prefix):
    with pytest.raises(ClientError, match="AccessDenied"):
        bucket.keys(prefix)
