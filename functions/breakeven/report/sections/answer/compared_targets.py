"""Differences that remain between the targets when guarantees are made equal: above every comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from datetime import date

from breakeven import words
from breakeven.published.support import support_of
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import BadgeKey, Definitions, Row, Section, Table, filled
from breakeven.report.sections.subject import Subject
from breakeven.targets.catalog import CATALOG
from breakeven.targets.record import TargetRecord
from breakeven.terms import TargetName

ORIGINS = {
    "measured": "Measured on the real thing, in the environment that the report names.",
    "EMULATED": "Measured on a stand-in for the service. It proves the workflow, never the service's speed.",
    "published": "Printed by a source, and shown as it was printed.",
}
ASPECTS = ("Zones", "Copies", "Encryption", "In a network partition", "Release")


def section(subject: Subject) -> Section:
    """The targets side by side; of what a source published, its own description of them."""
    source = subject.report.source
    if source is None:
        table = filled(differences(subject.report))
        return Section("compared", "What was compared", (*table, BadgeKey(tuple(ORIGINS.items()))))
    setup = tuple((words.setup_name(name), value) for name, value in source.setup.items())
    badges = BadgeKey((("published", ORIGINS["published"]),))
    return Section("compared", "What the authors measured", (Definitions(setup), badges))


def differences(report: Report) -> Table:
    """One row a target, in the words that a buyer would ask in."""
    first = {case.target: case for case in reversed(report.cases)}
    # of a source's machines only what it says is known: its own words stand in its place
    targets = dict.fromkeys(case.target for case in report.cases if case.provenance != "published")
    return Table(
        slug="differences",
        caption="What still differs when guarantees are made equal",
        label_titles=("Target",),
        columns=ASPECTS,
        rows=tuple(
            Row(
                labels=(words.target_name(target),),
                cells=_describe(report, first[target]),
                origin=first[target].provenance,
            )
            for target in targets
        ),
    )


def _describe(report: Report, case: CaseReport) -> tuple[str, ...]:
    """The words of the target's record, with what the run knows of it in them."""
    record = CATALOG.get(TargetName(case.target).kind)
    if record is None:
        return ("not known",) * len(ASPECTS)
    facts = report.manifest.targets.get(case.target, {})
    here = case.environment == "local" or case.provenance == "emulated"
    handling = facts.get("partition_handling") or facts.get("cluster_partition_handling")
    nodes = facts.get("nodes") or record.node_count
    known = {
        "zones": _zones(str(facts.get("zones") or "")),
        "nodes": nodes,
        "mirrored": _mirrored(nodes, [each for each in report.cases if each.target == case.target]),
        "handling": f" ({handling})" if handling else "",
        "server": _release(report, case, record, facts),
    }
    differs = astuple(record.guarantees_locally if here else record.guarantees)
    return tuple(text.format(**known) for text in differs)


def _mirrored(nodes: object, cases: Sequence[CaseReport]) -> str:
    """The copies of the target's mirrored queues: on all nodes in cases that give no number of them."""
    given = {case.parameters.get("group_size") for case in cases}
    if given == {None}:
        return f"{nodes}, mirrored (ha-mode all)"
    counts = words.listing([str(count) for count in sorted({int(one or str(nodes)) for one in given})])
    return f"{counts} of {nodes}, mirrored (ha-mode {'all and ' if None in given else ''}exactly)"


def _zones(launched: str) -> str:
    """Where the nodes were launched."""
    zones = [zone for zone in launched.split(", ") if zone]
    if not zones:
        return "not known: no nodes were launched"
    if len(zones) > 1:
        return f"{len(zones)}: a node in each of {words.listing(zones)}"
    return f"one: all nodes are in {zones[0]}, as no other zone of the deployment offers their type"


def _release(report: Report, case: CaseReport, record: TargetRecord, facts: Mapping[str, object]) -> str:
    """The server and its support on the day of the run.

    :param facts: the target's own; reports of before have one server for all targets
    """
    named = {"rabbitmq": report.manifest.rabbitmq, "sqs": report.manifest.sqs}
    described = str(facts.get("server") or named.get(record.software or "") or "")
    server = described.replace("(emulated)", "").strip()
    if not server:
        return "an emulator" if case.provenance == "emulated" else "not known"
    support = facts.get("support") or support_of(server, date.fromisoformat(report.started_at[:10]))
    return f"{server}; {support}" if support else server
