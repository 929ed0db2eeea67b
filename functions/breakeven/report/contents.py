"""The sections of a report, in the order in which page and Markdown set them.

A section is a function of a module below ``sections/`` that makes it, or None where the report has nothing to
say there. Adding one is that module, and its entry here.
"""

from __future__ import annotations

from collections.abc import Callable

from breakeven.report.elements import Section
from breakeven.report.sections.answer import answer_in_detail, compared_targets, cost
from breakeven.report.sections.origins import glossary, provenance
from breakeven.report.sections.over_time import faults, latency, message_ledger, watched_nodes
from breakeven.report.sections.speeds import (
    boards,
    capacity_searches,
    held_rates,
    published_orders,
    scenario_results,
)
from breakeven.report.sections.subject import Subject
from breakeven.report.sections.trust import failed_cases, repeats, since_last_run, validity

SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    failed_cases.section,
    answer_in_detail.section,
    compared_targets.section,
    cost.section,
    scenario_results.section,
    held_rates.section,
    boards.section,
    published_orders.section,
    capacity_searches.section,
    since_last_run.section,
    validity.section,
    repeats.section,
    latency.section,
    faults.section,
    watched_nodes.section,
    message_ledger.section,
    provenance.assumptions_section,
    provenance.section,
    glossary.section,
)

#: the questions by which the page folds its sections, each with those that answer it; any other stands open
QUESTIONS: dict[str, tuple[str, ...]] = {
    "What is behind that answer?": ("detail",),
    "What do you gain and give up?": ("compared",),
    "What does it cost, and where does that change?": ("cost",),
    "How fast was each, as measured?": ("tests", "offered", "boards", "orders", "capacity"),
    "What have others measured?": ("published",),
    "What has changed since the last run?": ("drift",),
    "How sure is that?": ("validity", "repeats"),
    "What becomes of latency, nodes and messages over time, and in faults?": (
        *("latency", "faults", "nodes", "ledger"),
    ),
    "Where does it come from?": ("assumptions", "provenance", "glossary"),
}


def question_of(section: Section) -> str:
    """The question that it answers; empty of one that stands open."""
    return next((asked for asked, slugs in QUESTIONS.items() if section.slug in slugs), "")


def sections_of(subject: Subject) -> list[Section]:
    """The sections that have anything to say."""
    return [section for make in SECTIONS if (section := make(subject)) and section.parts]
