"""Time and dollars of a plan, against sums done by hand."""

import pytest

from breakeven.planning.budget.budget import at_most
from breakeven.planning.budget.durations import case_seconds, consume_rate, expected, produce_rate
from breakeven.planning.budget.estimate import estimate
from breakeven.planning.budget.request_counts import sqs_requests
from breakeven.planning.sizing import loaders_for
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book
from breakeven.workload.machines import Machines
from tests.support.cases import case_with, workload_with
from tests.support.money.traffic_by_hand import moved
from tests.support.shared import change_record

SQS, RABBITMQ = "sqs-standard", "rabbitmq-mirrored-pair"
#: round prices, so that the sums below can be done on paper
PRICES = {
    ("ec2", "m7g.large"): 0.1,
    ("ebs", "gp3_gb_month"): 0.08,
    ("sqs", "standard_request"): 0.4e-6,
    ("lambda", "gb_second_arm"): 1e-5,
    ("lambda", "request"): 2e-7,
    ("states", "transition"): 25e-6,
    ("s3", "put"): 5e-6,
    ("s3", "get"): 4e-7,
    ("dynamodb", "write"): 1e-6,
    ("dynamodb", "read"): 1e-7,
    ("athena", "tb"): 5.0,
    ("network", "cross_zone_gb"): 0.01,
    ("cloudwatch", "logs_gb"): 0.5,
    ("cloudwatch", "metric_month"): 0.3,
    ("cloudwatch", "metric_read"): 1e-5,
}


def book(**without):
    prices = []
    for (service, item), usd in PRICES.items():
        unknown = (
            {"usd": None, "reason": "not looked up"} if item in without.get("items", ()) else {"usd": usd}
        )
        common = {"service": service, "item": item, "unit": "u", "region": "here"}
        prices.append({**common, **unknown, "source": "a test", "as_of": "2026-11-20", "mark": "V"})
    return PriceBook.model_validate(
        {"name": "here", "region": "here", "as_of": "2026-11-20", "dated": True, "prices": prices}
    )


def workload(producers=5, consumers=5, **changes):
    lengths = {"warmup_s": 2, "measure_s": 15, "drain_s": 300}
    fields = {"producers": producers, "consumers": consumers, "message_bytes": 1024, "client": "boto3"}
    return workload_with(**{**fields, **lengths, **changes})


M7G = Machines(instance_type="m7g.large", architecture="arm64", vcpu=2, volume_gb=20, nodes=2)


def case(target, work, environment="aws"):
    return case_with(
        work,
        target=target,
        machines=M7G if target == RABBITMQ else None,
        loaders=loaders_for(work, environment),
        expected_s=case_seconds(work, target, environment),
        limit_s=840,
    )


LOAD = workload(mode="load-unload", messages=10_000, warmup_s=0)


def test_load_unload_takes_the_time_of_its_threads_calls():
    assert expected(LOAD, SQS, "aws").stages_s == pytest.approx(10_000 / 500 + 10_000 / 250)
    assert expected(LOAD, RABBITMQ, "aws").stages_s == pytest.approx(10_000 / 1875 + 10_000 / 1293)


def test_a_timed_case_drains_what_was_sent_faster_than_received():
    # 5 threads: 500 sent and 250 received a second for 17 s leave 4,250 messages, which all ten then receive
    found = expected(workload(), SQS, "aws")
    assert found.messages == pytest.approx(500 * 17)
    assert found.stages_s == pytest.approx(17 + (500 - 250) * 17 / 500)


def test_a_drain_is_never_expected_to_outlast_its_deadline():
    assert expected(workload(10, 1, drain_s=20), SQS, "aws").stages_s == 17 + 20


def test_calls_at_once_receive_as_many_times_as_much_and_leave_nothing_to_drain():
    # 200 a second are sent; two consumers receive 100 by one call at a time, and 1,000 by ten each
    assert expected(workload(5, 2, rate=200), SQS, "aws").stages_s > 17
    assert consume_rate(workload(5, 2, rate=200, in_flight=10), SQS, "aws") == 1000
    assert expected(workload(5, 2, rate=200, in_flight=10), SQS, "aws").stages_s == 17
    # on one machine all together reach no more than they did
    assert consume_rate(workload(5, 2, rate=200, in_flight=10), SQS, "local") == 1100


