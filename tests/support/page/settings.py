"""Random settings of the page's controls: as questions for the SQL, and as what the page is given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from breakeven.errors import InputError
from breakeven.pricing.bill.inputs import MAX_BATCH, Inputs, ask
from breakeven.pricing.bill.lines import number
from breakeven.pricing.bill.pair_questions import in_form
from breakeven.pricing.bill.questions import (
    AS_USED,
    BATCHED,
    Question,
    amazon_mq_option,
    own_cluster,
    question,
    sqs_option,
)
from breakeven.pricing.bill.sqs_lines import batched
from breakeven.pricing.bill.variations import corners
from breakeven.pricing.cluster_form import Deployment
from breakeven.pricing.prices.book import PriceBook
from breakeven.pricing.prices.book_files import load_book, regions

BY_TENS = "sqs-by-tens"
FORMS: tuple[Deployment, ...] = ("pair", "trio")
INSTANCES = ("m7g.large", "m6i.xlarge", "t4g.medium", "t3.small", "r7g.large", "c7g.large")
COMMITMENTS = ("on-demand", "on-demand", "1y-standard", "3y-convertible")


def random_inputs(random: Random) -> Inputs:
    """Inputs that the model takes; those that it refuses are drawn anew."""
    while True:
        try:
            return ask(**_drawn(random))
        except InputError:
            continue


def _drawn(random: Random) -> dict[str, Any]:
    batch = random.choice((1, 1, random.randint(2, 10), round(random.uniform(1, 10), 2)))
    fields: dict[str, Any] = {
        "msg_per_s": 10 ** random.uniform(-1, 5),
        "message_bytes": random.choice((random.randint(1, 4096), random.randint(1, 262_144), 1024)),
        "queue": random.choice(("standard", "standard", "fifo", "fair")),
        "send_batch": batch,
        "receive_batch": random.choice((batch, random.randint(1, 10))),
        "delete_batch": random.choice((batch, random.randint(1, 10))),
        "empty_receives": random.choice((None, None, 0.0, round(random.uniform(0, 3), 2))),
        "existing_requests": random.choice((0, 0, 10.0 ** random.randint(5, 10))),
        "free_tier": random.random() < 0.8,
        "sqs_path": random.choice(("public", "public", "endpoint", "nat")),
        "client_zones": random.randint(1, 4),
        "instance": random.choice(INSTANCES),
        "commitment": random.choice(COMMITMENTS),
        "cpu_credits": random.choice(("unlimited", "standard")),
        "deployment": random.choice(("pair", "trio")),
        "broker_zones": random.choice((None, None, 1, 2)),
        "client_zone_share": random.choice((None, None, round(random.random(), 2))),
        "utilisation": round(random.uniform(0.2, 1), 2),
        "peak_factor": round(random.uniform(1, 20), 1),
        "hours": random.choice((None, round(random.uniform(0, 80), 1))),
        "hour_rate": random.choice((75, 120.5)),
        "amazon_mq": random.choice(("mq.m7g.large", "mq.m5.large", "mq.m5.xlarge")),
        "amazon_mq_hours": random.choice((None, 2.0)),
        "batch_fill": random.choice((None, None, round(random.uniform(0.1, 1), 2))),
        "volume": random.choice(("gp3", "gp3", "gp2", "io2", "none")),
    }
    if random.random() < 0.3:
        fields["capacity_msg_per_s"] = float(random.randint(500, 60_000))
    if random.random() < 0.4:
        fields |= _consumer(random)
    if random.random() < 0.3:
        fields |= {
            "cluster_nodes": random.choice((None, 3, 5)),
            "group_size": random.choice((None, 1, 2, 3, 5)),
        }
    if random.random() < 0.2:
        fields["amazon_mq_price_factor"] = round(random.uniform(0.5, 1.5), 2)
    return fields


def _consumer(random: Random) -> dict[str, Any]:
    return {
        "consumer": random.choice(("containers", "lambda")),
        "consumer_queues": random.randint(1, 5),
        "containers": random.randint(1, 6),
        "lambda_batch": random.choice((1, 10, 100)),
        "lambda_window_s": random.choice((None, 0, 5)),
        "lambda_ms": round(random.uniform(0.5, 200), 1),
        "lambda_pollers": random.choice((0, 0, 4)),
        "lambda_receives": random.choice((None, 1.0)),
        "lambda_polls_per_s": random.choice((None, 2.0)),
    }


def question_of(name: str, inputs: Inputs, book: PriceBook) -> Question:
    """The page's options as one question: three ways of SQS, a pair, a trio, Amazon MQ where it is priced."""
    singles = batched(inputs).but(send_batch=1)
    made = [
        sqs_option(AS_USED, inputs, book),
        sqs_option(BY_TENS, singles, book, f"SQS, single sends, {_received(inputs)}"),
        sqs_option(BATCHED, batched(inputs), book),
        *(own_cluster(in_form(inputs, form), book, option_id=f"rabbitmq-{form}") for form in FORMS),
    ]
    managed, _ = amazon_mq_option(inputs, book)
    return Question(name, "headline", inputs, book, (*made, *([managed] if managed else [])))


def _received(inputs: Inputs) -> str:
    """How many messages a full receive brings: ten at most, 1 MiB together, and as many as cost least."""
    full = batched(inputs.but(batch_fill=None)).receive_batch
    if full == MAX_BATCH:
        return "received by tens"
    return "received one by one" if full <= 1 else f"received {number(full)} a call"


@dataclass(frozen=True, slots=True)
class Setting:
    """Inputs, and the page's question about them at a region's prices."""

    inputs: Inputs
    region: str
    question: Question

    def given(self, *, intervals: bool) -> dict[str, Any]:
        """What ``web/test/evaluate.ts`` reads."""
        inputs = self.inputs.model_dump(mode="json")
        return {
            "inputs": inputs,
            "region": self.region,
            "rate": inputs["msg_per_s"],
            "intervals": intervals,
        }


def drawn(seed: int, count: int) -> list[Setting]:
    """Settings of which every price is known, from a seed."""
    random, found = Random(seed), []
    while len(found) < count:
        inputs, region = random_inputs(random), random.choice(regions())
        try:
            asked = question_of(f"q{len(found)}", inputs, load_book(region))
        except InputError:
            continue
        found.append(Setting(inputs, region, asked))
    return found


def of_one_pair(setting: Setting, number: int) -> Question:
    """Of the page's options one of SQS and one cluster, in turn: a thousand questions of all take minutes."""
    options = setting.question.options
    sqs = [option for option in options if option.side == "sqs"]
    others = [option for option in options if option.side != "sqs"]
    pair = (sqs[number % len(sqs)], others[number // len(sqs) % len(others)])
    return replace(setting.question, options=pair)


def corners_of(setting: Setting) -> list[Question]:
    """The intervals' questions: SQS as used and batched, the cluster that was asked for, Amazon MQ."""
    return corners(question(setting.question.question_id, setting.inputs, setting.question.book))
