"""No headline names an option as cheaper that the table of prices does not have as such.

A thousand random questions (sizes, batches, zones, hours, capacities, ways to SQS, with and without Amazon
MQ) at random prices are put to the queries, and the headline's words are set against the table beneath.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from math import inf
from pathlib import Path
from typing import Any

import pytest

from breakeven.pricing.bill.asked import Asked
from breakeven.pricing.bill.inputs import Inputs, ask
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ, Question, question
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book
from breakeven.report.building import money_builder
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.report_model import Report
from breakeven.report.money.cheapest import priced_rates, ranked_curves, shown_rates
from breakeven.report.money.headline import above_headline, as_used, beside_headline, headline
from breakeven.report.money.option_words import about, brief
from breakeven.report.money.price_tables import prices_table
from breakeven.words import dollars
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


def random_inputs(dice: random.Random, beside: random.Random) -> Inputs:
    """:param beside: draws Amazon MQ"""
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
        amazon_mq=beside.choice([None, "mq.m5.large", "mq.m5.large", "mq.m5.xlarge"]),
        amazon_mq_inter_node=beside.choice([None, 0.0, 1.0]),
        amazon_mq_capacity_msg_per_s=beside.choice([10 ** beside.uniform(3, 6), *[None] * 9]),
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


def least_of(report: Report, options: set[str], most: float) -> list[set[str]]:
    """Which of the options cost least at each rate of the table of prices, up to a rate."""
    question = report.cost_questions[0]
    curves = ranked_curves(report, question)
    found = []
    for rate in shown_rates(report, question):
        usd = {brief(option): curves[option].usd_at(rate) or 0.0 for option in options}
        least = min(usd.values()) * (1 + EXACT)
        found += [{name for name, cost in usd.items() if cost <= least}] if rate <= most else []
    return found


#: an option of one of the three sides
OPTION = r"(?:a RabbitMQ|RabbitMQ on|SQS|Amazon MQ)[^,;]*?"
#: what is compared, where it is named before the only range
COMPARED = re.compile(r" of SQS[^;]*? and Amazon MQ(?= at every rate)")
#: what lies between two ranges, over so little that no rate of it was priced
BETWEEN = re.compile(rf", with {OPTION} between the two")
#: what was compared and has no range
NOWHERE = re.compile(rf", and (?P<options>{OPTION}(?: and {OPTION})?) at no rate priced")
#: that another undercuts the last of the ranges, above all that was compared
BEYOND = re.compile(
    rf" \(above about (?P<rate>[\d.,]+) [^()]* is cheaper than it\)"
    rf"|Above about (?P<last>[\d.,]+) messages a second[^.]*?, {OPTION} is cheaper than {OPTION}\."
)
#: a range of the headline: 'SQS batched is the cheapest below about 785', 'Amazon MQ above that, up to ...'
UP_TO = r"(?:(?: messages a second)?(?: \([^)]*\))?, up to about (?P<until>[\d.,]+))?"
RANGE = re.compile(
    r"(?P<option>SQS|Amazon MQ|RabbitMQ)\b[^;]*?(?: at every rate priced| below about (?P<below>[\d.,]+)"
    rf"| above (?:that|about (?P<above>[\d.,]+)){UP_TO})"
)
#: of what follows it: 'Above about 5,670 messages a second, Amazon MQ is the cheapest, up to about 8,900'
FURTHER = re.compile(
    r"Above about (?P<above>[\d.,]+)[^.]*?, (?:a )?(?P<option>SQS|Amazon MQ|RabbitMQ)\b[^,]*?"
    rf" is the cheapest{UP_TO}"
)
#: 'At 100 messages a second SQS batched costs $31.34 a month, $113.04 less than RabbitMQ; at 1,000 ...'
DOLLARS = re.compile(
    r"[Aa]t (?:about )?(?P<rate>[\d.,]+)(?: messages a second)? (?:"
    r"(?P<option>SQS(?: FIFO)?(?: batched)?|RabbitMQ|Amazon MQ) costs (?P<usd>\$[\d,.]*\d) a month, "
    r"(?P<less>\$[\d,.]*\d) less(?: than (?P<other>SQS(?: FIFO)?(?: batched)?|RabbitMQ|Amazon MQ))?"
    r"|(?P<equal>[^.;]*) both cost (?P<both>\$[\d,.]*\d) a month)"
)


def ranges_said(report: Report) -> list[tuple[str, float, float]]:
    """Option, from which rate and up to which, of each range that headline and what follows name."""
    sentence = headline(report).partition(". ")[0]
    said = NOWHERE.sub("", BETWEEN.sub("", COMPARED.sub("", BEYOND.sub("", sentence))))
    further = BETWEEN.sub("", BEYOND.sub("", above_headline(report)))
    found, end = [], 0.0
    for of in (*RANGE.finditer(said), *FURTHER.finditer(further)):
        start = rate_of(of["above"]) or end
        end = rate_of(of.groupdict().get("below") or of["until"]) or inf
        found.append(({"SQS": "SQS batched"}.get(of["option"], of["option"]), start, end))
    assert found, sentence
    assert len(found) == len(re.findall(r"SQS|Amazon MQ(?!'s)|RabbitMQ", f"{said} {further}")), (
        said,
        further,
    )
    return found


def nowhere_said(report: Report) -> set[str]:
    """Options that the headline says are the cheapest at no rate priced, as the table names them."""
    found = NOWHERE.search(headline(report))
    named = re.findall("SQS|RabbitMQ|Amazon MQ", found["options"] if found else "")
    return {{"SQS": "SQS batched"}.get(option, option) for option in named}


def rate_of(text: str | None) -> float:
    return float(text.strip(".,").replace(",", "")) if text else 0.0


def named(sentence: str, sqs: str) -> set[str]:
    """Options that a sentence says are cheaper anywhere; ``sqs``: what the table calls SQS's."""
    found = set()
    if re.search(r"SQS( FIFO)?( batched and long-polled)? is( cheaper|,|\.)", sentence):
        found.add(sqs)
    if re.search(r"RabbitMQ( [^,;]*)? is( cheaper|,|\.)|only below|costs more than RabbitMQ", sentence):
        found.add("RabbitMQ")
    return found


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(1, BATCHES))]
)
def test_no_headline_contradicts_the_table_beneath(seed: int, tmp_path: Path) -> None:
    dice, managed = random.Random(seed), random.Random(f"Amazon MQ {seed}")
    books = [random_book(dice, number) for number in range(BOOKS)]
    questions = [
        question(f"q{n}", random_inputs(dice, managed), dice.choice(books)) for n in range(QUESTIONS)
    ]
    kinds: Counter[frozenset[str]] = Counter()
    with_amazon_mq: Counter[tuple[str, ...]] = Counter()
    nowhere: Counter[frozenset[str]] = Counter()
    dollars_said: Counter[int] = Counter()
    for report in reports_of(questions, tmp_path):
        first, beside = headline(report), beside_headline(report)
        dollars_said[check_dollars(report, first)] += 1
        without = beside[beside.index("Without Amazon MQ") :] if "Without Amazon MQ" in beside else ""
        # crossings are searched up to the thousandth cluster, and said to be
        searched = min(crossing.searched_msg_per_s or 0.0 for crossing in report.crossovers)
        if without:
            with_amazon_mq[check_ranges(report)] += 1
            nowhere[frozenset(nowhere_said(report))] += 1
            if "is the cheapest at no rate priced" in beside:
                assert {"RabbitMQ"} not in cheapest_of_all(report), (first, beside)
        elif beside:
            assert beside == "Amazon MQ is the cheapest at no rate priced."
            assert {"Amazon MQ"} not in cheapest_of_all(report), first
        for sentence, sqs, brief_sqs in (
            (without or first.partition(". ")[0], BATCHED, "SQS batched"),
            (as_used(report), AS_USED, "SQS"),
        ):
            rows = least_of(report, {sqs, RABBITMQ}, searched)
            says = named(sentence, brief_sqs)
            where = (sentence, report.cost_questions[0].inputs, [sorted(row) for row in rows])
            assert says or "cost the same" in sentence or "costs as much" in sentence, where
            assert says <= set.union(*rows), where
            if re.search("at every rate (priced|searched)", sentence) and says:
                assert all(says & row for row in rows), where
            kinds[frozenset(says)] += 1
    for each in ({"SQS batched"}, {"RabbitMQ"}, {"SQS batched", "RabbitMQ"}, {"SQS"}, {"SQS", "RabbitMQ"}):
        assert kinds[frozenset(each)] >= 3, each
    assert with_amazon_mq["SQS batched", "Amazon MQ"] >= 3, with_amazon_mq
    assert sum(many for names, many in with_amazon_mq.items() if "RabbitMQ" in names) >= 3, with_amazon_mq
    assert sum(len(names) == 3 for names in with_amazon_mq.elements()) >= 3, with_amazon_mq
    assert nowhere[frozenset({"RabbitMQ"})] >= 3, nowhere
    assert min(dollars_said[1], dollars_said[2]) >= 10, dollars_said


