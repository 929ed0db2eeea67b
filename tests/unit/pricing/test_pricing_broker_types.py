"""Broker types of Amazon MQ: each has its figures, and every book has an entry of each in both forms."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from breakeven.pricing.bill.inputs import ask
from breakeven.pricing.prices.book_files import load_book
from breakeven.pricing.prices.broker_types import USUAL, broker_types
from breakeven.workload.fields import Queues

REGIONS = ("us-east-1", "eu-west-1", "eu-central-1", "ap-southeast-1")
#: of a larger one all that it has is more, or as much
ROWS = ("vcpu", "memory_gib", "network_baseline_mbps", "single_gb", "cluster_gb", "most_cluster_gb")


def test_today_s_family_runs_rabbitmq_4_and_the_former_one_does_not() -> None:
    types = broker_types()
    assert [name for name in types if name.startswith("mq.m7g.")] == [
        f"mq.m7g.{size}"
        for size in ("medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
    ]
    for name, broker in types.items():
        assert ("4.2" in broker.releases) == name.startswith("mq.m7g."), name
        assert re.fullmatch(r"mq\.(m7g|m5)\.\w+", name)
    assert "4.2" in types[ask().amazon_mq or ""].releases, "the usual one is today's"
    assert ask().amazon_mq == USUAL


@pytest.mark.parametrize("family", ["mq.m7g.", "mq.m5."])
def test_a_larger_type_has_no_less_of_anything(family: str) -> None:
    of = [broker for name, broker in broker_types().items() if name.startswith(family)]
    for field in ROWS:
        figures = [getattr(broker, field) for broker in of]
        assert figures == sorted(figures), field
    for broker in of:
        assert broker.cluster_gb <= broker.most_cluster_gb
        assert broker.cluster_gb % 5 == 0 == broker.most_cluster_gb % 5


@pytest.mark.parametrize("form", ["single", "cluster"])
def test_what_no_suite_can_exceed_needs_no_check_of_a_plan(form) -> None:
    """Channels, of which each connection of ours has one; queues, of which no suite has more."""
    of = {name: broker.limits[form] for name, broker in broker_types().items() if broker.limits}
    assert list(of) == [name for name, broker in broker_types().items() if "4.2" in broker.releases]
    (most,) = [each.le for each in get_args(Queues)[1].metadata if hasattr(each, "le")]
    for name, limits in of.items():
        assert limits.channels >= limits.connections, name
        assert limits.queues >= most, name
    for field in ("connections", "channels", "queues"):
        figures = [getattr(limits, field) for limits in of.values()]
        assert figures == sorted(figures), field


@pytest.mark.parametrize("region", REGIONS)
def test_a_book_has_each_type_in_both_forms_so_that_a_refresh_asks_for_it(region: str) -> None:
    book = load_book(region)
    for name in broker_types():
        for form in ("single", "cluster"):
            price = book.price("amazonmq", f"{form}.{name}")
            assert price.unit == "hour"
            assert (price.usd is None) == (price.reason is not None)
    between = book.price("amazonmq", "inter_node_gb")
    assert (between.usd, between.unit) == (None, "gb")
    assert "no source that was read says" in (between.reason or "")
