"""Options that are priced beside those of the headline, and cheaper than SQS from lower rates on."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from breakeven import words
from breakeven.pricing.bill.amazon_mq import form_of
from breakeven.pricing.bill.pair_questions import MANAGED, OWN
from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED
from breakeven.pricing.cluster_form import Deployment
from breakeven.pricing.prices.broker_types import Form
from breakeven.report.contract.pairs_model import PairCrossing
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.money.option_words import SHORT, about
from breakeven.report.money.pairs_table import first_changes
from breakeven.targets.records.rabbitmq_records import MIRRORED_PAIR

NO_STANDBY = "as nothing takes over from {}"
OWN_WORDS: dict[Deployment, str] = {
    "single": "one RabbitMQ node",
    "pair": "a mirrored RabbitMQ pair",
    "trio": "a RabbitMQ quorum trio",
}
MANAGED_WORDS: dict[Form, str] = {"single": "one Amazon MQ broker", "cluster": "an Amazon MQ cluster"}
#: by the names of their options
FORMS: dict[str, str] = {
    **{name: OWN_WORDS[form] for name, form in OWN.items()},
    **{name: MANAGED_WORDS[form_of(form)] for name, form in MANAGED.items()},
}
SINGLE = [name for name, form in (OWN | MANAGED).items() if form == "single"]


def left_out(report: Report) -> str:
    """Which options the headline leaves out although they would change it, from which rate, and why.

    Empty where none would: each that is dearer than SQS up to where the headline's own clusters begin to pay.
    """
    found, question = _earlier(report), report.headline_question
    if not found or question is None:
        return ""
    which = ", and ".join(_groups(found, OWN_WORDS[question.priced_with.deployment]))
    return f"Left out, though cheaper than {_sqs(report)} from lower rates on: {which}."


def _earlier(report: Report) -> dict[str, float]:
    """Options that the headline leaves out -> from which rate they pay, before the headline's clusters do."""
    question = report.headline_question
    if question is None or report.pairs is None:
        return {}
    sqs = _sqs_option(question)
    crossings = {one.second_option: one for one in first_changes(report.pairs) if one.first_option == sqs}
    compared = _compared(question)
    begins = min((_pays_from(one, sqs) for name, one in crossings.items() if name in compared), default=inf)
    return {
        name: rate
        for name, one in crossings.items()
        if name in FORMS and name not in compared and (rate := _pays_from(one, sqs)) < begins
    }


def _sqs_option(question: CostQuestion) -> str:
    """SQS batched costs no more than SQS as used, and is what the headline speaks of."""
    return BATCHED if BATCHED in question.options else AS_USED


def _sqs(report: Report) -> str:
    question = report.headline_question
    return f"SQS {SHORT[_sqs_option(question)]}" if question else "SQS"


def _compared(question: CostQuestion) -> set[str]:
    """Ids of the headline's clusters in the question of all pairs."""
    deployment = str(question.inputs["deployment"])
    own = {name for name, form in OWN.items() if form == deployment}
    wanted: Form = form_of(deployment)
    managed = {name for name, form in MANAGED.items() if form_of(form) == wanted}
    return own | (managed if AMAZON_MQ in question.options else set())


def _pays_from(crossing: PairCrossing, sqs: str) -> float:
    """From which rate on the option is cheaper than SQS, messages a second; infinity: it never is."""
    if crossing.is_change:
        return (crossing.msg_per_s or 0.0) if crossing.cheaper_below == sqs else 0.0
    return 0.0 if crossing.cheaper_above not in (sqs, None) else inf


def _groups(found: dict[str, float], asked: str) -> Iterator[str]:
    """Those with one reason together.

    :param asked: the cluster that the question is of
    """
    named = {name: f"{FORMS[name]} ({about(rate)} a second)" for name, rate in found.items()}
    single = [text for name, text in named.items() if name in SINGLE]
    if single:
        yield f"{words.listing(single)}, {NO_STANDBY.format('it' if len(single) == 1 else 'either')}"
    removed = MIRRORED_PAIR.removed_in
    for name, text in named.items():
        if name not in SINGLE:
            why = f"the question is of {asked}"
            if removed and OWN.get(name) == "pair":
                why = f"its queues left RabbitMQ in {removed.series}.0"
            yield f"{text}, as {why}"
