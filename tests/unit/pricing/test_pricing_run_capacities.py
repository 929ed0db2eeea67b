"""Which of the capacities that runs measured on AWS a question is priced with."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.bill.run_capacities import Capacities, RunCapacity, managed_priced_with

DAY = "2026-11-20"
OF_PAIR = ask(deployment="pair")


def row(**changes: Any) -> RunCapacity:
    fields: dict[str, Any] = {
        "target": "rabbitmq-mirrored-pair", "deployment": "pair", "instance": "m7g.large", "release": "4.0",
        "message_bytes": 1024, "nodes_down": 1, "objective_ms": 100.0, "msg_per_s": 500.0,
        "low_msg_per_s": 480.0, "high_msg_per_s": 520.0, "repeats": 2, "cell": "capacity", "run_id": "a",
        "date": DAY,
    }  # fmt: skip
    return RunCapacity(**fields | changes)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (row(msg_per_s=400.0), row(nodes_down=0)),
        (row(msg_per_s=400.0), row(message_bytes=4096)),
        (row(msg_per_s=400.0), row(objective_ms=1000.0)),
        (row(msg_per_s=400.0), row(date="2026-11-19")),
        (row(), row(msg_per_s=400.0)),
    ],
)
def test_of_several_the_one_nearest_to_what_is_priced_is_used(
    better: RunCapacity, worse: RunCapacity
) -> None:
    for both in ((better, worse), (worse, better)):
        assert Capacities(date.fromisoformat(DAY), own=both).find(OF_PAIR) == better


@pytest.mark.parametrize(
    "other",
    [row(instance="m7g.xlarge"), row(deployment="trio"), row(message_bytes=512), row(nodes_down=2)],
)
def test_no_capacity_is_carried_from_one_machine_form_or_size_to_another(other: RunCapacity) -> None:
    assert Capacities(date.fromisoformat(DAY), own=(other,)).find(OF_PAIR) is None


MANAGED = {"target": "amazon-mq-cluster", "deployment": "trio", "instance": "mq.m7g.large", "nodes_down": 0}


@pytest.mark.parametrize("deployment", ["pair", "trio"])
def test_amazon_mq_is_priced_with_its_own_clusters_capacity(deployment: str) -> None:
    found = row(**MANAGED)
    capacities = Capacities(date.fromisoformat(DAY), own=(found, row()))
    inputs = ask(deployment=deployment)
    assert capacities.find_managed(inputs) == found
    priced = managed_priced_with(inputs, found)
    assert priced.amazon_mq_capacity_msg_per_s == 500.0
    assert (priced.amazon_mq_low_msg_per_s, priced.amazon_mq_high_msg_per_s) == (480.0, 520.0)
    assert priced.capacity_msg_per_s is None


@pytest.mark.parametrize(
    "other",
    [
        {"instance": "mq.m7g.xlarge"},
        {"deployment": "single", "target": "amazon-mq-single"},
        {"message_bytes": 512},
        {"nodes_down": 1},
        {"instance": "m7g.large"},
    ],
)
def test_no_capacity_of_another_broker_prices_amazon_mq(other: dict[str, Any]) -> None:
    capacities = Capacities(date.fromisoformat(DAY), own=(row(**MANAGED | other),))
    assert capacities.find_managed(ask(deployment="trio")) is None
    assert capacities.find_managed(ask(deployment="trio", amazon_mq=None)) is None