def test_more_threads_reach_what_all_of_them_reached_together():
    assert produce_rate(workload(40, 40), SQS, "aws") == 4000, "SQS standard has no limit that is known"
    assert consume_rate(workload(40, 40), SQS, "aws") == 2000
    assert produce_rate(workload(40, 40), RABBITMQ, "aws") == 6000


def test_without_confirms_one_thread_is_enough():
    assert produce_rate(workload(1, 1, confirms=False), RABBITMQ, "aws") == 12_000


def test_large_messages_are_bounded_by_the_network():
    rate = produce_rate(workload(message_bytes=128 * 1024), RABBITMQ, "aws")
    assert rate == pytest.approx(937e6 / 8 / 2 / (128 * 1024))


def test_sqs_bills_three_requests_a_message_up_to_64_kib_and_five_above():
    assert sqs_requests(case(SQS, LOAD)) == 30_000
    above = LOAD.model_copy(update={"message_bytes": 65_537})
    assert sqs_requests(case(SQS, above)) == 50_000


def test_consumers_that_wait_for_messages_cost_requests_too():
    # one producer sends 100 a second; ten consumers could take 500, so 80% of their asks, 1,000 a second
    # when none returns a message, come back empty
    found = sqs_requests(case(SQS, workload(1, 10)))
    assert found == pytest.approx(100 * 17 * 3 + 0.8 * 1000 * 17)
    # ten long polls of 20 s each
    patient = sqs_requests(case(SQS, workload(1, 10, wait_s=20)))
    assert patient == pytest.approx(100 * 17 * 3 + 0.8 * 0.5 * 17)


def test_consumers_of_an_open_loop_ask_at_the_rate_that_is_offered_and_by_every_call_in_flight():
    # 200 a second are sent whatever the producers could; two consumers, ten calls each, could take 1,000
    found = sqs_requests(case(SQS, workload(5, 2, rate=200, in_flight=10)))
    assert found == pytest.approx(200 * 17 * 3 + 0.8 * 2000 * 17)
    patient = sqs_requests(case(SQS, workload(5, 2, rate=200, in_flight=10, wait_s=20)))
    assert patient == pytest.approx(200 * 17 * 3 + 0.8 * 1 * 17)


def test_dollars_by_hand():
    found = estimate([case(SQS, LOAD), case(RABBITMQ, LOAD)], "aws", book())
    usd = {f"{line.service}/{line.item}": line.usd for line in found.lines}
    # stages 60 s and 13.07 s, gates 8 s, two loaders each; 21 s around each case's stages
    sqs_s, rabbitmq_s = 60.0, 13.0673
    lane_s = 240 + (rabbitmq_s + 21) + 20
    loader_s = 2 * (sqs_s + 8) + 2 * (rabbitmq_s + 8)
    watched_s = (sqs_s + 8) + (rabbitmq_s + 8)
    by_hand = {
        "ec2/m7g.large": 2 * lane_s / 3600 * 0.1,
        "ebs/gp3_gb_month": 2 * lane_s / 3600 * 20 / 730 * 0.08,
        "sqs/standard_request": 0.012,  # 30,000 requests
        "lambda/gb_second_arm": (loader_s * 1769 / 1024 + (watched_s + 20) * 0.5) * 1e-5,
        "lambda/request": (4 + 2 * 3 + 2 * 5 + 7 + 1) * 2e-7,
        "states/transition": (2 * 13 + 4 + 2 * 15 + 38 + 2) * 25e-6,
        "s3/put": (loader_s + 4 + 2 * 11 + 2 * lane_s * (1 / 2 + 1 / 5)) * 5e-6,
        "s3/get": 4 * 4 * 4e-7,
        "dynamodb/write": (loader_s + 20) * 1e-6,
        "dynamodb/read": (loader_s + 4 * watched_s + 20) * 1e-7,
        "athena/tb": 22 * 10e6 / 1e12 * 5,
        # each message crosses 4.5 times, and each crossing is billed both ways
        "network/cross_zone_gb": 10_000 * moved(1024, mirrored=2.5, clients=1, hops=1) * 2 / 2**30 * 0.01,
        "cloudwatch/logs_gb": (4 + 2 * 3 + 2 * 5 + 7 + 1) * 8192 / 2**30 * 0.5,
        "cloudwatch/metric_month": 3 * 1 / 730 * 0.3,
        # five of the one queue on SQS
        "cloudwatch/metric_read": 5 * 1e-5,
    }
    assert usd == pytest.approx(by_hand, rel=1e-4)
    assert found.usd == pytest.approx(sum(by_hand.values()), rel=1e-4)
    assert found.unpriced == []


