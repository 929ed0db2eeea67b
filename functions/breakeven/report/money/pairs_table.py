"""The table of every option against every other: where they change places, or which is cheaper throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from breakeven import words
from breakeven.pricing.bill.inputs import Inputs
from breakeven.pricing.bill.pair_questions import uncertain_of_pair
from breakeven.pricing.cluster_form import ClusterForm
from breakeven.report.contract.pairs_model import PairCrossing, Pairs
from breakeven.report.contract.question_model import OR_NONE, may_be_none
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.managed import BETWEEN
from breakeven.report.money.option_words import brief_of_pair, or_none_notes

THROUGHOUT = "throughout"


def first_changes(pairs: Pairs) -> list[PairCrossing]:
    """Of each pair the first crossing at which the cheaper option changes; else its first row."""
    found: dict[tuple[str, str], PairCrossing] = {}
    for one in pairs.crossings:
        pair = (one.first_option, one.second_option)
        held = found.get(pair)
        if held is None or (not held.is_change and one.is_change):
            found[pair] = one
    return list(found.values())


def sides(crossing: PairCrossing, asked: ClusterForm) -> tuple[str, str]:
    """The option that is cheaper below the crossing, or throughout, and the other; after a tie, above it."""
    cheaper = crossing.cheaper_below or crossing.cheaper_above or crossing.first_option
    other = crossing.second_option if cheaper == crossing.first_option else crossing.first_option
    return brief_of_pair(cheaper, asked), brief_of_pair(other, asked)


def rate(crossing: PairCrossing) -> str:
    """The rate below which the first of the row is cheaper, and how many crossings there are besides."""
    if crossing.kind == "unpriced":
        return "not known"
    if crossing.msg_per_s is None or crossing.kind == "touch":
        return THROUGHOUT
    more = f" (+{words.plural(crossing.crossings - 1, 'crossing')})" if crossing.crossings > 1 else ""
    from_there = "equal from " if crossing.kind == "tie" else ""
    return f"{from_there}{words.figure(crossing.msg_per_s)}{more}"


def between(crossing: PairCrossing) -> str:
    """What the uncertain inputs make of it."""
    ends = crossing.interval
    spans = f"{words.figure(ends[0])} to {words.figure(ends[1])}" if ends else ""
    sure = "" if crossing.msg_per_s is None or crossing.is_sure else OR_NONE
    return ", ".join(filter(None, (spans, sure))) or words.NOTHING


def _needs(crossing: PairCrossing) -> str:
    needs = crossing.needs_msg_per_s
    return words.NOTHING if needs is None else f"{words.figure(needs)} msg/s"


COLUMNS: dict[str, Callable[[PairCrossing], str]] = {
    "below, msg/s": rate,
    "range, msg/s": between,
    "$ a month": lambda one: words.dollars(one.usd_per_month),
    "above it, a cluster must carry": _needs,
}


def notes(pairs: Pairs, inputs: Inputs, *, are_forms_measured: bool = False) -> tuple[str, ...]:
    """What the columns mean, and what Amazon MQ's prices suppose.

    :param are_forms_measured: whether other forms may be priced with an uncertain capacity of their own
    """
    searched = max((one.searched_msg_per_s or 0.0 for one in pairs.crossings), default=0.0)
    said = [
        "Range: where this change may lie, given what is not known of both options.",
        *or_none_notes(_unsure(pairs, inputs, are_forms_measured)),
        f"Throughout: no crossing up to {words.figure(searched)} msg/s, a thousandth full cluster, or the "
        "end of a price's tiers, whichever comes first.",
        "Last column: the rate at the peak that each cluster of the option that is cheaper above it must "
        "carry; with one node down where it has several of one's own.",
    ]
    if any(one.kind == "step" for one in first_changes(pairs)):
        said.append("Dollars: of either, but where a cluster is added of one of them before that.")
    if any(name.startswith("amazon-mq") for name in pairs.options) and inputs.amazon_mq_inter_node is None:
        said.append(f"The prices of an Amazon MQ cluster suppose that {BETWEEN} is free.")
    if inputs.client_zone_share is None:
        said.append("A single node or broker is priced with all clients in its zone.")
    return tuple(said)


def _unsure(pairs: Pairs, inputs: Inputs, are_forms_measured: bool) -> Iterator[tuple[str, str]]:
    """Condition and name of each pair that may have no crossing."""
    for one in first_changes(pairs):
        if one.msg_per_s is None or one.is_sure:
            continue
        names = uncertain_of_pair(inputs, one.first_option, one.second_option)
        known = () if are_forms_measured else names
        yield may_be_none(known, inputs.batch_fill is not None), " against ".join(sides(one, inputs))


def pairs_table(report: Report) -> Table | None:
    """None where the run asked no such question."""
    question = report.headline_question
    if report.pairs is None or question is None or not report.pairs.crossings:
        return None
    inputs = question.priced_with
    return Table(
        slug="pairs",
        caption="Where the cheaper of two options changes",
        label_titles=("Cheaper", "than"),
        columns=tuple(COLUMNS),
        rows=tuple(
            Row(
                sides(one, inputs),
                tuple(cell(one) for cell in COLUMNS.values()),
                "priced",
            )
            for one in first_changes(report.pairs)
        ),
        notes=notes(report.pairs, inputs, are_forms_measured=bool(report.capacities)),
        sourced=False,
    )
