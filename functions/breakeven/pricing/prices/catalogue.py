"""Questions to the AWS Price List, and which of its entries is the price of an item of a book.

Filters alone do not single out an entry: siblings of other prices, rows of $0 and usage types that have
a region's prefix or not come along. So every condition is checked again on each entry that arrives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.price_list import Entry

#: ``EU-``, ``EUC1-``, ``APS1-``, ``USE1-``; us-east-1 has mostly none. ``Regional`` is not one of them.
PREFIX = r"(?:[A-Z0-9]+-)?"
HOUR = {"hrs": 1.0, "hours": 1.0, "hour": 1.0}
GB = {"gb": 1.0}
GB_MONTH = {"gb-mo": 1.0, "gb-month": 1.0}
QUEUE_TYPES = {
    "standard_request": "Standard",
    "fifo_request": "FIFO (first-in, first-out)",
    "fair_surcharge": "Fair",
}
#: without these a Capacity Block's $0 or a reservation's row would answer for the instance
ON_DEMAND_LINUX = {
    "productFamily": "Compute Instance",
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
    "licenseModel": "No License required",
}
MQ_DEPLOYMENTS = {"single": "Single-AZ", "cluster": "Multi-AZ"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item of the book, and the entry that prices it: exact attributes and a pattern of its usage type.

    ``units`` says how many of the book's units one of the list's (in small letters) holds.
    """

    service: str
    item: str
    units: Mapping[str, float]
    attributes: Mapping[str, str] = field(default_factory=dict)
    usage: str = ".*"
    keeps_note: bool = True

    @property
    def name(self) -> str:
        return f"{self.service}/{self.item}"

    @property
    def key(self) -> tuple[str, str]:
        return self.service, self.item

    def matches(self, entry: Entry) -> bool:
        if not re.fullmatch(PREFIX + self.usage, entry.attributes.get("usagetype", "")):
            return False
        return all(entry.attributes.get(name) == value for name, value in self.attributes.items())


@dataclass(frozen=True, slots=True)
class Query:
    """One question to the list; ``filters`` are terms that must match."""

    service_code: str
    filters: Mapping[str, str]
    wanted: tuple[Wanted, ...]


REQUEST = {"requests": 1.0, "request": 1.0}
PAY_PER_REQUEST = "PayPerRequestThroughput"
#: service code -> what a run is billed for by it, as its bills name it. A unit that is not among these is not
#: guessed at: the price then stays as it was, and the notes say why
BESIDE: Mapping[str, tuple[Wanted, ...]] = {
    "AWSLambda": (
        Wanted("lambda", "request", REQUEST, usage="Request-ARM"),
        Wanted(
            "lambda",
            "gb_second_arm",
            {"lambda-gb-second": 1.0, "seconds": 1.0, "second": 1.0, "gb-seconds": 1.0, "gb-second": 1.0},
            usage="Lambda-GB-Second-ARM",
        ),
    ),
    "AmazonStates": (Wanted("states", "transition", {"statetransitions": 1.0}, usage="StateTransition"),),
    "AmazonS3": (
        Wanted("s3", "put", REQUEST, usage="Requests-Tier1"),
        Wanted("s3", "get", REQUEST, usage="Requests-Tier2"),
    ),
    "AmazonDynamoDB": (
        Wanted(
            "dynamodb",
            "write",
            {"writerequestunits": 1.0},
            {"group": "DDB-WriteUnits", "operation": PAY_PER_REQUEST},
            usage="WriteRequestUnits",
        ),
        Wanted(
            "dynamodb",
            "read",
            {"readrequestunits": 1.0},
            {"group": "DDB-ReadUnits", "operation": PAY_PER_REQUEST},
            usage="ReadRequestUnits",
        ),
    ),
    "AmazonAthena": (Wanted("athena", "tb", {"terabytes": 1.0, "tb": 1.0}, usage="DataScannedInTB"),),
    "AmazonCloudWatch": (
        Wanted("cloudwatch", "metric_month", {"metrics": 1.0}, usage="CW:MetricMonitorUsage"),
        Wanted("cloudwatch", "alarm_month", {"alarms": 1.0}, usage="CW:AlarmMonitorUsage"),
        Wanted("cloudwatch", "metric_read", {"metrics": 1.0}, usage="CW:GMD-Metrics"),
        Wanted("cloudwatch", "logs_gb", GB, usage="DataProcessing-Bytes"),
    ),
    "AmazonECS": (
        Wanted("fargate", "vcpu_hour_arm", HOUR, usage="Fargate-ARM-vCPU-Hours:perCPU"),
        Wanted("fargate", "gb_hour_arm", HOUR | {"gb-hours": 1.0}, usage="Fargate-ARM-GB-Hours"),
    ),
}