def test_a_run_without_brokers_pays_for_no_instance():
    found = estimate([case(SQS, LOAD)], "aws", book())
    assert {line.quantity for line in found.lines if line.service in {"ec2", "ebs"}} == {0}


def test_lanes_go_side_by_side_on_aws_and_one_after_another_here():
    aws = estimate([case(SQS, LOAD), case(RABBITMQ, LOAD)], "aws", book())
    assert aws.seconds == pytest.approx(60 + max(aws.lanes.values()) + 120, abs=0.1)
    cases = [case(SQS, LOAD, "local"), case(RABBITMQ, LOAD, "local")]
    local = estimate(cases, "local", book())
    assert local.seconds == pytest.approx(20 + sum(local.lanes.values()), abs=0.2)
    assert local.lines == []


def test_a_price_that_is_not_known_stays_null_with_its_reason():
    found = estimate([case(SQS, LOAD)], "aws", book(items=["transition"]))
    line = next(line for line in found.lines if line.item == "transition")
    assert (line.usd, line.reason) == (None, "not looked up")
    assert found.unpriced == ["states/transition"]
    assert found.usd == pytest.approx(sum(line.usd for line in found.lines if line.usd is not None))


def test_the_shipped_book_prices_every_line():
    assert estimate([case(SQS, LOAD), case(RABBITMQ, LOAD)], "aws", load_book("us-east-1")).unpriced == []


def test_requests_are_billed_at_the_price_that_the_targets_record_names(monkeypatch):
    change_record(monkeypatch, SQS, request_price="fifo_request")
    shipped, cases = load_book("us-east-1"), [case(SQS, LOAD)]
    found = estimate(cases, "aws", shipped)
    (line,) = [line for line in found.lines if line.what == "SQS requests"]
    assert (line.item, line.usd) == ("fifo_request", pytest.approx(line.quantity * 5e-7))
    closed = case(SQS, workload())  # an SQS that is twice as fast takes as many requests again
    assert at_most([closed], found, shipped) == pytest.approx(1.25 * found.usd + 5e-7 * sqs_requests(closed))


@pytest.mark.parametrize(
    ("work", "aws", "local"),
    [
        (workload(1, 1), 1, 1),
        (workload(2, 2), 1, 1),
        (workload(4, 4), 1, 2),
        (workload(5, 5), 2, 2),
        (workload(40, 40), 10, 2),
        (workload(800, 800), 100, 2),
        (workload(1, 40), 6, 2),
        (workload(5, 5, mode="load-unload", messages=1), 2, 2),
    ],
)
def test_loaders_are_enough_and_none_is_idle(work, aws, local):
    assert (loaders_for(work, "aws"), loaders_for(work, "local")) == (aws, local)


@pytest.mark.parametrize(("loaders", "more"), [(12, 0), (13, 1), (41, 3), (100, 8)])
def test_many_loaders_take_more_units_for_each_read_of_all_of_them(loaders, more):
    """Three such reads a second: two by the watch, one by the first loader; twelve items a unit."""

    def reads(many: int) -> float:
        of = case(SQS, LOAD).model_copy(update={"loaders": many})
        (line,) = [one for one in estimate([of], "aws", book()).lines if one.what == "state, read"]
        return line.quantity

    seconds = 60 + 8
    assert reads(loaders) - reads(1) == pytest.approx((loaders - 1 + 3 * more) * seconds, rel=1e-4)
