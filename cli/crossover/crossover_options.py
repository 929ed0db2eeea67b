"""The options of ``breakeven crossover``, each with the field of the question that it sets."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from breakeven.errors import InputError, MultipleInputError, together
from breakeven.pricing.bill.broker_lines import SERVICES
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.prices.book import PriceBook, near
from breakeven.pricing.prices.broker_types import USUAL
from breakeven.pricing.prices.instance_types import machine
from breakeven.workload.ebs_volumes import VOLUMES
from breakeven.workload.problems import did_you_mean
from cli.crossover.option_remedies import LEAST_CAPACITY, with_remedy
from cli.crossover.option_values import WHERE, number_of, value_of
from cli.option_parser import Parser

#: of any number, below which it is a slip of the pen, too
LEAST = 1e-6
#: option -> (fields of ``Inputs`` that it sets, name of its value, help)
OPTIONS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "--rate": (("msg_per_s",), "MSG/S", "messages a second as a monthly mean, 0 to 10,000,000 (100)"),
    "--size": (("message_bytes",), "SIZE", "of a message with its attributes, such as 2KiB, or bytes (1KiB)"),
    "--batch": (
        ("send_batch", "receive_batch", "delete_batch"),
        "N",
        "messages an SQS call, on average, 1 to 10 (1)",
    ),
    "--batch-fill": (
        ("batch_fill",),
        "SHARE",
        "of SQS batched, how full its calls are, over 0 to 1 (not known)",
    ),
    "--empty-receives": (("empty_receives",), "N", "SQS receives that return nothing, a message (not known)"),
    "--existing-requests": (("existing_requests",), "N", "the account's other SQS requests a month (0)"),
    "--queue": (("queue",), "KIND", "of SQS queue: standard, fifo or fair (standard)"),
    "--sqs-path": (("sqs_path",), "PATH", "to SQS: public, endpoint or nat (public)"),
    "--client-zones": (("client_zones",), "N", "zones with an endpoint or a NAT gateway (2)"),
    "--instance": (("instance",), "TYPE", "of each node (m7g.large)"),
    "--deployment": (
        ("deployment",),
        "FORM",
        "of the cluster: single, pair (mirrored, on RabbitMQ 3.x) or trio (quorum); trio unless given",
    ),
    "--nodes": (("cluster_nodes",), "N", "of a cluster: pair 2 to 9 (2), trio 3 to 9 (3)"),
    "--group-size": (("group_size",), "N", "nodes that have a copy of a queue (trio: 3, pair: all)"),
    "--commitment": (
        ("commitment",),
        "TERM",
        "on-demand, or reserved without upfront payment: 1y-standard, 1y-convertible, 3y-standard, "
        "3y-convertible (on-demand)",
    ),
    "--cpu-credits": (
        ("cpu_credits",),
        "MODE",
        "of a burstable type (t3, t4g): unlimited, surplus credits are paid for, or standard (unlimited)",
    ),
    "--volume": (("volume",), "KIND", "gp3, gp2, io2 or none (gp3)"),
    "--volume-gb": (("volume_gb",), "GB", "of each node's volume, 8 or more (20)"),
    "--volume-iops": (("volume_iops",), "N", "of each node's gp3 or io2 volume (3000)"),
    "--broker-zones": (
        ("broker_zones",),
        "N",
        "over which a cluster's nodes are spread (one a node, at most 3)",
    ),
    "--client-zone-share": (("client_zone_share",), "SHARE", "of traffic to a node in another zone, 0 to 1"),
    "--capacity": (
        ("capacity_msg_per_s",),
        "MSG/S",
        "that one cluster carries with one node down (published, if any)",
    ),
    "--utilisation": (("utilisation",), "SHARE", "of that capacity used at the peak (0.7)"),
    "--peak-factor": (("peak_factor",), "N", "peak rate over mean rate (3)"),
    "--hours": (("hours",), "H", "of staff time a month that self-hosting takes (solved for)"),
    "--hour-rate": (("hour_rate",), "USD", "an hour of staff time (75, assumed)"),
    "--migration-hours": (
        ("migration_hours",),
        "H",
        "of staff time, once, to move from SQS as used or back: when that is paid back (not asked)",
    ),
    "--consumer": (("consumer",), "KIND", "priced beside the queue: containers or lambda (the queue only)"),
    "--queues": (("consumer_queues",), "N", "that consumers take messages from (1)"),
    "--containers": (
        ("containers",),
        "N",
        "Fargate containers, as many at every rate; with lambda, those that forward messages from your own "
        "brokers (2)",
    ),
    "--container-vcpu": (("container_vcpu",), "N", "of each container (0.25)"),
    "--container-gb": (("container_gb",), "GB", "of memory of each container (0.5)"),
    "--poll-wait": (("poll_wait_s",), "S", "that a container's receive waits, 1 to 20 (20)"),
    "--lambda-batch": (("lambda_batch",), "N", "messages of an invocation, at most (10)"),
    "--lambda-window": (
        ("lambda_window_s",),
        "S",
        "for which a batch is gathered, 0 to 300 (0 on SQS, half a second on RabbitMQ)",
    ),
    "--lambda-ms": (("lambda_ms",), "MS", "of a function's time for a message (10)"),
    "--lambda-memory": (("lambda_memory_mb",), "MB", "of a function, 128 to 10240 (512)"),
    "--lambda-pollers": (("lambda_pollers",), "N", "provisioned for each SQS queue, 2 or more (none)"),
    "--lambda-receives": (
        ("lambda_receives",),
        "N",
        "messages that a receive of SQS by Lambda brings, on average, 1 to 10 (not known)",
    ),
    "--lambda-polls": (
        ("lambda_polls_per_s",),
        "N",
        "receives a second by Lambda that find one SQS queue empty (not known)",
    ),
    "--amazon-mq": (("amazon_mq",), "TYPE", f"broker type priced beside, or none ({USUAL})"),
    "--amazon-mq-gb": (("amazon_mq_gb",), "GB", "disk of each of a cluster's brokers (its type's)"),
    "--amazon-mq-capacity": (
        ("amazon_mq_capacity_msg_per_s",),
        "MSG/S",
        "that one cluster of Amazon MQ carries, all brokers up (not known)",
    ),
    "--amazon-mq-hours": (
        ("amazon_mq_hours",),
        "H",
        "of staff time a month that Amazon MQ takes (not known, priced as none)",
    ),
    "--amazon-mq-inter-node": (
        ("amazon_mq_inter_node",),
        "SHARE",
        "of the price across zones, 0 to 1, that traffic between its brokers is charged (not known)",
    ),
    "--amazon-mq-discount": (("amazon_mq_price_factor",), "PERCENT", "off its brokers and disks (0)"),
    "--sqs-discount": (("sqs_price_factor",), "PERCENT", "off SQS's list price (0)"),
    "--instance-discount": (("instance_price_factor",), "PERCENT", "off the instances' price (0)"),
}
#: what says more of consumers
OF_CONSUMERS = [
    name
    for name in OPTIONS
    if name.startswith(("--lambda", "--container")) or name in {"--queues", "--poll-wait"}
]


#: what suites and others call what an option gives
SYNONYMS = {"--message-size": "--size", "--message-rate": "--rate", "--messages-per-second": "--rate"}


def add_options(command: Parser) -> None:
    for option, (fields, metavar, help_text) in OPTIONS.items():
        command.add_argument(option, metavar=metavar, help=help_text)
        # reports call it by the field
        command.meant |= {f"--{field.replace('_', '-')}": option for field in fields}
    command.meant |= SYNONYMS
    command.add_argument(
        "--no-free-tier", action="store_true", help="the account's free SQS requests are used up elsewhere"
    )


def inputs_of(arguments: argparse.Namespace) -> Inputs:
    """The question that the options put.

    :raises InputError: an option's value is none that it takes; the error names the option
    """
    fields: dict[str, Any] = {"free_tier": not arguments.no_free_tier}
    for option, (names, _, _) in OPTIONS.items():
        text = getattr(arguments, option[2:].replace("-", "_"))
        if text is not None:
            fields |= dict.fromkeys(names, value_of(option, text))
    _check_consumer(arguments)
    _check_amazon_mq(arguments)
    try:
        inputs = ask(**fields)
    except InputError as error:
        found = error.errors if isinstance(error, MultipleInputError) else (error,)
        named = {str(renamed): renamed for renamed in (_renamed(each, arguments) for each in found)}
        raise together(list(named.values())) from error
    _check_capacities(inputs)
    _check_least(arguments)
    return inputs


def _check_least(arguments: argparse.Namespace) -> None:
    """:raises InputError: a number that its input takes, and that is next to nothing"""
    for option in OPTIONS:
        text = getattr(arguments, option[2:].replace("-", "_"))
        # of a rate the least is a message a month
        number = None if text is None or option == "--rate" else number_of(text)
        if number is not None and 0 < abs(number) < LEAST:
            remedy = f"is next to nothing; give at least {LEAST:f}, or 0 where it takes that"
            raise InputError(WHERE, option, text, remedy)


def _check_capacities(inputs: Inputs) -> None:
    """:raises InputError: a cluster that carries next to nothing, of which any traffic takes millions"""
    for option in ("--capacity", "--amazon-mq-capacity"):
        given = getattr(inputs, OPTIONS[option][0][0])
        if given is not None and given < LEAST_CAPACITY:
            remedy = f"give messages a second that one cluster carries, at least {LEAST_CAPACITY:g}"
            raise InputError(WHERE, option, f"{given:g}", f"{remedy}; without the option it is not known")


def _check_consumer(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of consumers that are not asked for, which would price nothing"""
    for option in OF_CONSUMERS:
        kinds = ("lambda",) if option.startswith("--lambda") else ("containers", "lambda")
        kinds = ("containers",) if option == "--poll-wait" else kinds
        text = getattr(arguments, option[2:].replace("-", "_"))
        if text is not None and arguments.consumer not in kinds:
            raise InputError(WHERE, option, text, f"give --consumer {' or '.join(kinds)} with it")


