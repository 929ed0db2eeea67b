"""The tables about money: their figures are the rows', and what is not known is not shown as a figure."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.published.rows import load_shipped
from breakeven.report.charts import cost_curves, decision, hours, tornado
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Chart, Folded, Section
from breakeven.report.money.cheapest import RATES, shown_rates
from breakeven.report.money.crossover_tables import all_crossovers_table, crossover_table
from breakeven.report.money.lookup_tables import (
    bills_table,
    map_table,
    sensitivity_table,
)
from breakeven.report.money.price_tables import hours_tables, prices_table
from breakeven.report.money.variants_table import variants_table
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.answer import cost
from breakeven.report.sections.answer.cost import cost_notes
from breakeven.report.sections.subject import Subject
from breakeven.words import dollars, figure
from tests.fixtures.report import money, sample
from tests.fixtures.report.html import parse, text
from tests.fixtures.report.spoken import in_detail

PLAN = sample.planned()[:2]
SOURCE_A = load_shipped("source-a")
SOURCES = "Prices used: who says so, and when"
#: messages so small that traffic costs less than SQS at its lowest price: each pair changes places once
ONCE = {"message_bytes": 512}
PAIR, MQ = "RabbitMQ pair of m7g.large", "Amazon MQ cluster of mq.m7g.large"


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


def cost_section(report: Report, *, with_charts: bool = False) -> Section:
    found = cost.section(Subject(report, SOURCE_A, with_charts))
    assert found
    return found


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of()


def listed(table: Any, column: str) -> list[tuple[tuple[str, ...], str]]:
    """Of each row its labels and that cell; a pair that changes places again has several rows."""
    return [(row.labels, row.cells[table.columns.index(column)]) for row in table.rows]


def cells(table: Any) -> dict[tuple[str, ...], dict[str, str]]:
    return {row.labels: dict(zip(table.columns, row.cells, strict=True)) for row in table.rows}


def test_cheaper_variants_stand_beside_with_their_crossings_and_what_they_give_up(report):
    table = variants_table(report)
    assert table is not None
    rows = cells(table)
    assert [labels[0] for labels in rows] == [
        "RabbitMQ on one m7g.large",
        "RabbitMQ pair of t4g.large (unlimited credits)",
        "RabbitMQ pair of t4g.large (standard credits)",
        "RabbitMQ on one t4g.large (unlimited credits)",
    ]
    one = rows["RabbitMQ on one m7g.large",]
    # 730 h x $0.0816, 20 GB, ten metrics and five alarms, over $1.20 a million messages; none leaves the zone
    assert one["cheaper than SQS from, msg/s"] == "20.6"
    assert one["than SQS batched from, msg/s"] == "206"
    assert "no copy" in one["gives up"]
    assert "network baseline" in one["capacity of one cluster"]
    assert {crossing.question_id for crossing in report.crossovers} == {"us-east-1", "2012-12"}
    assert {bill.question_id for bill in report.bills} == {"us-east-1"}
    bare = sample.report(PLAN, **{**money.answers(), "crossover": [], "bills": []})
    assert variants_table(bare) is None


def test_every_crossing_is_in_the_table_and_both_answers_of_2012(report):
    table = crossover_table(report, SOURCE_A)
    assert "meet: both options cost the same at that rate." in table.notes
    assert listed(table, "msg/s") == [
        (("as used", PAIR), "43.9"),
        (("batched", PAIR), "1,160"),
        (("batched", PAIR), "676,000"),
        (("as used", MQ), "191"),
        (("batched", MQ), "1,910"),
        (("3 calls a message", "RabbitMQ pair of m1.small"), "14.8"),
        (("its chart", "its pair: 60,000 an hour"), "17"),
    ]
    rows = cells(table)
    first = rows["as used", PAIR]
    assert (first["range, msg/s"], first["$ a month"], first["a cluster must carry"]) == (
        "32.4 to 43.9",
        "$138.26",
        "188 msg/s",
    )
    assert (first["cheaper below"], first["cheaper above"], first["kind"]) == ("SQS", "RabbitMQ", "meet")
    beside = rows["as used", MQ]
    assert (beside["range, msg/s"], beside["a cluster must carry"]) == ("144 to 199", "820 msg/s")


def test_each_row_stands_under_the_prices_that_it_is_at(report):
    sections = [row.section for row in crossover_table(report, SOURCE_A).rows]
    assert sections == [
        *["At the prices of us-east-1@2026-11-20"] * 5,
        "At the prices of 2012-12",
        "As printed by the source: published 2012",
    ]


def test_no_interval_is_shown_where_nothing_uncertain_moves_the_crossing(report):
    ranges = [
        cell for labels, cell in listed(crossover_table(report, None), "range, msg/s") if PAIR in labels
    ]
    assert ranges == ["32.4 to 43.9", "303 to 1,160", "or no crossing"]
    sure = report_of(empty_receives=0.0, batch_fill=1.0, amazon_mq_inter_node=0.0)
    table = crossover_table(sure, None)
    assert {cell for _, cell in listed(table, "range, msg/s")} == {"–"}
    assert not any(note.startswith("Range") for note in table.notes)


def test_never_has_its_reason_beneath():
    table = crossover_table(report_of(message_bytes=65536), None)
    row = cells(table)["as used", PAIR]
    assert (row["msg/s"], row["messages a month"], row["cheaper below"], row["cheaper above"]) == (
        "never",
        "–",
        "SQS",
        "SQS",
    )
    assert [note for note in table.notes if "never. At 64 KiB" in note and "$3.68" in note]


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"kind": "step"}, "step: the other option's bill jumps"),
        ({"kind": "touch", "cheaper_above": "sqs-as-used"}, "touch: both cost the same at that rate only"),
        ({"kind": "tie", "equal_until_msg_per_s": 80.0}, "tie: the same from 42.8 to 80.0 msg/s"),
        ({"kind": "tie", "equal_until_msg_per_s": None}, "from 42.8 to the end of the search"),
        ({"kind": "unpriced", "msg_per_s": None}, "unpriced: a required price is not known"),
    ],
)
def test_other_kinds_are_explained_where_they_are(change, note):
    pair = (sample.QUESTION, "sqs-as-used", "rabbitmq")
    changed = [
        row | change if (row["question_id"], row["sqs_option"], row["other_option"]) == pair else row
        for row in money.answers(**ONCE)["crossover"]
    ]
    table = crossover_table(sample.report(PLAN, crossover=changed), None)
    assert cells(table)["as used", PAIR]["kind"] == change["kind"]
    assert any(note in one for one in table.notes)
    assert not any(note in one for one in crossover_table(report_of(**ONCE), None).notes)


def test_many_crossings_are_folded_and_none_is_dropped(report):
    many = report_of(capacity_msg_per_s=200.0, empty_receives=0.0)
    shown, every = crossover_table(many, None), all_crossovers_table(many)
    assert len(every.rows) == len(many.crossovers) > 30
    assert len(shown.rows) == sum((c.number or 0) <= 6 for c in many.crossovers)
    assert any(note.startswith("32 more crossings") for note in shown.notes)
    assert all_crossovers_table(report) is None
    folds = [part for part in cost_section(many).parts if isinstance(part, Folded)]
    (folded,) = [fold for fold in folds if fold.slug == "every-crossing"]
    assert [len(table.rows) for table in folded.parts] == [len(every.rows)]


def test_prices_are_those_of_the_curves_at_round_rates():
    report = report_of(**ONCE)
    table = prices_table(report)
    assert [title for title, _ in table.groups] == [
        "Cheapest",
        "SQS as used",
        "SQS batched and long-polled",
        PAIR,
        MQ,
    ]
    curves = [c for c in report.cost_curves if c.question_id == sample.QUESTION]
    shown = shown_rates(report, report.headline_question)
    assert set(shown) <= set(RATES)
    for row, rate in zip(table.rows, shown, strict=True):
        sums = [curve.usd_at(rate) for curve in curves]
        assert list(row.cells[2::2]) == [dollars(usd) for usd in sums]
        assert list(row.cells[3::2]) == [dollars(usd / rate * 1000) for usd in sums]
    assert [row.labels[1] for row in table.rows][:2] == ["2.63 million", "26.3 million"]
    assert table.columns[:2] == ("of these", "as used")
    assert [row.cells[0] for row in table.rows] == [
        *["SQS batched"] * 3, "RabbitMQ", "Amazon MQ"
    ]  # fmt: skip
    assert [row.cells[1] for row in table.rows] == [*["SQS"] * 2, *["RabbitMQ"] * 2, "Amazon MQ"]
    assert "4.29, 42.9, 429, 4,290 and 42,900 msg/s at peak with one node down" in table.notes[1]
    assert "Amazon MQ 4.29, 42.9, 429, 4,290 and 42,900 with all brokers up" in table.notes[1]
    assert table.notes[2].startswith("Amazon MQ is ranked as if traffic between its brokers, whose price")


def test_amazon_mq_is_ranked_where_it_undercuts_and_its_condition_is_said():
    dear = report_of(hours=40.0)
    ranked = [row.cells[0] for row in prices_table(dear).rows]
    # $3,000 of staff time a month: at 10,000 msg/s its own cluster of the service is cheaper than both
    assert ranked == [*["SQS batched"] * 4, *["Amazon MQ"] * 2]
    assert "These prices include 40 hours of staff time a month for RabbitMQ." in dear.verdict
    assert ", Amazon MQ above that, and a RabbitMQ pair" in dear.verdict
    assert (
        "These prices suppose that each Amazon MQ cluster can carry 8,200 messages a second (more at higher "
        "rates), with free traffic between Amazon MQ's brokers."
    ) in dear.verdict
    noted = in_detail(dear)["The headline"]
    assert "each Amazon MQ cluster of mq.m7g.large carries at least" in noted
    assert "whose price no source gives, is free." in noted
    charged = report_of(hours=40.0, amazon_mq_inter_node=0.0)
    assert "each Amazon MQ cluster can carry " in charged.verdict
    assert "free traffic" not in charged.verdict
    assert "whose price no source gives" not in in_detail(charged)["The headline"]


def test_a_stretch_that_the_headline_names_has_a_row_of_its_own():
    # above the last of the round rates
    far = report_of(hours=40.0, amazon_mq=None)
    assert "in 2 zones below about 32,500 messages a second" in far.verdict
    table = prices_table(far)
    assert [row.labels[0] for row in table.rows][-1] == "38,312 msg/s"
    assert [row.cells[0] for row in table.rows] == [*["SQS batched"] * 5, "RabbitMQ"]


def test_hours_are_reported_where_they_win_and_where_they_never_do(report):
    rows = cells_by_position(hours_tables(report)[0])
    assert rows["10 msg/s"] == ("−$100.03", "never wins", "−$128.41", "never wins")
    assert rows["1,000 msg/s"] == ("$2,821", "37.6", "−$17.42", "never wins")
    assert rows["10,000 msg/s"] == ("$29,245", "390", "$862.31", "11.5")


def cells_by_position(table: Any) -> dict[str, tuple[str, ...]]:
    return {row.labels[0]: row.cells for row in table.rows}


def test_hours_without_a_price_of_an_hour_are_a_dash():
    rows = [row | {"hours": None, "hour_usd": None} for row in money.answers()["break_even_hours"]]
    table = hours_tables(sample.report(PLAN, break_even_hours=rows))[0]
    assert cells_by_position(table)["1,000 msg/s"][1] == "–"


def test_the_map_in_words_names_each_change():
    rows = cells_by_position(map_table(report_of(capacity_msg_per_s=3000.0)))
    assert rows["0"][0] == "m7g.large from 43.9 msg/s"
    assert rows["160"][1] == "SQS at every rate of the charts, up to 100,000 msg/s"
    assert len(rows) == 10


def test_sensitivity_is_of_every_pair_and_never_is_said(report):
    table = sensitivity_table(report)
    assert len({row.section for row in table.rows}) == 4
    first = {row.labels[0]: row.cells for row in table.rows if row.section == f"SQS as used against {PAIR}"}
    assert first["SQS price"] == ("59.9", "34.7", "43.9")
    gone = sensitivity_table(report_of(capacity_msg_per_s=3000.0))
    section = f"SQS batched and long-polled against {PAIR}"
    batched = {row.labels[0]: row.cells for row in gone.rows if row.section == section}
    assert batched["SQS price"] == ("never", "679", "never")


def test_bills_have_each_line_and_their_sum(report):
    table = bills_table(report)
    for bill, name in zip(
        report.bills, ("SQS as used", "SQS batched and long-polled", PAIR, MQ), strict=True
    ):
        rows = [row for row in table.rows if row.section == name]
        assert [row.labels[0] for row in rows] == [*(line.line for line in bill.lines), "Total"]
        sums = [*(line.usd for line in bill.lines), bill.usd]
        assert [row.cells[0] for row in rows] == [dollars(usd) for usd in sums]
        assert [row.cells[-1] for row in rows[:-1]] == [line.formula for line in bill.lines]
    requests = next(row for row in table.rows if row.labels == ("requests",))
    assert requests.cells[2:4] == ("788 million requests", "sqs/standard_request")


def test_markdown_has_every_table_of_the_money(report):
    page = markdown(report, SOURCE_A)
    for table in cost_section(report).tables():
        assert f"### {table.caption}" in page.replace("\\", "")
    assert f"| {figure(report.crossovers[1].msg_per_s)} |" in page
    assert cost_notes(report)[0] in page.replace("\\", "")


def test_tables_alone_draw_no_chart(report, monkeypatch):
    """A chart takes part of a second, and Markdown has none."""
    drawn = cost_section(report, with_charts=True).tables()
    for module in (cost_curves, decision, hours, tornado):
        monkeypatch.setattr(module, "chart", None)
    assert cost_section(report).tables() == drawn


def test_nothing_priced_has_no_cost_part():
    assert cost.section(Subject(sample.report(PLAN, **sample.NOTHING), SOURCE_A)) is None


def test_crossings_alone_still_have_their_table():
    rows = money.answers()["crossover"]
    cost_asked = money.answers()["cost"] | {"prices": [], "sizes": []}
    report = sample.report(PLAN, **money.NOTHING | {"crossover": rows, "cost": cost_asked})
    found = cost_section(report, with_charts=True)
    assert [part for part in found.parts if isinstance(part, Chart | Folded)] == []
    assert [table.slug for table in found.tables()] == ["crossovers", "crossing-latencies"]


@pytest.mark.usefixtures("undrawn")
def test_the_pages_cost_part_stands_in_order_and_says_why_the_article_differs():
    root = parse(page(sample.report(PLAN), SOURCE_A))
    (section,) = [element for element in root.iter("section") if element.get("id") == "cost"]
    said = text(section)
    places = [
        said.index(words)
        for words in (
            "What a month costs, by traffic",
            "Where the cheaper option changes",
            "Why the article's figure differs from its own prices.",
            "Rate from which a RabbitMQ pair of m7g.large is cheaper, by message size",
            "What a month costs, by rate",
            "Break-even hours:",
            "Cheapest option by traffic and hours of staff time",
            "What moves the break-even",
            "Bills line by line at 100 messages a second",
        )
    ]
    assert places == sorted(places)
    assert "53,333 messages an hour, 14.8 a second" in said
    folded = [text(element.find("summary")) for element in section.iter("details")]
    assert folded == [
        "The map in words",
        "Every input, every pair of options",
        "Every bill line by line",
        "Prices used: who says so, and when",
    ]


def test_amazon_mq_has_break_even_hours_of_its_own_and_a_place_on_the_map_once_its_hours_are_known():
    report = sample.report(**money.answers(capacity_msg_per_s=3000.0))
    own, managed = hours_tables(report)
    assert (own.slug, managed.slug) == ("hours", "hours-amazon-mq")
    assert "Amazon MQ" in managed.caption
    assert [row.labels for row in managed.rows] == [row.labels for row in own.rows]
    assert "is not on it, as no source that was read says" in map_table(report).notes[0]
    known = sample.report(**money.answers(capacity_msg_per_s=3000.0, amazon_mq_hours=2.0))
    assert "Amazon MQ has its 2 hours a month, whatever" in map_table(known).notes[0]
    assert "amazon-mq" in {name for one in known.decision_map for row in one.rows for name in row.cheapest}
