"""Nodes in a report: their courses, what is said of them at both sides of each limit, charts and table."""

from __future__ import annotations

import re
from math import isnan
from typing import Any

import pytest

from breakeven.report.charts import node_charts
from breakeven.report.charts.node_charts import MOST_CHARTS, MOST_POINTS, chosen, nodes_over_time
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Bullets, Chart, Paragraph, Strong, Table
from breakeven.report.sections.over_time.watched_nodes import MOST_FINDINGS, NO_NODE_WAS_THE_LIMIT, section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.node_limits import OF_A_NODE, findings, shared_cores
from tests.fixtures.report import sample
from tests.fixtures.report.courses import MOST_S, course, node_rows

PLAN = sample.planned((sample.RABBITMQ,))[1:3]
FIRST, SECOND = (case.case_id for case in PLAN)
TEN: list[float] = [0.0] * 10


def report(*rows: list[dict[str, Any]]) -> Report:
    return sample.report(PLAN, nodes_over_time=[row for part in rows for row in part])


def test_a_course_has_a_value_a_second_and_none_of_what_nobody_knows() -> None:
    cpu = [None, *[0.5] * (MOST_S - 1)]
    alarms = [None, "memory", "memory, disk", *[""] * (MOST_S - 3)]
    (found,) = report(
        node_rows(FIRST, cpu_cores=cpu, alarms=alarms, unknown="network"), node_rows("another")
    ).nodes
    assert (found.case_id, found.node, found.taken, found.host_cores) == (
        *(FIRST, "rabbit1@localhost"),
        *("process tree", 2),
    )
    assert found.cpu_cores == cpu
    assert found.steal_cores == []
    assert found.memory_alarm[:4] == [None, True, True, False]
    assert found.disk_alarm[:4] == [None, False, True, False]
    assert found.unknown == ["network"]
    assert found.working == range(MOST_S - 1)


def test_a_case_without_samples_or_of_another_run_has_no_course() -> None:
    assert report(node_rows(FIRST, node=None)).nodes == []
    assert sample.report(PLAN).nodes == []


#: judge -> what raises it, words that it must hold, and what just does not
BOUNDARIES: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "processors": (
        {"host_cores": 2, "cpu_cores": [1.8] * 10},
        ["n1 used 1.80 of its 2 cores"],
        {"host_cores": 2, "cpu_cores": [1.799] * 10},
    ),
    "disk": (
        {"disk_busy_share": [0.9] * 10, "written_bytes_per_s": [125e6] * 10, "read_bytes_per_s": TEN},
        ["busy 90%", "written at 125 MB/s", "read at 0 MB/s"],
        {"disk_busy_share": [0.899] * 10},
    ),
    "stolen": (
        {"host_cores": 2, "steal_cores": [0.2] * 10},
        ["withheld 0.20 of 2 cores from n1"],
        {"host_cores": 2, "steal_cores": [0.199] * 10},
    ),
    "memory alarm": (
        {"memory_alarm": [False, True, None, True, *[False] * 6]},
        ["memory alarm from second 1 to 3"],
        {"memory_alarm": [False, None, *[False] * 8]},
    ),
    "disk alarm": (
        {"disk_alarm": [False, True, *[False] * 8]},
        ["disk alarm in second 1"],
        {"disk_alarm": [False] * 10},
    ),
    "gap": (
        {"cpu_cores": [0.1, 0.1, None, None, None, *[0.1] * 5]},
        ["n1 has no figures from second 2 to 4"],
        {"cpu_cores": [0.1, 0.1, None, None, 0.1, None, None, *[0.1] * 3]},
    ),
}


@pytest.mark.parametrize("name", OF_A_NODE)
def test_a_sentence_stands_from_its_least_evidence_on_and_not_below(name: str) -> None:
    raising, said, sparing = BOUNDARIES[name]
    sentence = OF_A_NODE[name](course(**raising))
    assert all(part in sentence for part in said), sentence
    assert OF_A_NODE[name](course(**sparing)) == ""