def _check_amazon_mq(arguments: argparse.Namespace) -> None:
    """:raises InputError: an option of Amazon MQ, which is not to be priced"""
    if arguments.amazon_mq != "none":
        return
    for option in OPTIONS:
        text = getattr(arguments, option[2:].replace("-", "_"))
        if option.startswith("--amazon-mq-") and text is not None:
            raise InputError(WHERE, option, text, "give --amazon-mq a type with it, not none")


def check_has_effect(arguments: argparse.Namespace, inputs: Inputs) -> None:
    """:raises InputError: an option that prices nothing beside the others"""
    if arguments.client_zones is not None and inputs.sqs_path == "public":
        remedy = "belongs to --sqs-path endpoint or nat: give one of them, too, or leave it out"
        raise InputError(WHERE, "--client-zones", arguments.client_zones, remedy)
    if arguments.cpu_credits is not None and not machine(inputs.instance).burstable:
        remedy = f"{inputs.instance} has no CPU credits: give an --instance of t3 or t4g, or leave it out"
        raise InputError(WHERE, "--cpu-credits", arguments.cpu_credits, remedy)
    if arguments.volume_gb is not None and inputs.volume == "none" and inputs.volume_gb:
        remedy = "there is no volume to have it; leave it out, or --volume none"
        raise InputError(WHERE, "--volume-gb", arguments.volume_gb, remedy)
    with_iops = [kind for kind, limits in VOLUMES.items() if limits.iops_per_gb]
    if arguments.volume_iops is not None and inputs.volume not in with_iops:
        others = " or ".join(with_iops)
        remedy = f"none are provisioned with {inputs.volume}; leave it out, or give --volume {others}"
        raise InputError(WHERE, "--volume-iops", arguments.volume_iops, remedy)


