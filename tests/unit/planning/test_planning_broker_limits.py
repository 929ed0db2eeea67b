"""What Amazon MQ's brokers take by their type: a plan refuses more, and says where one node would be full."""

from __future__ import annotations

import pytest

from breakeven.planning.plan import Plan, make_plan
from breakeven.workload.read import parse_suite

CLUSTER, SINGLE = "amazon-mq-cluster", "amazon-mq-single"


def planned(target: str, instance_type: str, settings: dict[str, object]) -> Plan:
    document = {
        "suite": "limits",
        "title": "Limits",
        "targets": [target],
        "instrument": False,
        "machines": {target: {"one": {"instance_type": instance_type}}},
        "scenarios": {"p": settings},
    }
    return make_plan(parse_suite(document, "limits.yaml"), run_id="run-1", max_usd=10_000.0)


def refusals(made: Plan) -> list[tuple[str, object, str]]:
    return [(each.field, each.value, each.remedy) for each in made.refusals]


@pytest.mark.parametrize(
    ("target", "instance_type", "settings", "field", "value", "words"),
    [
        (
            CLUSTER,
            "mq.m7g.medium",
            {"threads": 151},
            "scenarios.p.threads",
            151,
            "its clients have 101 connections on each of 3 nodes at best, and mq.m7g.medium takes 100 unless "
            "it is configured otherwise: give less, or mq.m7g.large under machines.amazon-mq-cluster",
        ),
        (
            SINGLE,
            "mq.m7g.large",
            {"producers": 800, "consumers": 701},
            "scenarios.p.producers",
            800,
            "its clients have 1,501 connections, and mq.m7g.large takes 1,500 unless it is configured "
            "otherwise: give less, or mq.m7g.xlarge under machines.amazon-mq-single",
        ),
        (
            CLUSTER,
            "mq.m7g.large",
            {"threads": 2, "queues": 2, "mode": "load-unload", "messages": 16_000_001},
            "scenarios.p.messages",
            16_000_001,
            "up to 8,000,001 messages wait in a queue, which rejects what is beyond its maximum length, and "
            "mq.m7g.large takes 8,000,000 unless it is configured otherwise: give less, or mq.m7g.xlarge",
        ),
        (
            SINGLE,
            "mq.m7g.medium",
            {"threads": 1, "prefill": 500_001},
            "scenarios.p.prefill",
            500_001,
            "up to 500,001 messages wait in a queue",
        ),
        (
            CLUSTER,
            "mq.m7g.16xlarge",
            {"producers": 1, "consumers": 0, "rate": 5000, "measure_s": 8000},
            "scenarios.p.measure_s",
            8000,
            "up to 40,010,000 messages wait in a queue, which rejects what is beyond its maximum length, and "
            "mq.m7g.16xlarge takes 40,000,000 unless it is configured otherwise: give less",
        ),
    ],
)
def test_more_than_a_type_takes_is_refused_with_the_type_that_would_do(
    target, instance_type, settings, field, value, words
):
    found = refusals(planned(target, instance_type, settings))
    (remedy,) = [remedy for name, asked, remedy in found if (name, asked) == (field, value)]
    assert words in remedy


@pytest.mark.parametrize(
    ("target", "instance_type", "settings"),
    [
        (CLUSTER, "mq.m7g.medium", {"threads": 150}),
        (SINGLE, "mq.m7g.large", {"producers": 800, "consumers": 700}),
        (CLUSTER, "mq.m7g.large", {"threads": 2, "queues": 2, "mode": "load-unload", "messages": 16_000_000}),
        # a single broker of this type has no maximum length
        (SINGLE, "mq.m7g.large", {"threads": 2, "mode": "load-unload", "messages": 100_000_000}),
        ("rabbitmq-quorum-trio", "m7g.large", {"threads": 400, "prefill": 9_000_000}),
    ],
)
def test_as_much_as_a_type_takes_is_not(target, instance_type, settings):
    of_limits = [remedy for _, _, remedy in refusals(planned(target, instance_type, settings))]
    assert not [remedy for remedy in of_limits if "unless it is configured otherwise" in remedy]


def test_a_node_that_may_be_full_before_the_others_is_told():
    (note,) = planned(CLUSTER, "mq.m7g.large", {"threads": 300}).machine_notes
    assert note.startswith(f"{CLUSTER}_one: 600 connections reach the nodes through one endpoint")
    assert "a node of mq.m7g.large takes 500." in note
    assert planned(CLUSTER, "mq.m7g.large", {"threads": 250}).machine_notes == []
    assert planned(SINGLE, "mq.m7g.large", {"threads": 600}).machine_notes == []