def test_of_one_core_the_sentence_says_so() -> None:
    assert "0.98 of its core on" in OF_A_NODE["processors"](course(cpu_cores=[0.98] * 10))


def test_what_a_node_does_while_no_message_goes_is_no_limit() -> None:
    rates = [0.0, 0.0, 5.0, 5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 0.0]
    idle = {"produced_per_s": rates, "consumed_per_s": [0.0] * 10}
    busy = [1.0, 1.0, *[0.5] * 5, 1.0, 1.0, 1.0]
    assert OF_A_NODE["processors"](course(**idle, cpu_cores=busy)) == ""
    working = [0.0, 0.0, *[1.0] * 5, 0.0, 0.0, 0.0]
    assert OF_A_NODE["processors"](course(**idle, cpu_cores=working))
    few = [0.0, 0.0, None, *[1.0] * 4, 0.0, 0.0, 0.0]
    assert OF_A_NODE["processors"](course(**idle, cpu_cores=few)) == "", "four samples say nothing"


@pytest.mark.parametrize(
    ("idle", "environment", "says"),
    [(0.05, "local", True), (0.051, "local", False), (None, "local", False), (0.05, "aws", False)],
)
def test_a_machine_that_nodes_and_loaders_share_is_the_limit_where_nothing_of_it_is_left(
    idle: float | None, environment: str, says: bool
) -> None:
    made = report(node_rows(FIRST), node_rows(FIRST, node="rabbit2@localhost", cpu_cores=0.25))
    found = made.cases[0].loaders
    loaders = found.model_copy(update={"idle_share": [idle] * len(found)})
    case = made.cases[0].model_copy(update={"loaders": loaders, "environment": environment})
    shared = shared_cores(made.model_copy(update={"cases": [case, *made.cases[1:]]}))
    assert list(shared) == ([FIRST] if says else [])
    if says:
        said = shared[FIRST].describe()
        assert "The machine's 2 cores were the limit: the 2 nodes together used 0.75 of them" in said
        assert "5.0% was idle" in said


def test_cases_that_used_up_the_machine_share_a_sentence() -> None:
    made = report(node_rows(FIRST), node_rows(SECOND, cpu_cores=1.5))
    idle = [
        case.model_copy(
            update={"loaders": case.loaders.model_copy(update={"idle_share": [share] * len(case.loaders)})}
        )
        for case, share in zip(made.cases, (0.01, 0.03), strict=True)
    ]
    shown = section(Subject(made.model_copy(update={"cases": idle}), None, with_charts=False))
    assert shown
    (bullets,) = (part for part in shown.parts if isinstance(part, Bullets))
    ((lead, said),) = bullets.items
    assert lead == Strong("In both cases")
    assert "These cases are" not in said
    assert "used 0.50 to 1.50 of them on average" in said
    assert said.endswith("1.0% to 3.0% was idle.")
    third = made.cases[0].model_copy(update={"case_id": "third"})
    shown = section(Subject(made.model_copy(update={"cases": [*idle, third]}), None, with_charts=False))
    assert shown
    (bullets,) = (part for part in shown.parts if isinstance(part, Bullets))
    ((lead, said),) = bullets.items
    assert lead == Strong("In 2 cases")
    assert re.search(r"was idle\. These cases are: [^;]*; [^;]*\.$", said)


def charted(made: Report) -> list[Chart]:
    return list(nodes_over_time(made, findings(made)))


def test_a_chart_has_rate_depth_and_each_nodes_figures_on_one_axis() -> None:
    (chart,) = charted(report(node_rows(FIRST), node_rows(FIRST, node="rabbit2@localhost", cpu_cores=0.25)))
    for title in ("Produced and consumed", "Depth", "Processor", "Memory", "Written to disk"):
        assert title in chart.wide
        assert title in chart.narrow
    assert "rabbit2@localhost: processor at most 0.250 cores used" in chart.wide
    assert "emulated" not in chart.title


