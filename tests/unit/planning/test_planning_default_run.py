"""The default run on AWS, ``{}``: what it measures, and its dollars and hours against a computation by hand.

By hand: the suite's cells, what a call to SQS takes (10 ms), and what a worker and a cluster of m7g.large
carry. Prices are us-east-1's list prices, written down here again.
"""

from __future__ import annotations

from collections import Counter

import pytest

from breakeven.planning.execution_limits import METRICS_WAIT_S
from breakeven.planning.machine_availability import ANY_ACCOUNT, Account
from breakeven.planning.plan import Plan, make_plan
from breakeven.steps.run.run_input import parse_run_input, suite_of
from breakeven.targets.catalog import INSTRUMENT
from tests.support.money.traffic_by_hand import moved, usd

SQS, TRIO, PAIR = "sqs-standard", "rabbitmq-quorum-trio", "rabbitmq-mirrored-pair"
MANAGED = "amazon-mq-cluster"
#: EC2's vCPUs of standard instances, Lambda's concurrent executions and Fargate's vCPUs of a new account
NEW_ACCOUNT = Account(vcpus=5, functions=10, task_vcpus=6)
REPEATS = 2
#: of a latency, warm-up and stage; of a closed loop
LATENCY_S, CLOSED_S = 2 + 110, 2 + 15
RATES = (10, 100, 1000)
#: of a search: seven rates of five seconds and five of a minute, each with its warm-up, and 2.5 s after each
#: and 8 s before the first
OFFERED_S = 7 * (2 + 5) + 5 * (2 + 60)
SEARCH_S = 8 + OFFERED_S + 12 * 2.5
#: of each case, around what its loaders do; and from a loader's start until all begin
AROUND_S, GATE_S = 13, 8
#: workers of closed loops: one thread, and five
CLOSED = 1 + 5


def planned(account: Account = ANY_ACCOUNT, region: str = "us-east-1") -> Plan:
    return make_plan(suite_of(parse_run_input({})), run_id="run-1", region=region, account=account)


def sqs_usd() -> float:
    """Three calls a message; in batches a receive each, and sends and deletes as far as 50 ms fill them."""
    offered = {rate: rate * LATENCY_S for rate in RATES}
    single = 3 * (sum(offered.values()) + CLOSED * CLOSED_S * 100)
    fill = {10: 1 + 10 * 0.05, 100: 1 + 50 * 0.05, 1000: 10}
    batched = sum(offered[rate] * (1 + 2 / fill[rate]) for rate in RATES)
    return REPEATS * (single + batched) * 0.40e-6


def cluster_s(open_s: float) -> float:
    """Seconds of a cluster: it opens and closes; a case with a node down takes 210 s more."""
    latency = len(RATES) * (AROUND_S + GATE_S + LATENCY_S)
    searches = 2 * (AROUND_S + GATE_S + SEARCH_S) + 210
    closed = 2 * (AROUND_S + GATE_S + CLOSED_S + 4)
    return open_s + 20 + REPEATS * (latency + searches + closed)


def managed_s() -> float:
    """Seconds of Amazon MQ's cluster, which takes 21 minutes to be created."""
    each = AROUND_S + GATE_S
    return 1260 + 20 + REPEATS * (len(RATES) * (each + LATENCY_S) + each + SEARCH_S)


def managed_usd() -> float:
    return 0.8202 * managed_s() / 3600


def brokers_usd() -> float:
    return 0.0816 * (3 * cluster_s(270) + 2 * cluster_s(240)) / 3600


def loaders_s() -> float:
    """Of one repeat: a second loader from nine workers on."""
    closed_s = GATE_S + CLOSED_S
    # eight consumers, ten calls each, receive more than the 1,000 a second that come: there is no drain
    sqs_s = 7 * (GATE_S + LATENCY_S) + 3 * (closed_s + 8.5)
    cluster_s = 4 * (GATE_S + LATENCY_S) + 2 * (GATE_S + SEARCH_S) + 3 * (closed_s + 4)
    managed_s = 4 * (GATE_S + LATENCY_S) + GATE_S + SEARCH_S
    return sqs_s + 2 * cluster_s + managed_s


def functions_usd() -> float:
    """Loaders of 1,769 MB, and half a GB for watch and steps."""
    closed_s = GATE_S + CLOSED_S
    watched_s = 6 * (GATE_S + LATENCY_S) + 2 * (closed_s + 8.5)
    watched_s += 2 * (3 * (GATE_S + LATENCY_S) + 2 * (GATE_S + SEARCH_S) + 2 * (closed_s + 4))
    watched_s += 3 * (GATE_S + LATENCY_S) + GATE_S + SEARCH_S
    steps_s = 10 * (8 + 2 * 7 + 4)
    gb_s = loaders_s() * 1.7276 + (watched_s + steps_s) * 0.5
    return REPEATS * gb_s * 13.3334e-6


