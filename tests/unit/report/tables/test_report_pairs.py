"""The table of every option of cost against every other, of a report whose rows the real queries answered."""

from __future__ import annotations

from typing import Any

import pytest

from breakeven.pricing.cluster_form import ClusterForm
from breakeven.report.contract.pairs_model import PairCrossing
from breakeven.report.contract.report_model import Report
from breakeven.report.money.pairs_table import first_changes, pairs_table, rate, sides
from breakeven.report.render.markdown import markdown
from breakeven.report.sections.answer import cost
from breakeven.report.sections.subject import Subject
from tests.fixtures.report import money, sample

PLAN = sample.planned()[:2]
TRIO, MANAGED = "RabbitMQ trio", "Amazon MQ cluster"


def report_of(**inputs: Any) -> Report:
    return sample.report(PLAN, **money.answers(**inputs))


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of(deployment="trio")


def rows(report: Report) -> dict[tuple[str, ...], tuple[str, ...]]:
    table = pairs_table(report)
    assert table
    return {row.labels: row.cells for row in table.rows}


def test_a_trio_against_amazon_mq_has_a_row_with_its_condition(report: Report) -> None:
    assert rows(report)[TRIO, MANAGED] == ("2,400", "or no crossing", "$778.05", "10,300 msg/s")
    table = pairs_table(report)
    assert table
    assert any("traffic between its brokers, whose price no source gives, is free" in n for n in table.notes)
    charged = "Or no crossing if traffic between Amazon MQ's brokers is charged"
    (condition,) = [note for note in table.notes if note.startswith("Or no crossing")]
    # a pair crosses zones more often than brokers whose copies are charged
    assert condition == f"{charged}: {TRIO} against {MANAGED}."
    sure = report_of(deployment="trio", amazon_mq_inter_node=1.0)
    assert rows(sure)[TRIO, MANAGED] == ("throughout", "–", "–", "–")
    table = pairs_table(sure)
    assert table
    assert not any("whose price no source gives" in note for note in table.notes)


def test_every_two_have_a_row_and_what_has_no_price_has_none(report: Report) -> None:
    assert len(rows(report)) == 7 * 6 / 2
    assert len(rows(report_of(deployment="trio", amazon_mq=None))) == 5 * 4 / 2


def test_the_pairs_with_sqs_are_those_of_the_crossings(report: Report) -> None:
    assert report.pairs
    first = {(one.first_option, one.second_option): one for one in first_changes(report.pairs)}
    same = {"rabbitmq": "rabbitmq-trio", "amazon-mq": "amazon-mq-cluster"}
    own = [c for c in report.crossovers if c.question_id == sample.QUESTION and c.number == 1]
    assert len(own) == 4
    for crossing in own:
        pair = first[crossing.sqs_option, same[crossing.other_option]]
        assert pair.msg_per_s == pytest.approx(crossing.msg_per_s, rel=1e-12)
        assert (pair.low_msg_per_s, pair.high_msg_per_s) == pytest.approx(
            (crossing.low_msg_per_s, crossing.high_msg_per_s), rel=1e-12
        )
        assert pair.needs_msg_per_s == pytest.approx(crossing.needs_msg_per_s)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "never", "msg_per_s": None, "cheaper_above": "rabbitmq-trio"}, "throughout"),
        ({"kind": "unpriced", "msg_per_s": None}, "not known"),
        ({"kind": "touch", "cheaper_above": "rabbitmq-trio"}, "throughout"),
        ({"kind": "step", "crossings": 31}, "120 (+30 crossings)"),
        ({"kind": "tie"}, "equal from 120"),
    ],
)
def test_kinds_of_crossings_in_words(changes: dict[str, Any], said: str) -> None:
    fields: dict[str, Any] = {
        "first_option": "rabbitmq-trio", "second_option": "amazon-mq-cluster", "number": 1, "crossings": 1,
        "kind": "meet", "cheaper_below": "rabbitmq-trio", "cheaper_above": "amazon-mq-cluster",
        "msg_per_s": 120.0, "low_msg_per_s": None, "high_msg_per_s": None, "corners": 0, "corners_with": 0,
        "searched_msg_per_s": 1e7, "usd_per_month": 10.0, "needs_msg_per_s": None,
    }  # fmt: skip
    one = PairCrossing(**fields | changes)
    assert rate(one) == said
    assert sides(one, ClusterForm()) == (TRIO, MANAGED)


def test_it_stands_in_the_reports_cost_and_in_markdown(report: Report) -> None:
    section = cost.section(Subject(report, None, False))
    assert section
    assert "pairs" in [table.slug for table in section.tables()]
    assert "### Where the cheaper of two options changes" in markdown(report, None)


def test_a_report_without_the_question_has_no_such_table(report: Report) -> None:
    assert pairs_table(report.model_copy(update={"pairs": None})) is None
