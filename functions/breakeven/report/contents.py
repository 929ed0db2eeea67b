"""The sections of a report by the questions that they answer, in the order of page and Markdown.

A section is a function of a module below ``sections/`` that makes it, or None where the report has nothing to
say there. Adding one is that module, and its entry here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from breakeven.report.elements import Section
from breakeven.report.sections.answer import (
    answer_in_detail,
    broker_death,
    compared_targets,
    cost,
    service_features,
)
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
from breakeven.report.tables.table_queries import with_queries

Make = Callable[[Subject], Section | None]
#: a question, by which the page folds what answers it -> what makes these sections; under none they are open
Contents = dict[str, tuple[Make, ...]]

OPEN = ""
BEHIND = "What is behind that answer?"
GAIN = "What do you gain and give up?"
COST = "What does it cost, and where does that change?"
OTHERS = "What have others measured?"
SURE = "How sure is that?"
ORIGIN = "Where does it come from?"

#: of a run, or of a source
CONTENTS: Contents = {
    OPEN: (failed_cases.section,),
    BEHIND: (answer_in_detail.section,),
    GAIN: (compared_targets.section, service_features.section, broker_death.section),
    COST: (cost.section,),
    "How fast was each, as measured?": (
        scenario_results.section,
        held_rates.section,
        boards.section,
        published_orders.section,
        capacity_searches.section,
    ),
    "What has changed since the last run?": (since_last_run.section,),
    SURE: (validity.section, repeats.section),
    "What becomes of latency, nodes and messages over time, and in faults?": (
        latency.section,
        faults.section,
        watched_nodes.section,
        message_ledger.section,
    ),
    ORIGIN: (provenance.assumptions_section, provenance.section, glossary.section),
}


def sections_of(subject: Subject, contents: Contents | None = None) -> list[Section]:
    """The sections that have anything to say, each with the question that it answers.

    :param contents: other than those of a run
    """
    return [
        replace(with_queries(section), question=question)
        for question, makes in (contents or CONTENTS).items()
        for make in makes
        if (section := make(subject)) and section.parts
    ]