def regional_queries(book: PriceBook, instance_types: Sequence[str]) -> list[Query]:
    """Questions that need no more than the region's code; one a service, and one an instance type."""
    region = {"regionCode": book.region}
    gateways = {"productFamily": "NAT Gateway", "operation": "NatGateway", **region}
    return [
        _query(book, "AWSQueueService", {"productFamily": "API Request", **region}, _queues()),
        *(_instance(book, instance_type) for instance_type in instance_types),
        _query(book, "AmazonEC2", {"volumeApiName": "gp3", **region}, _volumes()),
        _query(book, "AmazonEC2", gateways, _gateways()),
        _query(book, "AmazonVPC", region, _vpc()),
        _query(book, "AmazonMQ", region, _brokers(book)),
    ]


def lacking_queries(book: PriceBook) -> list[Query]:
    """Questions about what runs are billed for beside, where the book lacks it; one a service."""
    unknown = {(price.service, price.item) for price in book.prices if price.usd is None}
    asked = [
        _query(
            book, service_code, {"regionCode": book.region}, [item for item in wanted if item.key in unknown]
        )
        for service_code, wanted in BESIDE.items()
    ]
    return [query for query in asked if query.wanted]


def transfer_queries(book: PriceBook, location: str) -> list[Query]:
    """Questions about traffic, which is listed by the region's name, such as ``EU (Ireland)``."""
    within = {"fromLocation": location, "toLocation": location, "transferType": "IntraRegion"}
    out = {"fromLocation": location, "toLocation": "External", "transferType": "AWS Outbound"}
    zone = Wanted("network", "cross_zone_gb", GB, usage="DataTransfer-Regional-Bytes")
    return [
        _query(book, "AWSDataTransfer", within, [zone]),
        _query(book, "AWSDataTransfer", out, [Wanted("network", "internet_out_gb", GB)]),
    ]


def _query(book: PriceBook, service_code: str, filters: Mapping[str, str], wanted: Iterable[Wanted]) -> Query:
    """Asks only for what the book has; what is filtered for is checked on every entry too."""
    has = {(price.service, price.item) for price in book.prices}
    kept = [item for item in wanted if (item.service, item.item) in has]
    checked = tuple(replace(item, attributes={**filters, **item.attributes}) for item in kept)
    return Query(service_code, filters, checked)


def _queues() -> Iterator[Wanted]:
    for item, queue_type in QUEUE_TYPES.items():
        yield Wanted("sqs", item, {"requests": 1.0, "request": 1.0}, {"queueType": queue_type})


def _instance(book: PriceBook, instance_type: str) -> Query:
    """The whole list of instances is huge, so each type is a question of its own."""
    filters = {"regionCode": book.region, "instanceType": instance_type, **ON_DEMAND_LINUX}
    # the notes of instances tell where else the old figure was seen
    wanted = Wanted("ec2", instance_type, HOUR, keeps_note=False)
    return _query(book, "AmazonEC2", filters, [wanted])


def _volumes() -> Iterator[Wanted]:
    """By usage type alone: the product family of provisioned IOPS was seen under two names."""
    yield Wanted("ebs", "gp3_gb_month", GB_MONTH, usage=r"EBS:VolumeUsage\.gp3")
    yield Wanted("ebs", "gp3_iops_month", {"iops-mo": 1.0}, usage=r"EBS:VolumeP-IOPS\.gp3")
    mibps = {"gibps-mo": 1024.0, "mibps-mo": 1.0}
    yield Wanted("ebs", "gp3_mibps_month", mibps, usage=r"EBS:VolumeP-Throughput\.gp3")


def _gateways() -> Iterator[Wanted]:
    yield Wanted("network", "nat_hour", HOUR, usage="NatGateway-Hours")
    yield Wanted("network", "nat_gb", GB, usage="NatGateway-Bytes")


def _vpc() -> Iterator[Wanted]:
    endpoint = {"productFamily": "VpcEndpoint"}
    yield Wanted("network", "endpoint_hour", HOUR, endpoint, usage="VpcEndpoint-Hours")
    yield Wanted("network", "endpoint_gb", GB, endpoint, usage="VpcEndpoint-Bytes")
    yield Wanted("network", "public_ipv4_hour", HOUR, usage="PublicIPv4:InUseAddress")


def _brokers(book: PriceBook) -> Iterator[Wanted]:
    """Every broker of the book. The product family was seen under two names, so it is not asked about."""
    for price in book.prices:
        deployment, _, broker_type = price.item.partition(".")
        if price.service == "amazonmq" and deployment in MQ_DEPLOYMENTS:
            engine = {"brokerEngine": "RabbitMQ", "deploymentOption": MQ_DEPLOYMENTS[deployment]}
            yield Wanted("amazonmq", price.item, HOUR, engine, usage=f".*{re.escape(broker_type)}")
    yield Wanted("amazonmq", "storage_gb_month", GB_MONTH, usage="TimedStorage-RabbitMQ-ByteHrs")
