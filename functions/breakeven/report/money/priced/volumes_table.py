"""Table of what a month costs at a few volumes, with messages of a few sizes."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED
from breakeven.report.contract.cost_model import VolumePrice
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import brief, hour


def volumes_table(report: Report) -> Table | None:
    """A row a size and volume; None of earlier versions' reports, and where nothing was priced."""
    question = report.headline_question
    if question is None or not report.volumes:
        return None
    options = list(dict.fromkeys(option for one in report.volumes for option in one.usd))
    return Table(
        slug="volumes",
        caption="What a month costs, by messages a month and their size, in dollars",
        label_titles=("Messages a month",),
        columns=("as a mean, msg/s", *(question.option_name(option) for option in options), "cheapest"),
        rows=tuple(
            Row(
                (words.amount(one.messages_per_month),),
                (
                    words.figure(one.msg_per_s),
                    *(words.dollars(one.usd.get(option)) for option in options),
                    _cheapest(one),
                ),
                "priced",
                f"Messages of {words.size(one.message_bytes)}",
            )
            for one in report.volumes
        ),
        notes=(_note(question),),
        sourced=False,
    )


def _cheapest(one: VolumePrice) -> str:
    """Of several that cost the same all; SQS batched stands for both where the two do."""
    known = {option: usd for option, usd in one.usd.items() if usd is not None}
    least = min(known.values(), default=0.0)
    found = [option for option, usd in known.items() if usd <= least * (1 + EXACT)]
    if {AS_USED, BATCHED} <= set(found):
        found.remove(AS_USED)
    return " or ".join(brief(option) for option in found) or words.NOTHING


def _note(question: CostQuestion) -> str:
    hours = question.inputs.get("hours")
    staff = (
        f"The cluster's dollars include {words.quantity(hours)} hours of staff time at "
        f"{hour(question.inputs.get('hour_rate'))}."
        if hours
        else "No staff time is in these dollars."
    )
    return f"{staff} The page's controls price any other traffic in the same way."
