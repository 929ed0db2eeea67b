"""No headline names an option as cheaper that the table of prices does not have as such.

A thousand random questions (sizes, batches, zones, hours, capacities, ways to SQS) at random prices are put
to the queries, and the headline's words are set against the table that a reader sees beneath.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import Question, question
from breakeven.pricing.prices.book import PriceBook, load_book
from breakeven.report.building import money_builder
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Table
from breakeven.report.money.headline import as_used, headline
from breakeven.report.money.price_tables import prices_table
from tests.fixtures.report import sample
from tests.support.money.query_tables import Bucket

BATCHES, QUESTIONS, BOOKS = 4, 260, 6
#: services whose prices are made other than they are, each by a factor of its own
CHANGED = ("sqs", "ec2", "network", "ebs", "amazonmq")


def random_book(dice: random.Random, number: int) -> PriceBook:
    book = load_book(dice.choice(["us-east-1", "eu-west-1"])).model_dump(mode="json", by_alias=True)
    factors = {service: dice.choice([0.0, 0.1, 0.5, 1.0, 2.0, 10.0]) for service in CHANGED}
    for price in book["prices"]:
        factor = factors.get(price["service"], 1.0)
        tiers = [tier | {"usd": tier["usd"] * factor} for tier in price["tiers"]]
        price |= {"tiers": tiers, "usd": tiers[0]["usd"] if tiers else None}
    return PriceBook.model_validate(book | {"name": f"{book['name']}-{number}"})


def random_inputs(dice: random.Random) -> Inputs:
    nodes = dice.choice(["single", "pair", "trio"])
    size = round(2 ** dice.uniform(0, 18))
    return ask(
        message_bytes=size,
        send_batch=dice.choice([1, 1, 1, dice.uniform(1, 4)]),
        receive_batch=dice.choice([1, 1, 1, dice.uniform(1, 4)]),
        delete_batch=dice.choice([1, 1, 10]),
        empty_receives=dice.choice([None, 0, 5]),
        free_tier=dice.random() < 0.7,
        existing_requests=dice.choice([0, 0, 1e9, 3e11]),
        sqs_path=dice.choice(["public", "public", "endpoint", "nat"]),
        queue=dice.choice(["standard", "fifo"]),
        deployment=nodes,
        # of most that are drawn nothing caps the capacity: steps of clusters take the queries long
        instance=dice.choice(["m7g.large", *["r3.large", "m3.large", "m4.large"] * 5]),
        broker_zones=dice.choice([None, 1]),
        capacity_msg_per_s=dice.choice([10 ** dice.uniform(0, 6), *[None] * 9]),
        hours=dice.choice([None, None, 0, 8, 100]),
        amazon_mq=None,
    )


def reports_of(questions: list[Question], folder: Path) -> list[Report]:
    """A report of each question, from what the real queries answer to all."""
    bucket = Bucket(folder)
    for table, rows in Asked(tuple(questions)).rows().items():
        bucket.put(table, rows)
    found: dict[str, dict[str, list[Any]]] = {}
    for name in ("crossover", "cost_curves"):
        found[name] = defaultdict(list)
        for row in bucket.ask(name):
            found[name][row["question_id"]].append(row)
    empty = sample.report(sample.planned()[:2], **sample.NOTHING)
    reports = []
    for each in questions:
        asked = money_builder.cost_questions(Asked((each,)).to_json())
        reports.append(
            empty.model_copy(
                update={
                    "cost_questions": asked,
                    "crossovers": money_builder.crossovers(found["crossover"][each.question_id], asked),
                    "cost_curves": money_builder.cost_curves(found["cost_curves"][each.question_id]),
                }
            )
        )
    return reports


def cheapest(table: Table, column: int, most: float) -> list[set[str]]:
    """What each row of the table, up to a rate, has as cheapest: one or several."""
    rates = [float(row.labels[0].removesuffix(" msg/s").replace(",", "")) for row in table.rows]
    rows = [row for rate, row in zip(rates, table.rows, strict=True) if rate <= most]
    return [set(row.cells[column].split(" or ")) for row in rows]


def named(sentence: str, sqs: str) -> set[str]:
    """Options that a sentence says are cheaper anywhere; ``sqs``: what the table calls SQS's."""
    found = set()
    if re.search(r"SQS( FIFO)?( batched and long-polled)? is( cheaper|,|\.)", sentence):
        found.add(sqs)
    if re.search(r"RabbitMQ( [^,;]*)? is( cheaper|,|\.)|only below|costs more than RabbitMQ", sentence):
        found.add("RabbitMQ")
    return found


@pytest.mark.parametrize("seed", range(BATCHES))
def test_no_headline_contradicts_the_table_beneath(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    books = [random_book(dice, number) for number in range(BOOKS)]
    questions = [question(f"q{n}", random_inputs(dice), dice.choice(books)) for n in range(QUESTIONS)]
    kinds: Counter[frozenset[str]] = Counter()
    for report in reports_of(questions, tmp_path):
        table, first, second = prices_table(report), headline(report), as_used(report)
        assert table
        for sentence, column, sqs in ((first, 0, "SQS batched"), (second, 1, "SQS")):
            # crossings are searched up to the thousandth cluster, and said to be
            searched = min(crossing.searched_msg_per_s or 0.0 for crossing in report.crossovers)
            rows, says = cheapest(table, column, searched), named(sentence, sqs)
            where = (sentence, report.cost_questions[0].inputs, [sorted(row) for row in rows])
            assert says or "cost the same" in sentence or "costs as much" in sentence, where
            assert says <= set.union(*rows), where
            if "at every rate priced" in sentence and says:
                assert all(says & row for row in rows), where
            kinds[frozenset(says)] += 1
    for each in ({"SQS batched"}, {"RabbitMQ"}, {"SQS batched", "RabbitMQ"}, {"SQS"}, {"SQS", "RabbitMQ"}):
        assert kinds[frozenset(each)] >= 3, each


def test_random_questions_are_a_thousand() -> None:
    assert BATCHES * QUESTIONS >= 1000
