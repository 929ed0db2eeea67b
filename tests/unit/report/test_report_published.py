"""Source A's figures, checked against the table as the article prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from breakeven.errors import InputError
from breakeven.planning.expand import expand
from breakeven.published.rows import load_published, load_shipped, shipped
from breakeven.report.render.report_files import published_for
from breakeven.workload.read import load_suite
from tests.fixtures.report import sample

SQS, RABBITMQ = sample.SQS, sample.RABBITMQ
#: (scenario, target, threads, queues) -> produce msg/s and mean, consume msg/s and mean
PRINTED = {
    ("load-unload", SQS, 5, 1): ("317", "16", "198", "25"),
    ("load-unload", RABBITMQ, 5, 1): ("1875", "2", "1293", "3"),
    ("parallel", SQS, 1, 1): ("65", "16", "33", "29"),
    ("parallel", SQS, 5, 1): ("324", None, "186", None),
    ("parallel", SQS, 10, 1): ("641", None, "333", None),
    ("parallel", SQS, 40, 1): ("969", "43", "435", "98"),
    ("parallel", RABBITMQ, 1, 1): ("3086", "0", "272", "3"),
    ("parallel", RABBITMQ, 5, 1): ("3157", "1", "811", "6"),
    ("parallel", RABBITMQ, 10, 1): ("3083", "3", "820", "12"),
    ("parallel", RABBITMQ, 40, 1): ("3200", "11", "798", "51"),
    ("queues", RABBITMQ, 5, 1): ("3157", None, "811", None),
    ("queues", RABBITMQ, 5, 5): ("3489", None, "880", None),
}
#: the article prints it in its table of threads too, and there it has its case
PRINTED_TWICE = ("queues", "threads=5 queues=1")


def test_every_figure_is_as_printed():
    source = load_shipped("source-a")
    found = {
        (row.scenario, row.target, row.match["producers"], row.match["queues"]): (
            row.produce.msg_per_s,
            row.produce.mean_ms,
            row.consume_cycle.msg_per_s,
            row.consume_cycle.mean_ms,
        )
        for row in source.rows
    }
    assert found == PRINTED
    assert source.provenance == "published"
    assert (source.breakeven.messages_per_hour, source.breakeven.msg_per_s) == (60_000, 17)


@pytest.mark.parametrize("suite", ["quick", "sqs-vs-rabbitmq-2012"])
def test_every_printed_row_stands_beside_a_case_of_the_shipped_suites(suite):
    source = load_shipped("source-a")
    plan = tuple(expand(load_suite(suite), run_id=sample.RUN_ID, environment="local"))
    report = sample.report(plan, cases=(), **sample.NOTHING)
    beside = [source.row(case) for case in report.cases]
    rows = [row for row in source.rows if (row.scenario, row.cell) != PRINTED_TWICE]
    assert len(rows) == len(source.rows) - 1
    assert all(row in beside for row in rows)
    of_2012 = {case.scenario for case in report.cases} - {"latency"}  # which is today's question
    assert of_2012 == {row.scenario for row in source.rows} | set(source.notes)


def test_a_run_of_other_scenarios_has_no_published_figures():
    plan = tuple(case.model_copy(update={"scenario": "mine"}) for case in sample.planned())
    assert published_for(sample.report(plan)) is None
    assert published_for(sample.report()).id == "source-a"


def damaged(path: Path, old: str, new: str) -> Path:
    """Source C's file with a part of it replaced."""
    text = shipped("source-c").read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "field", "remedy"),
    [
        ('msg_per_s: "5500"', "msg_per_s: 5500", "rows.0.produce.msg_per_s", "in quotes"),
        ('msg_per_s: "5500"', 'msg_per_s: "about 5500"', "rows.0.produce.msg_per_s", "in quotes"),
        ('msg_per_s: "5500"', 'msg_per_s: ""', "rows.0.produce.msg_per_s", "in quotes"),
        ('msg_per_s: "5500"', 'msg_per_s: "1", msgs: "2"', "rows.0.produce.msgs", "no such field"),
        ('    produce: {msg_per_s: "5500"}\n', "", "rows.0", "a row without a figure"),
        ("scenario: cores", "scenario: ''", "rows.0.scenario", "empty"),
        ("machine: r3.xlarge\n", "machine: m1.small\n", "file", "'m1.small' is not among"),
        ("cell: machine=r3.2xlarge", "cell: machine=r3.xlarge", "file", "rows.1: the same scenario"),
        ("provenance: published", "provenance: measured", "provenance", "'published'"),
        ("title: ", "titel: ", "title", "required"),
        ("rows:", "rows: [", "file", "in YAML"),
    ],
)
def test_a_damaged_file_is_named_with_its_field(tmp_path: Path, old: str, new: str, field: str, remedy: str):
    with pytest.raises(InputError) as caught:
        load_published(damaged(tmp_path / "broken.yaml", old, new))
    assert (caught.value.where, caught.value.field) == ("broken.yaml", field)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("body", [b"", b"[]", b"id: 5", b"\xff\xfe\x00"])
def test_a_file_of_something_else_is_named(tmp_path: Path, body: bytes):
    (tmp_path / "broken.yaml").write_bytes(body)
    with pytest.raises(InputError, match=r"broken\.yaml"):
        load_published(tmp_path / "broken.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(InputError, match=r"gone\.yaml"):
        load_published(tmp_path / "gone.yaml")