def test_a_figure_that_nobody_knows_has_no_panel() -> None:
    (chart,) = charted(report(node_rows(FIRST, written_bytes_per_s=None)))
    assert "Written to disk" not in chart.wide


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ([1.0, None, None, 4.0], [1.0, 4.0]),
        ([1.0, None, None, None, 5.0], [1.0, None, None, None, 5.0]),
        ([None, 2.0], [2.0]),
        ([], []),
    ],
)
def test_a_line_is_broken_where_three_seconds_or_more_were_not_sampled(
    values: list[float | None], drawn: list[float | None]
) -> None:
    found = node_charts._line(values)[1]
    assert [None if isnan(value) else value for value in found] == drawn


def test_short_cases_and_those_without_processes_have_no_chart() -> None:
    rate = [0.0] * 5 + [100.0] * 20
    assert charted(report(node_rows(FIRST, produced_per_s=rate)))
    assert not charted(report(node_rows(FIRST, produced_per_s=[0.0] * 6 + [100.0] * 19)))
    assert not charted(report(node_rows(FIRST, cpu_cores=None)))


def many(count: int) -> tuple[Report, list[str]]:
    """A report of more cells than there may be charts, each longer than the one before."""
    plan = sample.planned((sample.RABBITMQ,))[:count]
    rows = [
        row
        for number, case in enumerate(plan)
        for row in node_rows(
            case.case_id, produced_per_s=[0.0] * (5 - number % 6) + [9.0] * (20 + number % 6)
        )
    ]
    return sample.report(plan, nodes_over_time=rows), [case.case_id for case in plan]


def test_charts_are_few_and_of_the_cases_that_tell_something_first() -> None:
    made, ids = many(9)
    kept = chosen(made, ())
    assert len(kept) == MOST_CHARTS
    assert list(kept) == [case_id for case_id in ids if case_id in kept], "in the report's order"
    assert ids[5] in kept, "the longest"
    left = next(case_id for case_id in ids if case_id not in kept)
    assert left in chosen(made, {left})


def test_a_long_course_is_drawn_in_so_many_points_at_most() -> None:
    long = course(
        case_id=FIRST, cpu_cores=[0.5] * 7200, produced_per_s=[1.0] * 7200, consumed_per_s=[1.0] * 7200
    )
    made = report().model_copy(update={"nodes": [long.model_copy(update={"depth": [3] * 7200})]})
    (chart,) = charted(made)
    assert len(re.findall(r"[ML] ", chart.wide)) < 6 * MOST_POINTS


def test_the_section_says_what_was_found_and_what_the_nodes_used() -> None:
    made = report(node_rows(FIRST, alarms=["memory", *[""] * (MOST_S - 1)]), node_rows(SECOND))
    shown = section(Subject(made, None, with_charts=False))
    assert shown
    (bullets,) = (part for part in shown.parts if isinstance(part, Bullets))
    assert "had raised its memory alarm in second 0" in bullets.items[0][1]
    (table,) = (part for part in shown.parts if isinstance(part, Table))
    assert [row.labels[1] for row in table.rows] == ["rabbit1@localhost"] * 2
    assert table.rows[0].cells == ("0.500", "0.500", "2.00", "3.00", "3.00", "0")
    assert len(section(Subject(made, None)).parts) == len(shown.parts) + 2


def test_the_section_says_that_nothing_was_found_and_is_not_there_without_samples() -> None:
    shown = section(Subject(report(node_rows(FIRST)), None, with_charts=False))
    assert shown
    assert [p.pieces for p in shown.parts if isinstance(p, Paragraph)][1] == (NO_NODE_WAS_THE_LIMIT,)
    assert section(Subject(report(), None)) is None
    assert section(Subject(report(node_rows(FIRST, cpu_cores=None, resident_bytes=None)), None)) is None


def test_sentences_are_not_without_end() -> None:
    nodes = [node_rows(FIRST, node=f"n{number:02}", alarms="disk") for number in range(MOST_FINDINGS + 3)]
    shown = section(Subject(report(*nodes), None, with_charts=False))
    assert shown
    (bullets,) = (part for part in shown.parts if isinstance(part, Bullets))
    assert len(bullets.items) == MOST_FINDINGS + 1
    assert "3 more findings" in str(bullets.items[-1])
