"""The tables of crossings: where the options change places, by how much that is uncertain, and why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from breakeven import words
from breakeven.pricing.bill.questions import AMAZON_MQ, RABBITMQ
from breakeven.published.rows import Published
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.question_model import OR_NONE
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.never_crossing import why_never
from breakeven.report.money.option_words import (
    SHORT,
    brief,
    or_none_notes,
    share,
    with_node_down,
)
from breakeven.report.tables.figures import printed

KINDS = {
    "meet": "both options cost the same at that rate",
    "step": "the other option's bill jumps past SQS's where it needs one more cluster; the dollars are SQS's",
    "touch": "both cost the same at that rate only, and the same option is cheaper on either side",
    "tie": "both cost the same over an interval",
    "unpriced": "a required price is not known",
}
#: crossings of a pair that are shown at once: clusters may step past SQS a thousand times
FIRST = 6


def crossover_table(report: Report, published: Published | None) -> Table:
    """The first crossings of every pair, and the source's own beneath."""
    rows = [
        _crossover_row(report, crossing) for crossing in report.crossovers if (crossing.number or 0) <= FIRST
    ]
    if published and published.breakeven:
        source = published.breakeven
        hourly = f"its pair: {printed(source.messages_per_hour)} an hour"
        rows.append(
            Row(
                ("its chart", hourly),
                (printed(source.msg_per_s), *(words.NOTHING,) * (len(COLUMNS) - 1)),
                "published",
                f"As printed by the source: published {published.label}",
            )
        )
    return _table("crossovers", "Where the cheaper option changes", rows, _crossover_notes(report))


def all_crossovers_table(report: Report) -> Table | None:
    """Every crossing, where the first are not all."""
    if all((crossing.number or 0) <= FIRST for crossing in report.crossovers):
        return None
    rows = [_crossover_row(report, crossing) for crossing in report.crossovers]
    return _table("all-crossovers", "Every crossing", rows)


def _table(slug: str, caption: str, rows: Sequence[Row], notes: tuple[str, ...] = ()) -> Table:
    return Table(slug, caption, ("SQS", "against"), tuple(COLUMNS), tuple(rows), notes=notes, sourced=False)


def _crossover_row(report: Report, crossing: Crossover) -> Row:
    question = report.question(crossing.question_id)
    sqs = question.option_name(crossing.sqs_option)
    plain = sqs.removeprefix("SQS, ")
    return Row(
        labels=(
            plain if question.purpose == "history" else SHORT.get(crossing.sqs_option, sqs),
            question.option_name(crossing.other_option),
        ),
        cells=tuple(cell(crossing) for cell in COLUMNS.values()),
        origin="priced",
        section=f"At the prices of {crossing.price_book}",
    )


def _rate(crossing: Crossover) -> str:
    if crossing.msg_per_s is not None:
        return words.figure(crossing.msg_per_s)
    return {"never": "never", "unpriced": "not known"}.get(crossing.kind, words.NOTHING)


def _between(crossing: Crossover) -> str:
    ends = crossing.interval
    spans = f"{words.figure(ends[0])} to {words.figure(ends[1])}" if ends else ""
    sure = "" if crossing.msg_per_s is None or crossing.is_sure else OR_NONE
    return ", ".join(filter(None, (spans, sure))) or words.NOTHING


def _needs(crossing: Crossover) -> str:
    needs = crossing.needs_msg_per_s
    return words.NOTHING if needs is None else f"{words.figure(needs)} msg/s"


COLUMNS: dict[str, Callable[[Crossover], str]] = {
    "msg/s": _rate,
    "range, msg/s": _between,
    "messages a month": lambda crossing: words.amount(crossing.messages_per_month),
    "$ a month": lambda crossing: words.dollars(crossing.usd_per_month),
    "cheaper below": lambda crossing: brief(crossing.cheaper_below),
    "cheaper above": lambda crossing: brief(crossing.cheaper_above),
    "kind": lambda crossing: crossing.kind,
    "a cluster must carry": _needs,
}


def _crossover_notes(report: Report) -> tuple[str, ...]:
    """What the figures mean, each only where it is among them, and why options never change places."""
    notes = []
    question = report.headline_question
    if question and any(crossing.interval for crossing in report.crossovers):
        listed = "; Amazon MQ's price is as listed, and sensitivity varies it by a quarter"
        listed = listed if AMAZON_MQ in question.options else ""
        unknown = question.uncertain_words()
        notes.append(f"Range: where this change may lie, given what is not known: {unknown}{listed}.")
    notes += or_none_notes(
        (
            report.question(crossing.question_id).may_be_none(crossing.sqs_option, crossing.other_option),
            _pair(report, crossing),
        )
        for crossing in report.crossovers
        if crossing.msg_per_s is not None and not crossing.is_sure
    )
    more = sum((crossing.number or 0) > FIRST for crossing in report.crossovers)
    if more:
        notes.append(
            f"{words.plural(more, 'more crossing')} of these pairs are in the table of every crossing."
        )
    kinds = {crossing.kind for crossing in report.crossovers}
    notes += [f"{kind}: {meaning}." for kind, meaning in KINDS.items() if kind in kinds]
    notes += [
        f"{_pair(report, crossing)}, tie: the same {_tied(crossing)}."
        for crossing in report.crossovers
        if crossing.kind == "tie"
    ]
    notes += [
        f"{_pair(report, crossing)}: never. {why}"
        for crossing in report.crossovers
        if (why := why_never(crossing, report.question(crossing.question_id), report.bills))
    ]
    needed = [crossing for crossing in report.crossovers if crossing.needs_msg_per_s]
    if question and any(crossing.question_id == question.question_id for crossing in needed):
        peak, use = question.inputs.get("peak_factor"), question.inputs.get("utilisation")
        notes.append(
            f"A cluster must carry:{with_node_down(question, end=',')} at a peak of {words.quantity(peak)} "
            f"times the mean, {share(use)} utilisation. Capacity of one: {question.capacity}."
        )
        notes += [
            f"{_pair(report, crossing)}: at a peak of {words.quantity(other['peak_factor'])} times the mean, "
            f"{share(other['utilisation'])} utilisation."
            for crossing in needed
            if (other := report.question(crossing.question_id).inputs)
            and (other.get("peak_factor"), other.get("utilisation")) != (peak, use)
        ]
    if question and AMAZON_MQ in question.options:
        notes.append(f"Amazon MQ: with all brokers up. Capacity of one: {question.amazon_mq_capacity}.")
    notes += [
        f"{size.option_name(RABBITMQ)}, capacity of one cluster: {size.capacity}."
        for size in report.cost_questions
        if size.purpose == "size"
    ]
    return tuple(notes)


def _tied(crossing: Crossover) -> str:
    until = crossing.equal_until_msg_per_s
    end = "to the end of the search" if until is None else f"to {words.figure(until)} msg/s"
    return f"from {words.figure(crossing.msg_per_s)} {end}"


def _pair(report: Report, crossing: Crossover) -> str:
    question = report.question(crossing.question_id)
    return (
        f"{question.option_name(crossing.sqs_option)} against {question.option_name(crossing.other_option)}"
    )
