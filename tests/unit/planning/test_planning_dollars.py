"""The dollars of the suite of 2012 in eu-west-1, line by line, against sums done by hand.

A call to SQS takes 10 ms: a thread sends 100 a second, or receives and deletes 50. Of RabbitMQ a thread sends
375 a second and receives 258.6, the article's, and all together 6,000. A timed case sends for 17 s, and then
all of its threads drain what is left.
"""

import pytest

from breakeven.planning.plan import make_plan
from breakeven.workload.read import load_suite, parse_suite
from tests.support.money.traffic_by_hand import moved

FOUND = load_suite("sqs-vs-rabbitmq-2012").document()
#: with functions for all of its loaders and without warm-ups: what tasks and warm-ups cost is in
#: test_planning_tasks.py and test_planning_warm_up.py
LOADERS = {"defaults": {**FOUND.get("defaults", {}), "loader": "lambda"}}
SUITE = parse_suite({**FOUND, **LOADERS, "warm_up": False}, "2012.yaml")
GATE_S = 8
#: (loaders, seconds of the stages, messages) of each case of SQS
SQS = [
    (2, 1_000_000 / 500 + 1_000_000 / 250, 1_000_000),  # load-unload, 5 threads
    (1, 25.5, 1_700),  # 1:1; (100 - 50) x 17 s are left, at 100 a second 8.5 s
    (2, 25.5, 8_500),  # 5:5
    (3, 25.5, 17_000),  # 10:10
    (10, 25.5, 68_000),  # 40:40
    (2, 25.5, 8_500),  # 5:5 on 5 queues
    (3, 25.5, 17_000),  # 10:10 on 5 queues
    (2, 46.364, 17_000),  # 10:1; (1,000 - 50) x 17 / 550 = 29.364 s
    (2, 17.0, 1_700),  # 1:10
    (2, 25.5, 8_500),  # 16 B
    (2, 25.5, 8_500),  # 1 KiB
    (2, 25.5, 8_500),  # 64 KiB: one request still
]
#: and of the pair; the bytes of one message last
PAIR = [
    (2, 1_000_000 / 1875 + 1_000_000 / 1293, 1_000_000, 1024),
    (1, 20.826, 6_375, 1024),  # 1:1; (375 - 258.6) x 17 / 517.2 = 3.826 s
    (2, 20.826, 31_875, 1024),
    (3, 20.826, 63_750, 1024),
    (10, 17.0, 102_000, 1024),  # 40:40; 6,000 each way
    (2, 20.826, 31_875, 1024),
    (3, 20.826, 63_750, 1024),
    (2, 37.865, 63_750, 1024),  # 10:1; (3,750 - 258.6) x 17 / 2,844.6 = 20.865 s
    (2, 17.0, 6_375, 1024),  # 1:10
    (2, 20.826, 31_875, 16),
    (2, 20.826, 31_875, 1024),
    (2, 17.0, 15_191, 65_536),  # half of 937 Mbit/s is 893.6 messages of 64 KiB a second
]
INSTRUMENT = [(1, 3000 / 900 + 3000 / 800)] * 2
CASES = [*INSTRUMENT, *(row[:2] for row in SQS), *(row[:2] for row in PAIR)]

