"""Cheaper ways to run the brokers, as ``breakeven crossover`` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import CheaperVariant
from breakeven.report.money.variants_table import start_words
from cli.terminal import columns, print_table, say
from local.stored.answers import Rows


def print_variants(variants: Sequence[CheaperVariant], rate: float, console: Console) -> None:
    """Their dollars and crossings, and below what each gives up; nothing where there is none."""
    if not variants:
        return
    asked = f"$ a month at {words.figure(rate)} msg/s"
    table = columns("cheaper ways to run RabbitMQ", right=(asked, "beats SQS from", "SQS batched from"))
    for each in variants:
        starts = (start_words(each, option) for option in (AS_USED, BATCHED))
        table.add_row(each.option, words.dollars(each.usd), *starts)
    print_table(console, table)
    for each in variants:
        say(console, f"{each.option} gives up: {each.gives_up}.")
    say(console)


def lines_of(variant: CheaperVariant, bills: Rows) -> Rows:
    """A variant's lines at the rate asked for, dearest first."""
    pair = (variant.question_id, RABBITMQ)
    own = [row for row in bills if (row["question_id"], row["option_id"]) == pair]
    return sorted(own, key=lambda row: -(row["usd"] or 0.0))
