"""The figures of the shipped price books, and what each of them must price."""

from __future__ import annotations

import pytest

from breakeven.errors import InputError
from breakeven.planning.plan import make_plan
from breakeven.pricing.prices.book_files import load_book
from breakeven.steps.run.costs import ask_about
from breakeven.workload.read import load_shipped

REGIONS = ("us-east-1", "eu-west-1", "eu-central-1", "ap-southeast-1")


@pytest.mark.parametrize("name", REGIONS)
def test_what_a_region_must_price(name: str) -> None:
    book = load_book(name)
    for service, item in [
        ("sqs", "standard_request"),
        ("sqs", "fifo_request"),
        ("ebs", "gp3_gb_month"),
        ("ec2", "m7g.large"),
    ]:
        assert book.known(service, item).usd
    for service, item in [
        ("lambda", "request"),
        ("lambda", "gb_second_arm"),
        ("states", "transition"),
        ("s3", "put"),
        ("s3", "get"),
        ("dynamodb", "write"),
        ("dynamodb", "read"),
        ("athena", "tb"),
    ]:
        price = book.price(service, item)
        assert price.usd or price.reason
    assert book.free_sqs_requests == 1_000_000


@pytest.mark.parametrize(
    ("name", "service", "item", "usd", "mark", "as_of"),
    [
        ("us-east-1", "ec2", "m7g.large", 0.0816, "V2", "2026-07-20"),
        ("us-east-1", "ec2", "m9g.xlarge", 0.19568, "V", "2026-07-20"),
        ("eu-west-1", "ec2", "m7g.large", 0.091, "V", "2025-04-04"),
        ("eu-west-1", "ec2", "m5.xlarge", 0.214, "V2", "2025-04-04"),
        ("eu-central-1", "ec2", "m7g.large", 0.0978, "V2", "2025-04-04"),
        ("ap-southeast-1", "ec2", "r3.xlarge", 0.399, "V", "2025-04-04"),
        ("us-east-1", "ebs", "gp3_gb_month", 0.08, "V2", "2026-09-09"),
        ("eu-west-1", "ebs", "gp3_gb_month", 0.088, "V", "2024-07-18"),
        ("eu-central-1", "dynamodb", "write", 7.625e-7, "V", "2025-06-05"),
        ("ap-southeast-1", "dynamodb", "write", 7.1e-7, "V", "2025-06-05"),
        ("eu-central-1", "s3", "put", 5.4e-6, "V", "2025-06-05"),
        ("eu-central-1", "fargate", "vcpu_hour_arm", 0.03725, "V", "2025-06-05"),
        ("ap-southeast-1", "cloudwatch", "logs_gb", 0.70, "V", "2025-06-05"),
        ("ap-southeast-1", "states", "transition", 2.5e-5, "V", "2025-06-05"),
        ("eu-central-1", "network", "cross_zone_gb", 0.01, "D", "2026-09-09"),
        ("eu-central-1", "ec2_credits", "t4g", 0.04, "V2", "2026-09-29"),
        ("us-east-1", "ec2_credits", "t3", 0.05, "V2", "2026-09-29"),
        ("eu-central-1", "ebs", "gp3_gb_month", 0.0952, "V2", "2026-09-01"),
        ("ap-southeast-1", "ebs", "gp3_gb_month", 0.096, "V2", "2026-09-09"),
        ("us-east-1", "lambda", "request", 2e-7, "V2", "2026-09-29"),
        ("eu-west-1", "lambda", "gb_second_arm", 1.33334e-5, "V", "2026-10-01"),
        ("us-east-1", "states", "transition", 2.5e-5, "V", "2024-07-01"),
        ("eu-west-1", "s3", "put", 5e-6, "V2", "2026-09-28"),
        ("eu-west-1", "s3", "get", 4e-7, "V2", "2026-09-28"),
        ("us-east-1", "dynamodb", "write", 6.25e-7, "V2", "2026-09-29"),
        ("eu-west-1", "dynamodb", "read", 1.415e-7, "V", "2026-09-11"),
        ("us-east-1", "athena", "tb", 5.0, "V", "2026-11-20"),
        ("eu-central-1", "sqs", "fifo_request", 5e-7, "D", "2026-10-08"),
        ("us-east-1", "sqs", "fair_surcharge", 1e-7, "V2", "2026-10-08"),
        ("eu-west-1", "ebs", "gp3_iops_month", 0.0055, "V", "2024-07-18"),
        ("eu-west-1", "ebs", "gp3_mibps_month", 0.044, "D", "2024-07-18"),
        ("eu-central-1", "ebs", "gp2_gb_month", 0.119, "V", "2024-07-18"),
        ("ap-southeast-1", "ebs", "io2_gb_month", 0.138, "V", "2024-07-18"),
        ("us-east-1", "ebs", "st1_gb_month", 0.045, "V2", "2024-07-18"),
        ("eu-west-1", "network", "cross_zone_gb", 0.01, "V", "2026-09-01"),
        ("ap-southeast-1", "network", "nat_hour", 0.059, "V", "2026-09-09"),
        ("eu-west-1", "network", "nat_gb", 0.048, "V", "2026-09-25"),
        ("eu-west-1", "network", "endpoint_hour", 0.011, "V2", "2026-11-20"),
        ("us-east-1", "network", "endpoint_gb", 0.01, "V2", "2026-08-20"),
        ("eu-west-1", "network", "public_ipv4_hour", 0.005, "V", "2026-09-17"),
        ("us-east-1", "network", "internet_out_gb", 0.09, "V", "2026-09-16"),
        ("us-east-1", "ec2_1y_standard", "m7g.large", 0.054, "V", "2025-04-05"),
        ("eu-west-1", "ec2_1y_convertible", "m7g.large", 0.069, "V", "2025-04-05"),
        ("us-east-1", "ec2_3y_standard", "t3.nano", 0.0022, "V", "2025-04-05"),
        ("us-east-1", "ec2_3y_convertible", "t3.small", 0.0103, "V", "2025-04-05"),
        ("eu-west-1", "amazonmq", "single.mq.m5.large", 0.321, "V", "2025-02-13"),
        ("eu-west-1", "amazonmq", "cluster.mq.m5.large", 0.963, "V", "2025-02-13"),
        ("us-east-1", "amazonmq", "single.mq.m7g.large", 0.2734, "V2", "2026-10-01"),
        ("us-east-1", "amazonmq", "cluster.mq.m7g.large", 0.8202, "D", "2026-10-01"),
        ("ap-southeast-1", "amazonmq", "storage_gb_month", 0.12, "V", "2025-02-13"),
        ("eu-west-1", "cloudwatch", "logs_gb", 0.57, "V", "2026-09-22"),
        ("us-east-1", "cloudwatch", "metric_month", 0.3, "V2", "2026-09-24"),
        ("us-east-1", "cloudwatch", "metric_read", 1e-5, "V", "2025-06-05"),
        ("ap-southeast-1", "cloudwatch", "metric_read", 1e-5, "V", "2025-06-05"),
        ("us-east-1", "cloudwatch", "alarm_month", 0.1, "V2", "2026-09-24"),
        ("us-east-1", "codebuild", "arm_small_minute", 0.0034, "V2", "2026-09-28"),
        ("eu-west-1", "codebuild", "arm_small_minute", 0.0034, "D", "2026-09-28"),
        ("2012-12", "ec2", "m1.small", 0.08, "V", "2012-12-07"),
        ("2012-12", "sqs", "standard_request", 1e-6, "V2", "2012-12-07"),
    ],
)
def test_spot_figures(name: str, service: str, item: str, usd: float, mark: str, as_of: str) -> None:
    price = load_book(name).price(service, item)
    assert (price.usd, price.mark, price.as_of) == (usd, mark, as_of)


