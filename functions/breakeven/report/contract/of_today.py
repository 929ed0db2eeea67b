"""A report of an earlier version as today's has it: whose prices, and which inputs are no longer taken."""

from __future__ import annotations

from breakeven.pricing.prices.price import Publisher
from breakeven.report.contract.cost_model import PriceTier
from breakeven.report.contract.earlier_inputs import EarlierInputs
from breakeven.report.contract.report_model import Report

#: how sources said, before there were publishers, that a price is in nothing of AWS's
NOT_OF_AWS = "in no AWS data that was read"
#: how sources begin of a price that is the asker's own: a person's hour, or what is paid for SQS now
OF_THE_ASKER = "given with the question"
#: in formulas of traffic between zones until each crossing was priced with what goes beside a message's body
BODIES_ONLY = "crossings a message ("
OF_BODIES_ONLY = (
    "An earlier version priced traffic between zones by messages' bodies alone, and had deliveries of quorum "
    "queues hop from the leader: the figures are that version's. The page's controls price as today's does."
)


def of_today(report: Report) -> Report:
    """The same figures, with the publishers of prices and a note on inputs that are out of today's bounds."""
    notes = [
        note
        for question in report.cost_questions
        if isinstance(question.priced_with, EarlierInputs)
        for note in question.priced_with.notes()
    ]
    if any(BODIES_ONLY in line.formula for bill in report.bills for line in bill.lines):
        notes.append(OF_BODIES_ONLY)
    fresh = [note for note in dict.fromkeys(notes) if note not in report.assumptions]
    return report.model_copy(
        update={"prices": _with_publishers(report.prices), "assumptions": [*fresh, *report.assumptions]}
    )


def _with_publishers(prices: list[PriceTier]) -> list[PriceTier]:
    """A version that knew publishers has one at least; what is null in it is the asker's own."""
    if any(price.publisher for price in prices):
        return prices
    return [price.model_copy(update={"publisher": _publisher(price)}) for price in prices]


def _publisher(price: PriceTier) -> Publisher | None:
    if price.source.startswith(OF_THE_ASKER):
        return None
    return "third-party" if NOT_OF_AWS in price.source else "aws"