def written_usd() -> float:
    """A checkpoint of each loader each second; of each node's agent a look each 2 s and samples each 5 s."""
    agents_s = 3 * cluster_s(270) + 2 * cluster_s(240)
    return (REPEATS * loaders_s() + agents_s * (1 / 2 + 1 / 5)) * 5e-6


def zones_usd() -> float:
    """4.5 crossings of a message of the pair and 2.8 of the trio, both directions: searches above all.

    Two of three pairs of the trio's nodes have a zone between them. Of Amazon MQ's, publishes and deliveries
    of the half of clients in another zone.
    """
    search, latency = OFFERED_S * 6000, sum(RATES) * LATENCY_S
    own = 2 * search + latency + CLOSED * CLOSED_S * 375
    of_pair = moved(1024, mirrored=2.5, clients=1, hops=1)
    of_trio = moved(1024, copies=2 * 2 / 3, clients=1, hops=(2 / 3) * (2 / 3))
    return REPEATS * (usd(own, of_pair + of_trio) + usd(search + latency, moved(1024, clients=1)))


def test_the_default_run_measures_every_option_at_three_rates_and_what_each_cluster_carries():
    cases = [case for case in planned().cases if case.target != INSTRUMENT]
    open_loops = Counter(
        (case.target, case.workload.send_batch, case.workload.rate)
        for case in cases
        if case.workload.is_open and case.workload.mode == "parallel"
    )
    options = [(SQS, 1), (SQS, 10), (TRIO, 1), (PAIR, 1), (MANAGED, 1)]
    assert open_loops == {(*option, rate): REPEATS for option in options for rate in RATES}
    batched = [case.workload for case in cases if case.workload.send_batch == 10]
    assert {(each.receive_batch, each.delete_batch) for each in batched} == {(10, 10)}
    searches = Counter(
        (case.target, case.workload.nodes_down) for case in cases if case.workload.mode == "capacity"
    )
    own = {(target, down): REPEATS for target in (TRIO, PAIR) for down in (0, 1)}
    assert searches == own | {(MANAGED, 0): REPEATS}


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1"])
@pytest.mark.parametrize("account", [ANY_ACCOUNT, NEW_ACCOUNT], ids=["any", "new"])
def test_the_default_run_takes_at_most_ten_dollars_and_two_and_a_half_hours(account, region):
    made = planned(account, region)
    assert made.refusals == []
    assert made.estimate.unpriced == []
    assert made.estimate.usd <= 10
    assert made.estimate.seconds <= 2.5 * 3600


def test_the_default_run_takes_as_long_as_its_longest_lane():
    by_hand = cluster_s(270) + 60 + 83 + METRICS_WAIT_S
    assert planned().estimate.seconds == pytest.approx(by_hand, rel=0.02)


def test_in_a_new_account_the_default_run_has_smaller_nodes_and_says_so():
    made = planned(NEW_ACCOUNT)
    types = {case.target: case.machines.instance_type for case in made.cases if case.machines}
    assert types == {TRIO: "m7g.medium", PAIR: "m7g.medium", MANAGED: "mq.m7g.large"}
    (note,) = made.machine_notes
    assert "nodes are m7g.medium and not m7g.large, as the account may run 5 vCPUs" in note
    assert planned().machine_notes == []


@pytest.mark.parametrize(
    ("line", "by_hand"),
    [
        ("SQS requests", sqs_usd()),
        ("broker instances", brokers_usd()),
        ("Amazon MQ, cluster.mq.m7g.large", managed_usd()),
        ("functions, memory", functions_usd()),
        ("traffic across zones", zones_usd()),
        ("results, written", written_usd()),
    ],
)
def test_each_line_of_more_than_ten_cents_is_within_a_tenth_of_it(line, by_hand):
    (found,) = [each.usd for each in planned().estimate.lines if each.what == line]
    assert by_hand > 0.1
    assert found == pytest.approx(by_hand, rel=0.1)


def test_the_estimate_of_the_default_run_is_within_a_tenth_of_a_computation_by_hand():
    by_hand = sqs_usd() + brokers_usd() + managed_usd() + functions_usd() + zones_usd() + written_usd()
    others = [line.usd for line in planned().estimate.lines if line.usd and line.usd < 0.1]
    assert sum(others) < 0.15
    assert planned().estimate.usd == pytest.approx(by_hand + sum(others), rel=0.1)


def test_where_the_region_has_no_price_of_amazon_mq_the_default_run_goes_without_and_says_so():
    made = planned(region="eu-west-1")
    assert MANAGED not in {case.target for case in made.cases}
    assert "capacity-managed" not in {case.scenario for case in made.cases}
    (note,) = made.machine_notes
    assert "amazon-mq-cluster was left out: the price book of eu-west-1 has no price of mq.m7g.large" in note
    assert MANAGED in {case.target for case in planned().cases}
