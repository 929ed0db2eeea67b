"""What still differs between the targets when guarantees are made equal: it stands above every comparison."""

from __future__ import annotations

import re

from breakeven import words
from breakeven.report.contract.report_model import CaseReport, Report
from breakeven.report.elements import BadgeKey, Definitions, Row, Section, Table, badge, filled
from breakeven.report.sections.subject import Subject

ORIGINS = {
    "measured": "Read off the real thing, in the environment that the report names.",
    "EMULATED": "Read off a stand-in for the service. It proves the workflow, never the service's speed.",
    "published": "Printed by a source, here as it printed it.",
}
ASPECTS = ("Zones", "Copies", "Encryption", "In a network partition", "Release")
#: classic queue mirroring left RabbitMQ in 4.0, and with it every release that had it went out of support
FIRST_WITHOUT_MIRRORS = 4


def section(subject: Subject) -> Section:
    """The targets side by side; of what a source published, its own description of them."""
    source = subject.report.source
    if source is None:
        table = filled(differences(subject.report))
        return Section("compared", "What was compared", (*table, BadgeKey(tuple(ORIGINS.items()))))
    setup = tuple((words.setup_name(name), value) for name, value in source.setup.items())
    badges = BadgeKey((("published", ORIGINS["published"]),))
    heading = "What was measured, by its authors"
    return Section("compared", "What was measured", (Definitions(setup), badges), heading)


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
                badge=badge(first[target].provenance),
            )
            for target in targets
        ),
    )


def _describe(report: Report, case: CaseReport) -> tuple[str, ...]:
    if case.target.startswith("sqs"):
        return _emulated_sqs(report) if case.provenance == "emulated" else _sqs()
    if case.target.startswith("rabbitmq"):
        return _rabbitmq(report, case)
    return ("not known",) * len(ASPECTS)


def _sqs() -> tuple[str, ...]:
    return (
        "several in the region, by the service",
        "several, by the service",
        "TLS; at rest by default (SSE-SQS)",
        "hidden by the service",
        "managed; no releases",
    )


def _emulated_sqs(report: Report) -> tuple[str, ...]:
    server = (report.manifest.sqs or "an emulator").replace("(emulated)", "").strip()
    return (
        "one process on this machine; the service: several",
        "one, in memory; the service: several",
        "none here; the service: TLS and at rest",
        "cannot happen here; the service hides it",
        f"{server}, a stand-in",
    )


def _rabbitmq(report: Report, case: CaseReport) -> tuple[str, ...]:
    local = case.environment == "local"
    told = report.manifest.targets.get(case.target, {})
    handling = told.get("partition_handling") or told.get("cluster_partition_handling")
    partition = "the pair may split in two and lose what one side took"
    return (
        "none: two nodes on one machine" if local else _zones(str(told.get("zones") or "")),
        f"{told.get('nodes') or 2}, mirrored (ha-mode all)",
        "none: plain AMQP on loopback" if local else "TLS; volumes encrypted",
        f"{partition} ({handling})" if handling else partition,
        _release(report.manifest.rabbitmq),
    )


def _zones(told: str) -> str:
    """Where the nodes were launched."""
    zones = [zone for zone in told.split(", ") if zone]
    if not zones:
        return "not known: no nodes were launched"
    if len(zones) > 1:
        return f"{len(zones)}: a node in each of {words.listing(zones)}"
    return f"one: all nodes are in {zones[0]}, as no other zone of the deployment offers their type"


def _release(server: str | None) -> str:
    if not server:
        return "not known"
    version = re.search(r"RabbitMQ (\d+)", server)
    if version and int(version.group(1)) < FIRST_WITHOUT_MIRRORS:
        return f"{server}; no longer supported by its makers, mirrored queues ended with 3.x"
    return server