# opened in 240 s, closed in 20 s, 21 s around the stages of each case
LANE_H = (240 + 20 + sum(row[1] + 21 for row in PAIR)) / 3600
# asks for messages that are not there: 10 consumers, 1 producer, 1,000 a second when none returns one
EMPTY_ASKS = (1 - 100 / 500) * 1000 * 17
LOADERS = sum(loaders for loaders, _ in CASES)
LOADER_S = sum(loaders * (GATE_S + stages_s) for loaders, stages_s in CASES)
WATCHED_S = sum(GATE_S + stages_s for _, stages_s in CASES)
CALLS = LOADERS + 3 * 26 + 5 * 3 + 7 + 1
#: price of eu-west-1, units, both by hand
BY_HAND = {
    "ec2/m7g.large": (0.091, 2 * LANE_H),
    "ebs/gp3_gb_month": (0.088, 2 * 20 * LANE_H / 730),
    "sqs/standard_request": (0.4e-6, 3 * sum(row[2] for row in SQS) + EMPTY_ASKS),
    "lambda/gb_second_arm": (1.33334e-5, LOADER_S * 1769 / 1024 + (WATCHED_S + 10 * 26) * 0.5),
    "lambda/request": (2e-7, CALLS),
    "states/transition": (25e-6, 13 * 26 + LOADERS + 15 * 3 + 38 + 2),
    # and of each node a look each 2 s and samples each 5 s
    "s3/put": (5e-6, LOADER_S + LOADERS + 11 * 26 + 2 * LANE_H * (1800 + 720)),
    "s3/get": (4e-7, 4 * LOADERS),
    "dynamodb/write": (7.05e-7, LOADER_S + 10 * 26),
    "dynamodb/read": (1.415e-7, LOADER_S + 4 * WATCHED_S + 10 * 26),
    "athena/tb": (5, 22 * 10e6 / 1e12),
    # to the mirror and back, from half of the channels to the mirror once more; half of publishes and
    # deliveries from another zone, half of both to the master
    "network/cross_zone_gb": (
        0.01,
        2 * sum(row[2] * moved(row[3], mirrored=2.5, clients=1, hops=1) for row in PAIR) / 2**30,
    ),
    "cloudwatch/logs_gb": (0.57, CALLS * 8192 / 2**30),
    # three lanes of 83 s, 1.8 h and 34 min: three hours begun
    "cloudwatch/metric_month": (0.3, 3 * 3 / 730),
    # five of each queue: ten cases have one, and two have five
    "cloudwatch/metric_read": (1e-5, 5 * (10 + 2 * 5)),
}
#: the same, worked out to the cent
CENTS = {
    "ec2/m7g.large": 0.10,
    "sqs/standard_request": 1.40,
    "lambda/gb_second_arm": 0.44,
    "s3/put": 0.10,
    "network/cross_zone_gb": 0.24,
}


@pytest.fixture(scope="module")
def lines():
    plan = make_plan(SUITE, run_id="plan", region="eu-west-1")
    return {f"{line.service}/{line.item}": line for line in plan.estimate.lines}


@pytest.mark.parametrize("item", BY_HAND)
def test_each_line_is_its_price_times_its_units(lines, item):
    price, units = BY_HAND[item]
    line = lines[item]
    assert line.unit_usd == price
    assert line.quantity == pytest.approx(units, rel=5e-4)  # cases are kept to a tenth of a second
    assert line.usd == pytest.approx(price * units, rel=5e-4)


def test_there_is_no_other_line_and_the_total_is_two_dollars_and_33_cents(lines):
    assert set(lines) == set(BY_HAND)
    assert {item: round(lines[item].usd, 2) for item in CENTS} == CENTS
    plan = make_plan(SUITE, run_id="plan", region="eu-west-1")
    assert plan.estimate.usd == pytest.approx(sum(a * b for a, b in BY_HAND.values()), rel=5e-4)
    assert round(plan.estimate.usd, 2) == 2.33


def test_each_price_says_where_it_is_from_and_of_what_day(lines):
    assert (lines["states/transition"].source, lines["states/transition"].as_of) == (
        "AmazonStates offer of 2026-09-11",
        "2026-09-11",
    )
    assert all(line.source and line.as_of >= "2024-07-01" for line in lines.values())


def test_the_dearest_lines_are_reported_first_and_add_up():
    plan = make_plan(SUITE, run_id="plan", region="eu-west-1")
    words = plan.estimate.in_words()
    assert words.startswith(
        "$2.33 (SQS requests $1.40; functions, memory $0.44; traffic across zones $0.24; "
    )
    lines = words.removeprefix("$2.33 (").removesuffix(")").split("; ")
    assert sum(float(line.rsplit("$", 1)[1]) for line in lines) == pytest.approx(2.33, abs=0.05)