def cheapest_of_all(report: Report) -> list[set[str]]:
    """The first column of the table of prices, row by row."""
    table = prices_table(report)
    assert table
    return [set(row.cells[0].split(" or ")) for row in table.rows]


def check_ranges(report: Report) -> tuple[str, ...]:
    """Every row within a range that is named has its option as cheapest, and one does; what is cheapest at no
    rate has no row.

    :return: the options, in the order of their ranges
    """
    sentence = f"{headline(report)} {above_headline(report)}"
    rows = list(zip(shown_rates(report, report.cost_questions[0]), cheapest_of_all(report), strict=True))
    said = ranges_said(report)
    if beyond := BEYOND.search(sentence):
        rate = rate_of(beyond["rate"] or beyond["last"])
        assert rate > 0.995 * priced_rates(report, report.cost_questions[0])[-1], sentence
    for option, start, end in said:
        # a rate in words has three figures
        within = [least for rate, least in rows if start * 1.005 < rate < end * 0.995]
        assert all(option in least for least in within), (option, start, end, sentence, rows)
        assert any(option in least for _, least in rows), (option, sentence, rows)
    for option in nowhere_said(report):
        assert {option} not in [least for _, least in rows], (option, sentence, rows)
    return tuple(option for option, _, _ in said)


def check_dollars(report: Report, sentence: str) -> int:
    """Each sum is that of the table's row, and the one that costs less does by the difference that is said.

    :return: at how many rates; none where a price is not known
    """
    question = report.cost_questions[0]
    rates, curves = shown_rates(report, question), ranked_curves(report, question)
    names = {"SQS" if option == AS_USED else brief(option): option for option in curves}
    said, options = list(DOLLARS.finditer(sentence)), ()
    assert len(said) == len(
        re.findall(r"\ba month[,;.]", sentence.partition(". ")[2].partition(". These")[0] + ".")
    )
    for at in said:
        (rate,) = [each for each in rates if about(each) == at["rate"]]
        if at["equal"]:
            options = at["equal"].replace(" FIFO", "").split(" and ")
            least, most = sorted(curves[names[name]].usd_at(rate) for name in options)
            assert (dollars(least), most) == (at["both"], pytest.approx(least, rel=1e-6)), sentence
            continue
        cheaper = at["option"].replace(" FIFO", "")
        options = (cheaper, at["other"].replace(" FIFO", "")) if at["other"] else options
        (other,) = (name for name in options if name != cheaper)
        least, most = (curves[names[name]].usd_at(rate) for name in (cheaper, other))
        assert least < most, (sentence, at["rate"])
        assert (dollars(least), dollars(most - least)) == (at["usd"], at["less"]), sentence
    return len(said)


def test_random_questions_are_a_thousand() -> None:
    assert BATCHES * QUESTIONS >= 1000