UNITS = {
    "sqs/fair_surcharge": "request",
    "ebs/gp3_iops_month": "iops_month",
    "ebs/gp3_mibps_month": "mibps_month",
    "ebs/gp2_gb_month": "gb_month",
    "ebs/io2_gb_month": "gb_month",
    "ebs/io2_iops_month": "iops_month",
    "ebs/st1_gb_month": "gb_month",
    "network/cross_zone_gb": "gb",
    "network/nat_hour": "hour",
    "network/nat_gb": "gb",
    "network/endpoint_hour": "hour",
    "network/endpoint_gb": "gb",
    "network/public_ipv4_hour": "hour",
    "network/internet_out_gb": "gb",
    "amazonmq/single.mq.m5.large": "hour",
    "amazonmq/cluster.mq.m5.large": "hour",
    "amazonmq/storage_gb_month": "gb_month",
    "cloudwatch/metric_month": "metric_month",
    "cloudwatch/alarm_month": "alarm_month",
    "cloudwatch/logs_gb": "gb",
    "cloudwatch/metric_read": "metric",
}
#: the figures were found nowhere; only who asks for them is refused
NOT_FOUND = {
    "us-east-1": set(),
    "eu-west-1": {"sqs/fair_surcharge"},
    "eu-central-1": {"sqs/fair_surcharge", "network/nat_hour", "network/nat_gb"},
    "ap-southeast-1": {"sqs/fair_surcharge"},
}


