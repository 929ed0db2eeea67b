"""Effect on the crossing of messages of another size, and of brokers in one zone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from breakeven import words
from breakeven.pricing.bill.questions import AS_USED, BATCHED, RABBITMQ
from breakeven.report.contract.crossing_model import SizeCrossing
from breakeven.report.contract.question_model import CostQuestion
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table
from breakeven.report.money.option_words import SHORT, about, unbatched

#: SQS's options, in the order in which a sentence names them
MODES = (AS_USED, BATCHED)
_NEVER = "is never cheaper "
RANGES = (
    "Where a range is given, the cheaper one changes again at its end. Changes above that are not listed."
)


def by_size_table(report: Report) -> Table | None:
    """The first crossing by message size, for each of SQS's options and number of zones."""
    question, rows = _asked(report)
    if question is None:
        return None
    columns = list(dict.fromkeys((row.sqs_option, row.zones) for row in rows))
    cells = {(row.message_bytes, row.sqs_option, row.zones): _cell(row) for row in rows}
    options = list(dict.fromkeys(option for option, _ in columns))
    return Table(
        slug="by-size",
        caption=f"Rate from which {question.spoken_option(RABBITMQ)} is cheaper, by message size, msg/s",
        label_titles=("Message",),
        columns=tuple(words.plural(zones, "zone") for _, zones in columns),
        groups=tuple(
            (question.option_name(option), sum(each == option for each, _ in columns)) for option in options
        ),
        rows=tuple(
            Row(
                (words.size(size),),
                tuple(cells.get((size, *column), words.NOTHING) for column in columns),
                "priced",
            )
            for size in dict.fromkeys(row.message_bytes for row in rows)
        ),
        notes=(
            "Never: SQS is cheaper at every rate searched. One zone: all brokers and clients are in it, so "
            "no traffic crosses zones, and the queue stops with the zone.",
            *((RANGES,) if any(row.again_msg_per_s for row in rows) else ()),
        ),
        sourced=False,
    )


def size_and_zones(report: Report) -> str:
    """From which size on self-hosting never wins, and what one zone would change; empty: not asked."""
    question, rows = _asked(report)
    if question is None:
        return ""
    zones = question.priced_with.zones
    return " ".join(_sentences(question, rows, zones))


def _sentences(question: CostQuestion, rows: Sequence[SizeCrossing], zones: int) -> Iterator[str]:
    where = "In one zone" if zones == 1 else f"Across {words.plural(zones, 'zone')}"
    ends = [
        _last(found, than(question, option))
        for option in MODES
        if (found := [row for row in rows if (row.sqs_option, row.zones) == (option, zones)])
    ]
    yield f"{where}, running your own {_listed(ends)} (of the sizes priced)."
    if zones > 1:
        size = question.priced_with.message_bytes
        one_zone = [row for row in rows if (row.zones, row.message_bytes) == (1, size)]
        starts = [f"{than(question, row.sqs_option)} {_start(row)}" for row in one_zone]
        yield f"In one zone, with {words.size(size)} messages, it is cheaper {words.listing(starts)}."


def _listed(ends: Sequence[str]) -> str:
    """'is never cheaper than A, nor than B'; else as any list."""
    first, *others = ends
    if others and all(each.startswith(_NEVER) for each in ends):
        return ", nor ".join([first, *(each.removeprefix(_NEVER) for each in others)])
    return words.listing(ends)


def _last(rows: Sequence[SizeCrossing], option: str) -> str:
    """From which of the sizes on it is never cheaper than an option."""
    sizes = [row.message_bytes for row in rows]
    winning = [row.message_bytes for row in rows if RABBITMQ in row.won_by]
    if not winning:
        return f"{_NEVER}{option}, whatever the size of messages"
    larger = [size for size in sizes if size > winning[-1]]
    if not larger:
        return f"can be cheaper {option} with messages of up to {words.size(sizes[-1])}"
    return f"{_NEVER}{option} with messages of {words.size(larger[0])} or more"


def _start(row: SizeCrossing) -> str:
    if row.msg_per_s is None:
        return "at every rate" if RABBITMQ in row.won_by else "at no rate"
    first, again = about(row.msg_per_s), row.again_msg_per_s
    if row.cheaper_above == RABBITMQ:
        range_ = f"first from about {first} to about {about(again)}" if again else f"above about {first}"
    else:
        range_ = f"below about {first}" + (f" and above about {about(again)}" if again else "")
    return f"{range_} messages a second"


def than(question: CostQuestion, option: str) -> str:
    """'than SQS batched', as a sentence goes on."""
    return f"than SQS {SHORT[BATCHED] if option == BATCHED else unbatched(question)}"


def _asked(report: Report) -> tuple[CostQuestion | None, list[SizeCrossing]]:
    question = report.headline_question
    rows = [
        row
        for row in report.crossovers_by_size
        if question and row.question_id == question.question_id and row.kind != "unpriced"
    ]
    return (question if rows else None), rows


def _cell(row: SizeCrossing) -> str:
    if row.msg_per_s is None:
        return "every rate" if RABBITMQ in row.won_by else "never"
    rate = words.figure(row.msg_per_s)
    again = words.figure(row.again_msg_per_s) if row.again_msg_per_s else ""
    if row.cheaper_above == RABBITMQ:
        return f"{rate} to {again}" if again else rate
    return f"below {rate}, above {again}" if again else f"below {rate}"
