"""The report's capacities: with all nodes and with one down, each said for what it is."""

from __future__ import annotations

import pytest

from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.sections.speeds.capacity_searches import (
    COUNTED_ON,
    IN_BRACKETS,
    ONE_MACHINE,
    capacity_table,
)
from tests.fixtures.report import sample
from tests.support.loaders.probes import reported


def searched(case: CaseReport, cell: str, held: float, flags: list[str]) -> CaseReport:
    probes = [reported(held, held=True), reported(held * 1.04, held=False, number=2)]
    return case.model_copy(update={"scenario": "capacity", "cell": cell, "probes": probes, "flags": flags})


@pytest.fixture
def report() -> Report:
    made = sample.report()
    pair = next(case for case in made.cases if case.target == "rabbitmq-mirrored-pair")
    cases = [
        searched(pair, "nodes_down=0", 4000, ["shared_host"]),
        searched(pair, "nodes_down=1", 6000, ["nodes_down", "shared_host"]),
    ]
    return made.model_copy(update={"cases": cases})


def test_both_capacities_are_reported_with_the_nodes_that_they_were_found_on(report: Report) -> None:
    table = capacity_table(report)
    notes = [note.partition(", repeat")[0] + note.partition(": ")[2] for note in table.notes[1:3]]
    assert notes == [
        "capacity, all nodes, RabbitMQ mirrored pair4,000 msg/s was held, 4,160 was not.",
        "capacity, 1 node down, RabbitMQ mirrored pair6,000 msg/s was held, 6,240 was not.",
    ]
    assert [row.section.split(", ")[1] for row in table.rows] == ["all nodes"] * 2 + ["1 node down"] * 2


def test_a_rate_that_was_confirmed_says_for_how_long(report: Report) -> None:
    first = report.cases[0]
    longer = {"confirms": True, "for_s": 600.0}
    again = reported(4000, held=True, number=3, **longer)
    confirmed = first.model_copy(update={"probes": [*first.probes, again]})
    assert confirmed.confirmed_s == 600
    table = capacity_table(report.model_copy(update={"cases": [confirmed]}))
    assert table.notes[1].endswith("4,000 msg/s was held, confirmed for 600 s, 4,160 was not.")
    assert "600" in table.rows[0].cells or "600" in table.rows[1].cells


def test_a_rate_that_failed_to_be_confirmed_bounds_the_capacity_from_above(report: Report) -> None:
    first = report.cases[0]
    wanting = reported(4000, held=False, number=3, confirms=True, for_s=600.0)
    lower = first.model_copy(update={"probes": [reported(3000, held=True, number=0), *first.probes, wanting]})
    assert (lower.held_rate, lower.confirmed_s) == (3000, None)
    table = capacity_table(report.model_copy(update={"cases": [lower]}))
    assert table.notes[1].endswith("3,000 msg/s was held, 4,000 was not.")


def test_short_probes_stand_in_brackets_and_no_capacity_rests_on_them(report: Report) -> None:
    first = report.cases[0]
    assert IN_BRACKETS not in capacity_table(report).notes
    short = [
        reported(8000, held=True, number=0, scouts=True, for_s=5.0),
        reported(9000, held=False, number=0, scouts=True, for_s=5.0),
    ]
    case = first.model_copy(update={"probes": [*short, *first.probes]})
    assert case.held_rate == 4000
    table = capacity_table(report.model_copy(update={"cases": [case]}))
    held = [row.cells[table.columns.index("held")] for row in table.rows]
    assert held == ["yes", "no", "(yes)", "(no)"]
    assert [row.tone for row in table.rows] == ["", "bad", "", ""]
    assert IN_BRACKETS in table.notes
    assert any(note.endswith("4,000 msg/s was held, 4,160 was not.") for note in table.notes)


def test_each_cell_has_the_interval_of_its_repeats(report: Report) -> None:
    first, second = report.cases
    again = searched(first.model_copy(update={"repeat": 2}), "nodes_down=0", 2000, ["shared_host"])
    failed = second.model_copy(update={"repeat": 2, "status": "failed", "probes": []})
    table = capacity_table(report.model_copy(update={"cases": [first, again, second, failed]}))
    assert [note for note in table.notes if "interval" in note] == [
        "capacity, all nodes, RabbitMQ mirrored pair: capacity 3,000 msg/s, interval 2,000 to 4,160 msg/s "
        "(the range of 2 repeats, which has the median with 50% probability).",
        "capacity, 1 node down, RabbitMQ mirrored pair: capacity 6,000 msg/s, interval 6,000 to 6,240 msg/s "
        "(measured once: the search's own resolution, 4.0%).",
    ]


def test_what_may_be_priced_is_said_where_a_node_was_down(report: Report) -> None:
    assert capacity_table(report).notes[-2:] == (COUNTED_ON, ONE_MACHINE)
    whole = report.model_copy(update={"cases": report.cases[:1]})
    assert COUNTED_ON not in capacity_table(whole).notes
    on_aws = report.model_copy(update={"environment": "aws"})
    assert capacity_table(on_aws).notes[-1] == COUNTED_ON
