"""``breakeven crossover``: both bills at a traffic and every crossing, with no run at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.amazon_mq_lines import BETWEEN_BROKERS, priced_types
from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.cheaper_variants import cheaper
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.known_capacity import KnownCapacity, capacities
from breakeven.pricing.bill.pair_questions import ask_pairs
from breakeven.pricing.bill.questions import bill_question, priced_beside, question
from breakeven.pricing.bill.variations import corners, staffed
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import DEFAULT_REGION, load_book, read_book
from breakeven.report.building.variant_builder import cheaper_variants
from breakeven.report.money.measured_capacity import RunsCapacities, capacities_from
from cli.crossover.asked_traffic import check_one_traffic, dollars, rate_of_bill, rate_of_volume
from cli.crossover.crossover_options import (
    add_options,
    check_has_effect,
    inputs_of,
    priced_options_named,
)
from cli.crossover.crossover_output import print_answer
from cli.crossover.explain import SUBJECTS, explain
from cli.crossover.option_values import WHERE
from cli.crossover.priced_answer import Answer
from cli.option_parser import one_of
from cli.terminal import Terminal, print_json
from local.stored.answers import answers

#: at which both are priced where no rate was asked for
USUAL_RATE = 100.0
AT_ANY_RATE = ("crossover", "cost_curves", "pair_crossings", "pays_from")
AT_THE_RATE = ("bills", "break_even_hours")


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "crossover",
        help="price both sides at a traffic, and where they cross",
        description="Price SQS and your own RabbitMQ at a traffic, and find where they cost the same. "
        "Nothing is measured and nothing is started; prices of the book.",
    )
    add_options(command)
    command.add_argument(
        "--capacity-from",
        metavar="RUN",
        help="the capacity that a run of mode: capacity measured: its id, latest, or a path",
    )
    command.add_argument("--runs", type=Path, help="with --capacity-from: folder of results (runs)")
    command.add_argument(
        "--per-month", metavar="N", help="messages a month, such as 3000000, instead of --rate"
    )
    command.add_argument("--sqs-bill", metavar="USD", help="what SQS costs a month now, instead of --rate")
    command.add_argument("--region", help=f"whose prices ({DEFAULT_REGION})")
    command.add_argument(
        "--book", type=Path, metavar="FILE", help="a price book of your own, instead of --region"
    )
    command.add_argument(
        "--explain",
        nargs="?",
        const="all",
        type=one_of("all", *SUBJECTS),
        metavar=f"{{{','.join(('all', *SUBJECTS))}}}",
        help="where figures come from: formulas, inputs, prices with source and date, the SQL and its rows",
    )
    command.add_argument("--json", action="store_true", help="print the answer as JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the answer.

    :raises InputError: an option's value, or a price that is not known
    """
    if arguments.json and arguments.explain:
        remedy = "is for reading, and no part of the document that --json prints; leave one of them out"
        raise InputError(WHERE, "--explain", arguments.explain, remedy)
    answer = answer_of(arguments)
    if arguments.json:
        print_json(answer.document())
        return 0
    console = Terminal()
    print_answer(answer, console)
    if arguments.explain:
        explain(answer, arguments.explain, console)
    return 0


def answer_of(arguments: argparse.Namespace) -> Answer:
    """The question that the options put, and what the queries answer to it."""
    if arguments.book and arguments.region is not None:
        raise InputError(WHERE, "--book", str(arguments.book), "give it or --region, not both")
    with _named("--book", arguments.book):
        book = read_book(arguments.book) if arguments.book else load_book(arguments.region or DEFAULT_REGION)
    check_one_traffic(arguments)
    inputs = inputs_of(arguments)
    if arguments.per_month is not None:
        inputs = inputs.but(msg_per_s=rate_of_volume(arguments.per_month, inputs))
    if arguments.amazon_mq is not None and inputs.amazon_mq is not None:
        _known_broker(inputs, book)
    inputs, why = priced_beside(inputs, book)
    if arguments.book:
        _check_sells_requests(arguments.book, inputs, book)
    service, item = BETWEEN_BROKERS
    if item in book.items(service):  # a book of one's own, which settles what no shipped one knows
        inputs = inputs.but(amazon_mq_inter_node=0.0)
    bill = None if arguments.sqs_bill is None else dollars(arguments.sqs_bill)
    measured = _measured(arguments, inputs)
    inputs = inputs.but(**measured.priced())
    printed = _printed_capacity(inputs)
    if printed is not None:
        inputs = inputs.but(capacity_msg_per_s=printed.msg_per_s)
    with priced_options_named(inputs, book):
        base = question(book.name, inputs, book)
    check_has_effect(arguments, inputs)
    less, _ = cheaper(base, _printed)
    questions = (base, *less, *corners(base), *staffed(base), *ask_pairs(base))
    if bill is not None:
        questions = (*questions, bill_question("bill", inputs, book, bill))
    found = answers(Asked(questions).rows(), AT_ANY_RATE)
    crossings = [row for row in found["crossover"] if row["purpose"] not in {"bill", "cheaper"}]
    of_variants = [row for row in found["crossover"] if row["purpose"] == "cheaper"]
    if bill is not None:
        (inverse,) = [row for row in found["crossover"] if row["purpose"] == "bill"]
        inputs = inputs.but(msg_per_s=rate_of_bill(inverse, arguments.sqs_bill))
    elif inputs.msg_per_s is None:
        inputs = inputs.but(msg_per_s=USUAL_RATE)
    base = question(book.name, inputs, book)
    less, unpriced = cheaper(base, _printed)
    pairs, *_ = ask_pairs(base)
    asked = Asked((base, *less, pairs), (*why, *unpriced, *measured.notes))
    # for when a move is paid back, which is not known where these disagree
    ends = () if inputs.migration_hours is None else tuple(corners(base))
    priced = Asked((*asked.questions, *(replace(each, purpose="rate") for each in ends)))
    found |= {"crossover": crossings} | answers(priced.rows(), AT_THE_RATE)
    variants = cheaper_variants(asked.to_json(), of_variants, found["bills"])
    return Answer(base, asked, found, bill, measured.own or printed, measured.managed, tuple(variants), ends)


