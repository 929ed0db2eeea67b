"""Measured and printed rows that the page embeds: latencies, brokers' deaths, and whose rows they are.

The page sets it beside a reader's own traffic, and says where nothing stands near.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from breakeven import words
from breakeven.pricing.bill.known_capacity import KnownCapacity
from breakeven.pricing.bill.questions import AMAZON_MQ
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.contract.source_model import SourceReport
from breakeven.report.sections.answer.broker_death import AS_OF, DOCUMENTED, WITH_LAMBDA
from breakeven.report.tables.fault_findings import finding
from breakeven.report.tables.offered_rates import fell_behind, kept_up
from breakeven.targets.catalog import CATALOG, FIFO, clusters
from breakeven.terms import TargetName

#: kinds of faults by which a node's process ends
DEATHS = ("kill", "stop", "reboot")
#: what sources call clusters of other numbers of nodes than the targets have -> the form that these are of
OF_SOURCES = {"rabbitmq-quorum": "trio", "rabbitmq-mirrored": "pair"}
#: of a run that the page embeds; report.json has all
MOST_DEATHS = 30
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Printed:
    """What sources have published, which stands in where there is no run.

    :param sources: a report of what each source printed
    """

    capacities: Sequence[KnownCapacity]
    sources: Sequence[Report]

    def cases(self) -> Iterator[tuple[SourceReport, CaseReport]]:
        """Each with the source that printed it."""
        for report in self.sources:
            if report.source:
                yield from ((report.source, case) for case in report.cases)


def evidence(report: Report, printed: Printed | None) -> Json:
    """The page's ``latencies``, ``deaths`` and ``published``."""
    if printed is None:
        own = [(one.provenance, one, None) for one in report.cases]
        return {"latencies": list(_latencies(own)), "deaths": _deaths(_measured(report)), "published": {}}
    cases = [(f"published {source.date[:4]}", case, source.id) for source, case in printed.cases()]
    sources = {source.id: _source(source) for source, _ in printed.cases()}
    return {"latencies": list(_latencies(cases)), "deaths": _deaths(_printed(printed)), "published": sources}


def _source(source: SourceReport) -> Json:
    """``machines``: in the source's own words."""
    return {
        "title": source.title,
        "author": source.author,
        "publication": source.publication,
        "date": source.date,
        "url": source.url,
        "machines": source.setup.get("machines"),
    }


def _deaths(seen: Iterable[Json]) -> Json:
    """:param seen: what was measured, or what sources have figures of"""
    pages = {
        one.form: {"said": one.said, "source": one.source, "url": one.url, "as_of": AS_OF}
        for one in DOCUMENTED
    }
    return {"documented": pages, "with_lambda": WITH_LAMBDA, "seen": list(seen)[:MOST_DEATHS]}


def _measured(report: Report) -> Iterator[Json]:
    """Every node's end of the run that was done, with the sentences on it."""
    cases = {case.case_id: case for case in report.cases}
    for fault in report.faults:
        case = cases.get(fault.case_id)
        side = _side(TargetName(case.target).kind) if case else None
        if case and side and fault.kind in DEATHS and fault.was_done:
            yield _death(case, side, case.provenance, finding(fault), fault.produced_before_per_s, None)


def _printed(printed: Printed) -> Iterator[Json]:
    """Rows of sources that say what the end of a broker did."""
    for source, case in printed.cases():
        side = _side(TargetName(case.target).kind)
        if side and (said := case.printed.get("broker_lost")):
            machine = case.parameters.get("instance_type", "")
            what = f"with {case.parameters.get('nodes', '')} x {machine}, a broker lost: {said}"
            yield _death(case, side, f"published {source.date[:4]}", what, None, source.id)


def _death(
    case: CaseReport, side: str, origin: str, said: str, msg_per_s: float | None, source: str | None
) -> Json:
    return {
        "side": side,
        "name": words.target_name(case.target),
        "origin": origin,
        "said": said,
        "msg_per_s": msg_per_s,
        "message_bytes": case.parameters.get("message_bytes"),
        "source": source,
    }


def _latencies(cases: Iterable[tuple[str, CaseReport, str | None]]) -> Iterator[Json]:
    """Of every case that was measured to the end, with all its nodes and no fault.

    :param cases: each with how it says where it comes from, 'published 2012', and the source's id
    """
    for origin, case, source in cases:
        rate = (
            case.produce.msg_per_s if case.produce and case.parameters.get("mode") != "load-unload" else None
        )
        disturbed = "nodes_down" in case.flags or case.parameters.get("faults")
        side = _side(TargetName(case.target).kind)
        if case.status != "ok" or not rate or disturbed or side is None:
            continue
        of_whole = case.end_to_end and case.end_to_end.p50_ms is not None
        found = case.end_to_end if of_whole else case.produce
        if found is None or (found.p50_ms is None and found.mean_ms is None):
            continue
        yield {
            "side": side,
            "name": words.target_name(case.target),
            "origin": origin,
            "source": source,
            "what": "end to end" if of_whole else "of a send alone",
            "msg_per_s": rate,
            "p50_ms": found.p50_ms,
            "p99_ms": found.p99_ms,
            "mean_ms": found.mean_ms,
            "message_bytes": case.parameters.get("message_bytes"),
            "open": case.parameters.get("rate") is not None,
            # a send's own latency does not grow with the queue
            "behind": not origin.startswith("published")
            and (not kept_up(case) if of_whole else fell_behind(case)),
            "batched": _number(case.parameters.get("send_batch")) > 1,
            "received_together": _number(case.parameters.get("receive_batch")) > 1,
        }


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 1.0


def _side(kind: str) -> str | None:
    if kind in OF_SOURCES:
        return OF_SOURCES[kind]
    if kind in clusters():
        return str(clusters()[kind].deployment)
    if kind.startswith(AMAZON_MQ):
        return AMAZON_MQ
    return {FIFO.kind: "fifo"}.get(kind, "sqs") if kind in CATALOG else None
