"""Table of the cluster's cheaper variants: their costs, and what each gives up."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED
from breakeven.report.contract.crossing_model import CheaperVariant, FirstCrossing
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table


def variants_table(report: Report) -> Table | None:
    """One row a variant; None where none was priced."""
    question, found = report.headline_question, report.cheaper_variants
    if question is None or not found:
        return None
    rate = words.figure(found[0].msg_per_s)
    return Table(
        slug="cheaper-variants",
        caption="Cheaper ways to run the brokers, and what they give up",
        label_titles=("Brokers",),
        columns=(
            f"$ a month at {rate} msg/s",
            "cheaper than SQS from, msg/s",
            "than SQS batched from, msg/s",
            "capacity of one cluster",
            "gives up",
        ),
        rows=tuple(Row((each.option,), _cells(each), "priced") for each in found),
        notes=(
            "Each is priced as the bills are, with the capacity of just that cluster where one was measured "
            "on AWS, and as one cluster else. CPU credits: CPU is taken to be used in proportion to the "
            "rate, so that a full cluster's mean is the utilisation over the peak factor.",
        ),
        sourced=False,
    )


def _cells(each: CheaperVariant) -> tuple[str, ...]:
    from_rates = (start_words(each, option) for option in (AS_USED, BATCHED))
    return (words.dollars(each.usd), *from_rates, each.capacity, each.gives_up)


def start_words(each: CheaperVariant, sqs_option: str) -> str:
    """From which rate the variant is cheaper than one of SQS's options."""
    crossing = next((one for one in each.crossings if one.sqs_option == sqs_option), None)
    return words.NOTHING if crossing is None else _start(crossing)


def _start(crossing: FirstCrossing) -> str:
    if crossing.kind == "never":
        return "never" if crossing.cheaper_above == crossing.sqs_option else "any rate"
    return "not known" if crossing.msg_per_s is None else words.figure(crossing.msg_per_s)
