"""Tables of nodes before the first case, and what is said where there is nothing to show."""

from __future__ import annotations

from typing import Any

from breakeven.report.contract.node_model import SurveyedLink, SurveyedNode, SurveyedTimes
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Paragraph, Table
from breakeven.report.sections.over_time.watched_nodes import section
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.survey_tables import LINKS, OF_EC2, OF_ONE_MACHINE, VOLUMES, surveyed_nodes
from tests.fixtures.report import sample

SYNC = SurveyedTimes(count=1000, p50_ms=0.4091, p99_ms=1.25)
LINK = SurveyedLink(
    peer="b", round_trip=SurveyedTimes(count=300, p50_ms=0.2, p99_ms=0.31), bytes_per_s=588_123_456.0
)
FIRST = SurveyedNode(target=sample.RABBITMQ, node="a", sync=SYNC, links=[LINK])
PAIR = "RabbitMQ mirrored pair"


def report(*surveys: SurveyedNode, **changed: Any) -> Report:
    return sample.report().model_copy(update={"surveys": list(surveys), **changed})


def parts(*surveys: SurveyedNode, **changed: Any) -> tuple[list[str], list[Table]]:
    """Sentences and tables."""
    found = surveyed_nodes(report(*surveys, **changed))
    paragraphs = [str(part.pieces[0]) for part in found if isinstance(part, Paragraph)]
    return paragraphs, [part for part in found if isinstance(part, Table)]


def test_a_nodes_volume_and_its_connections_are_a_table_each() -> None:
    said, (volumes, links) = parts(FIRST)
    assert said == [VOLUMES + OF_ONE_MACHINE, LINKS]
    (volume,), (link,) = volumes.rows, links.rows
    assert (volume.labels, volume.cells) == ((PAIR, "a"), ("1,000", "0.409", "1.25"))
    assert (link.labels, link.cells) == ((PAIR, "a", "b"), ("0.200", "0.310", "588"))
    assert {volume.origin, link.origin} == {"measured"}


def test_nodes_of_aws_share_no_disk_and_may_hold_less_for_longer() -> None:
    said, _ = parts(FIRST, environment="aws")
    assert said == [VOLUMES, LINKS + OF_EC2]


def test_a_single_node_has_no_connections() -> None:
    said, tables = parts(FIRST.model_copy(update={"links": []}))
    assert (len(said), [table.slug for table in tables]) == (1, ["volumes-surveyed"])


def test_what_could_not_be_measured_says_why() -> None:
    said, tables = parts(
        SurveyedNode(target=sample.RABBITMQ, node="a", sync=None, links=[], error="no space")
    )
    assert (said, tables) == ([f"Not measured: {PAIR}, a: no space."], [])


def test_a_run_whose_nodes_were_only_surveyed_has_the_section_and_one_without_has_none() -> None:
    found = section(Subject(report(FIRST), None))
    assert found is not None
    assert [part.slug for part in found.parts if isinstance(part, Table)] == [
        "volumes-surveyed",
        "links-surveyed",
    ]
    assert section(Subject(report(), None)) is None