@contextmanager
def priced_options_named(inputs: Inputs, book: PriceBook) -> Iterator[None]:
    """A price that the book lacks is said of the option that asks for it.

    :raises InputError: in the place of one that names the price only
    """
    try:
        yield
    except InputError as error:
        asked = _asked_by(error.field, inputs, book)
        if not error.where.startswith("price book") or asked is None:
            raise
        if asked[0] == "--instance" and inputs.instance not in _sold(book):
            raise InputError(WHERE, *asked, _no_such_instance(inputs.instance, book)) from error
        raise InputError(WHERE, *asked, f"{error.remedy} (of {error.where})") from error


def _sold(book: PriceBook) -> list[str]:
    """Instance types that a book has, also those whose price it does not know."""
    return [price.item for price in book.prices if price.service == SERVICES["on-demand"]]


def _no_such_instance(name: str, book: PriceBook) -> str:
    there = _sold(book)
    hint = did_you_mean(name, there) if name.lower() in there else ""
    has = f"it has {near(name, there)}" if there else "it has none at all"
    return f"the price book {book.label} has no such instance type; {hint}{has}"


def _asked_by(price: str, inputs: Inputs, book: PriceBook) -> tuple[str, str] | None:
    """The option that asks for a price, such as ``ec2/m7g.large``, and its value; None: several may."""
    service, _, item = price.partition("/")
    if service in SERVICES.values():
        is_sold = inputs.instance in book.items(SERVICES["on-demand"])
        return ("--commitment", inputs.commitment) if is_sold else ("--instance", inputs.instance)
    return ("--queue", inputs.queue) if service == "sqs" and item.startswith(inputs.queue) else None


def _renamed(error: InputError, arguments: argparse.Namespace) -> InputError:
    """The error in the words of the command line, with the value as it was given."""
    option = next((name for name, (fields, _, _) in OPTIONS.items() if error.field in fields), None)
    if option is None:
        return error
    text = getattr(arguments, option[2:].replace("-", "_"))
    value = error.value if text is None else text
    fields, metavar, _ = OPTIONS[option]  # one complaint for all fields that it sets
    return InputError(WHERE, option, value, with_remedy(error.remedy, fields[0], metavar, value))