@pytest.mark.parametrize("name", REGIONS)
def test_a_region_prices_what_surrounds_a_queue_or_says_why_not(name: str) -> None:
    book = load_book(name)
    prices = {f"{price.service}/{price.item}": price for price in book.prices}
    assert {key: prices[key].unit for key in UNITS} == UNITS
    assert {key for key in UNITS if prices[key].usd is None} == NOT_FOUND[name]
    for key in NOT_FOUND[name]:
        with pytest.raises(InputError, match="found"):
            book.known(*key.split("/"))


@pytest.mark.parametrize("name", REGIONS)
def test_a_cluster_of_amazon_mq_costs_three_brokers(name: str) -> None:
    book = load_book(name)
    known = [item for item in book.items("amazonmq") if item.startswith("cluster.")]
    assert len(known) >= 4
    for item in known:
        single = book.known("amazonmq", item.replace("cluster.", "single.")).usd
        assert book.known("amazonmq", item).usd == pytest.approx(3 * (single or 0))


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("term", ["1y", "3y"])
@pytest.mark.parametrize("kind", ["standard", "convertible"])
def test_commitments_are_reserved_rates_and_say_so(name: str, term: str, kind: str) -> None:
    book = load_book(name)
    rates = {price.item: price for price in book.prices if price.service == f"ec2_{term}_{kind}"}
    assert list(rates) == [price.item for price in book.prices if price.service == "ec2"]
    assert any("no Savings Plan rates were found" in note for note in book.notes)
    for item, price in rates.items():
        assert "reserved-instance rate" in (price.note or "")
        if price.usd is not None:
            assert price.usd < (book.known("ec2", item).usd or 0)
    assert len(book.items(f"ec2_{term}_{kind}")) >= 50


def test_tiers_of_volumes_and_traffic() -> None:
    def tiers(service: str, item: str) -> list[tuple[float, float | None, float]]:
        return [(t.from_, t.to, t.usd) for t in load_book("eu-west-1").price(service, item).tiers]

    pb = 1024**2
    assert tiers("ebs", "io2_iops_month") == [
        (0, 32_000, 0.072),
        (32_000, 64_000, 0.0504),
        (64_000, None, 0.03528),
    ]
    assert tiers("network", "endpoint_gb") == [(0, pb, 0.01), (pb, 5 * pb, 0.006), (5 * pb, None, 0.004)]
    assert tiers("network", "internet_out_gb") == [
        (0, 10 * 1024, 0.09),
        (10 * 1024, 50 * 1024, 0.085),
        (50 * 1024, 150 * 1024, 0.07),
        (150 * 1024, None, 0.05),
    ]
    assert tiers("cloudwatch", "metric_month") == [(0, 10_000, 0.3)]


@pytest.mark.parametrize("name", REGIONS)
def test_sqs_tiers(name: str) -> None:
    def tiers(item: str) -> list[tuple[float, float | None, float]]:
        return [(t.from_, t.to, t.usd) for t in load_book(name).price("sqs", item).tiers]

    assert tiers("standard_request") == [(0, 1e11, 4e-7), (1e11, 2e11, 3e-7), (2e11, None, 2.4e-7)]
    assert tiers("fifo_request") == [(0, 1e11, 5e-7), (1e11, 2e11, 4e-7), (2e11, None, 3.5e-7)]


@pytest.mark.parametrize("name", REGIONS)
def test_a_run_and_its_bills_can_be_priced_in_every_shipped_region(name: str) -> None:
    made = make_plan(load_shipped("breakeven"), run_id="run-1", region=name)
    assert (made.estimate.unpriced, made.refusals) == ([], [])
    assert ask_about(made.cases, 1024, load_book(name)).questions
