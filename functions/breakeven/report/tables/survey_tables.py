"""Volumes of nodes and connections between them, as they were before the first case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from breakeven import words
from breakeven.report.contract.node_model import SurveyedNode, SurveyedTimes
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Part, Row, Table, paragraph
from breakeven.terms import Provenance

VOLUMES = (
    "Before the first case each node wrote 4 KiB to its volume and waited until that had it (fdatasync), "
    "again and again for up to a second. A quorum queue confirms a message once a majority of its nodes have "
    "written it so; one write may serve many messages. "
)
OF_ONE_MACHINE = "Nodes on one machine share its disk, so that the first node's figures are those of all."
LINKS = (
    "The first node called each of the others through the connection that replicates queues: empty calls, "
    "one at a time, for the round trip; then messages of 1 MiB, 16 at a time, for half a second, for the "
    "rate."
)
OF_EC2 = (
    ' EC2 gives smaller instances "up to" a bandwidth, which they have for some minutes: what they hold for '
    "longer is their baseline, which may be a small part of it."
)
MEASURED: Provenance = "measured"
#: columns of times
TIMES = ("p50 ms", "p99 ms")


def surveyed_nodes(report: Report) -> tuple[Part, ...]:
    """Nothing where no node was surveyed."""
    parts = (*_volumes(report), *_links(report.surveys, report.environment))
    missing = [f"{_node(each)}: {each.error}" for each in report.surveys if each.error]
    return (*parts, *(paragraph(f"Not measured: {'; '.join(missing)}.", tone="note") if missing else ()))


def _volumes(report: Report) -> Iterator[Part]:
    nodes = [each for each in report.surveys if each.sync]
    if nodes:
        yield from paragraph(VOLUMES + (OF_ONE_MACHINE if report.environment == "local" else ""), tone="note")
        yield Table(
            slug="volumes-surveyed",
            caption="Volumes before the first case",
            label_titles=("Target", "Node"),
            columns=("writes", *TIMES),
            rows=tuple(_volume(each) for each in nodes),
        )


def _volume(each: SurveyedNode) -> Row:
    count = words.count(each.sync.count if each.sync else None)
    labels = words.target_name(each.target), each.node
    return Row(labels=labels, cells=(count, *_times(each.sync)), origin=MEASURED)


def _links(nodes: Iterable[SurveyedNode], environment: str) -> Iterator[Part]:
    rows = tuple(
        Row(
            labels=(words.target_name(each.target), each.node, link.peer),
            cells=(*_times(link.round_trip), words.figure(link.bytes_per_s / words.MEGABYTE)),
            origin=MEASURED,
        )
        for each in nodes
        for link in each.links
    )
    if rows:
        yield from paragraph(LINKS + (OF_EC2 if environment == "aws" else ""), tone="note")
        yield Table(
            slug="links-surveyed",
            caption="Network between nodes before the first case",
            label_titles=("Target", "From", "To"),
            columns=(*TIMES, "MB/s"),
            rows=rows,
            groups=(("Round trip", len(TIMES)), ("", 1)),
        )


def _times(times: SurveyedTimes | None) -> tuple[str, ...]:
    return tuple(words.figure(value) for value in ((times.p50_ms, times.p99_ms) if times else (None, None)))


def _node(each: SurveyedNode) -> str:
    return f"{words.target_name(each.target)}, {each.node}"
