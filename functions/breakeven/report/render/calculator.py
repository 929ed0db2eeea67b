"""The calculator: the page's controls over price books and published figures, with no run at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from breakeven.pricing.bill.known_capacity import known_capacities
from breakeven.report.contents import BEHIND, COST, GAIN, ORIGIN, OTHERS, Contents, sections_of
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Folded, Paragraph, Section
from breakeven.report.money.break_even import cheaper_where, in_short
from breakeven.report.money.headline import headline
from breakeven.report.money.priced.price_owners import prices_in_short
from breakeven.report.render.page import PRICED, Content, keys_of, money_keys, set_page
from breakeven.report.render.page_data import page_data
from breakeven.report.render.page_evidence import Printed
from breakeven.report.render.script import script
from breakeven.report.sections.answer import answer_in_detail, broker_death, cost, service_features
from breakeven.report.sections.origins import provenance
from breakeven.report.sections.speeds.scenario_results import AS_PRINTED
from breakeven.report.sections.subject import Subject
from breakeven.report.tables.scenario_tables import comparison_tables


def calculator(money: Report, sources: Sequence[Report]) -> str:
    """The file, labelled as published.

    :param money: a report of no case, with the question that the page opens with
    :param sources: reports of what sources printed
    """
    contents: Contents = {
        BEHIND: (lambda _: answer_in_detail.detail_section(cheaper_where(money)),),
        GAIN: (service_features.section, broker_death.section),
        COST: (cost.section,),
        OTHERS: (lambda _: _published(sources),),
        ORIGIN: (provenance.assumptions_section,),
    }
    printed = Printed(known_capacities(), sources)
    books = ", ".join(money.manifest.price_books)
    content = Content(
        headline(money),
        list(filter(None, [in_short(money)])),
        f"{money.title} · no run: {prices_in_short(money, books)}, and published figures",
        money_keys(money),
        sections_of(Subject(money, None), contents),
        script(page_data(money, printed)),
        beside=False,
        keys_of=keys_of(money),
        behind=PRICED,
    )
    return set_page(money, content)


def _published(sources: Sequence[Report]) -> Section:
    """Every table of every source, folded by source."""
    return Section(
        "published",
        "Published figures",
        (Paragraph((AS_PRINTED,), "differs"), *(_tables(report) for report in sources)),
        "What others have measured",
    )


def _tables(report: Report) -> Folded:
    source = report.source
    assert source is not None
    tables = [
        replace(table, slug=f"{source.id}-{table.slug}", scenario="")
        for table in comparison_tables(report, None)
    ]
    words = " · ".join((source.title, source.author, source.publication, source.date))
    return Folded(f"published-{source.id}", words, tuple(tables))
