"""Origin of the run's figures: names and values to read, and the assumptions that they rest on."""

from __future__ import annotations

from breakeven import words
from breakeven.published.rows import Published
from breakeven.report.contract.report_model import Report
from breakeven.report.contract.source_model import SourceReport
from breakeven.report.elements import Bullets, Definitions, Part, Section, paragraph
from breakeven.report.sections.subject import Subject

ENVIRONMENTS = {
    "local": "one machine",
    "aws": "Amazon Web Services",
    "elsewhere": "its authors' machines",
}


def assumptions_section(subject: Subject) -> Section:
    items = tuple((assumption,) for assumption in subject.report.assumptions)
    return Section("assumptions", "Assumptions", (Bullets(items),) if items else ())


def section(subject: Subject) -> Section:
    notes = tuple(part for note in subject.report.manifest.notes for part in paragraph(note, tone="notice"))
    parts: tuple[Part, ...] = (*notes, Definitions(tuple(about(subject.report))))
    if subject.published:
        parts = (*parts, _published(subject.published))
    return Section("provenance", "Provenance", parts)


def _published(published: Published) -> Definitions:
    """The source whose figures stand beside the run's."""
    source = published.source
    name = f"{published.title}, {source.publication}, {source.author}, {source.date}"
    setup = ((words.setup_name(name), value) for name, value in published.setup.items())
    return Definitions((("Source", name), *setup), "The published figures")


def about(report: Report) -> list[tuple[str, str]]:
    """Names and values, the run first, then what was under test, then what it ran on."""
    manifest = report.manifest
    if report.source:
        return _source(report, report.source)
    pairs: list[tuple[str, object]] = [
        ("Run", report.run_id),
        ("Suite", f"{report.title} ({report.suite})"),
        ("Variant", report.variant),
        ("Started", report.started_at),
        ("Finished", report.finished_at or "not yet"),
        *([("Report made", report.made_at)] if report.made_at not in {None, report.finished_at} else []),
        ("Environment", ENVIRONMENTS[report.environment]),
        ("RabbitMQ", manifest.rabbitmq or "not in this run"),
        ("SQS", manifest.sqs or "not in this run"),
        *(
            (f"{target}: {name}", value)
            for target, facts in manifest.targets.items()
            for name, value in facts.items()
        ),
        *((f"Hardware: {name}", value) for name, value in manifest.hardware.items()),
        *((f"Version of {name}", value) for name, value in manifest.versions.items()),
        ("Price books", ", ".join(manifest.price_books) or "none"),
        ("Queue Breakeven", manifest.project_version),
        ("Scenario's SHA-256", manifest.scenario_sha256),
        ("Seed", manifest.seed),
    ]
    return [(name, str(value)) for name, value in pairs]


def _source(report: Report, source: SourceReport) -> list[tuple[str, str]]:
    return [
        ("Title", source.title),
        ("Author", source.author),
        ("Publication", source.publication),
        ("Date", source.date),
        *([("Address", source.url)] if source.url else []),
        ("Price books", ", ".join(report.manifest.price_books) or "none"),
        ("Queue Breakeven", report.manifest.project_version),
        ("SHA-256 of the file of figures", report.manifest.scenario_sha256),
    ]