def _printed(inputs: Inputs) -> Inputs:
    """The inputs with the capacity that a source printed of just this cluster, if any."""
    printed = capacities(inputs).get(inputs.instance)
    return inputs.but(capacity_msg_per_s=printed.msg_per_s) if printed else inputs


@contextmanager
def _named(option: str, value: object) -> Iterator[None]:
    """What is wrong with the file itself is said of the option that names it.

    :raises InputError: in the place of one that names no option
    """
    try:
        yield
    except InputError as error:
        if error.field not in {"file", "run"}:
            raise
        raise InputError(WHERE, option, str(value), error.remedy) from error


def _check_sells_requests(path: Path, inputs: Inputs, book: PriceBook) -> None:
    """Without the price of a request nothing is compared with anything, whatever option asks for it.

    :raises InputError: the file has none
    """
    item = "fifo_request" if inputs.queue == "fifo" else "standard_request"
    if item not in book.items("sqs"):
        raise InputError(WHERE, "--book", str(path), f"has no price of sqs/{item}; add it")


def _known_broker(inputs: Inputs, book: PriceBook) -> None:
    """The usual type is left out where a book has no price of it; one that was asked for is not.

    :raises InputError: its form is not priced; the error names those that are
    """
    form = form_of(inputs.deployment)
    types = priced_types(form, book)
    if inputs.amazon_mq in types:
        return
    there = f"{book.label} has {', '.join(types)}" if types else f"{book.label} prices none"
    remedy = f"no price of a {form} of it is known; {there}; or none"
    raise InputError(WHERE, "--amazon-mq", inputs.amazon_mq, remedy)


def _printed_capacity(inputs: Inputs) -> KnownCapacity | None:
    """The printed one of just this cluster, where no other is given."""
    return capacities(inputs).get(inputs.instance) if inputs.capacity_msg_per_s is None else None


def _measured(arguments: argparse.Namespace, inputs: Inputs) -> RunsCapacities:
    """What the run that is named found and holds for the question; nothing where none is named.

    :raises InputError: two are given, or the run has none that holds for the question
    """
    if arguments.capacity_from is None:
        if arguments.runs is not None:
            remedy = "is used with --capacity-from only: give that as well, or leave it out"
            raise InputError(WHERE, "--runs", str(arguments.runs), remedy)
        return RunsCapacities()
    # which brings the charts of a report, for which a question without a run would only wait
    from cli.report_source import find, read, unfinished  # noqa: PLC0415
    from local.stored.settled_report import settled_report  # noqa: PLC0415

    runs = arguments.runs or Path("runs")
    # latest is the run that is under way as soon as a case of it is settled
    if folder := unfinished(arguments.capacity_from, runs):
        report = settled_report(folder)
    else:
        with _named("--capacity-from", arguments.capacity_from):
            source = find(arguments.capacity_from, runs)
        report = read(source)
    found = capacities_from(report, WHERE, inputs)
    given = {"--capacity": (found.own, inputs.capacity_msg_per_s)}
    given["--amazon-mq-capacity"] = (found.managed, inputs.amazon_mq_capacity_msg_per_s)
    for option, (measured, asked) in given.items():
        if measured and asked is not None:
            raise InputError(
                WHERE, "--capacity-from", arguments.capacity_from, f"give it or {option}, not both"
            )
    return found
