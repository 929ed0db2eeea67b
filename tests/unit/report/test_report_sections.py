"""A section of the report is one module: page and Markdown set whatever it is made of."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import pytest
from jinja2 import UndefinedError

from breakeven.published.rows import load_shipped
from breakeven.report import contents
from breakeven.report.elements import (
    BadgeKey,
    Bullets,
    Chart,
    Definitions,
    Folded,
    Link,
    Paragraph,
    Row,
    Section,
    Strong,
    Table,
)
from breakeven.report.render.markdown import markdown
from breakeven.report.render.page import page
from breakeven.report.sections.origins import glossary
from breakeven.report.sections.subject import Subject
from tests.fixtures.report import sample
from tests.fixtures.report.html import parse, text

PLAN = sample.planned()[:2]
ROW = Row(("one",), ("1 <b>",), "measured")
TABLE = Table("made-up", "A table", ("Name",), ("figure",), (ROW,))
FOLDED_TABLE = Table("deeper", "A table below", ("Name",), ("figure",), (ROW,))
SET = "| Name | Source | figure |\n| --- | --- | ---: |\n| one | measured | 1 &lt;b&gt; |"
CHART = Chart("made-up", "A chart", "Its caption", '<svg id="w"></svg>', '<svg id="n"></svg>')
MADE_UP = Section(
    "made-up",
    "Made up",
    (
        Paragraph(("Look at ", Strong("this & that"), " in ", Link("the cost", "cost"), "."), "note"),
        Bullets(((Strong("first"), ": <i>"), ("second",)), "failures"),
        Bullets((("a note",),), "note"),
        Definitions((("term", "meaning"),), "Terms", "terms"),
        BadgeKey((("measured", "read off"),)),
        TABLE,
        CHART,
        Folded("fold", "Unfold me", (FOLDED_TABLE,)),
    ),
    heading="Made up, at length",
)


def shown_with(monkeypatch: pytest.MonkeyPatch, *made: Section | None) -> tuple[Element, str]:
    """Page and Markdown of a report of these sections alone."""
    monkeypatch.setattr(contents, "SECTIONS", tuple(lambda _, one=one: one for one in made))
    report = sample.report(PLAN)
    return parse(page(report, None)), markdown(report, None)


def test_a_section_of_every_element_is_on_the_page_in_order(monkeypatch):
    root, _ = shown_with(monkeypatch, MADE_UP)
    (section,) = root.iter("section")
    said = text(section)
    wanted = (
        "Made up, at length",
        "Look at this & that in the cost.",
        "first: <i>",
        "second",
        "a note",
        "Terms",
        "meaning",
        "read off",
        "A table",
        "1 <b>",
        "A chart",
        "Its caption",
        "Unfold me",
        "A table below",
    )
    places = [said.index(words) for words in wanted]
    assert places == sorted(places)
    assert [text(link) for link in root.find(".//nav").iter("a")] == ["Made up"]
    assert [link.get("href") for link in section.iter("a")] == ["#cost"]
    assert [one.get("class") for one in section.iter("ul")] == ["failures"]
    assert section.find("details").get("id") == "fold"


def test_the_same_section_is_in_markdown_but_for_charts_and_badges(monkeypatch):
    _, said = shown_with(monkeypatch, MADE_UP)
    assert said.endswith(
        "## Made up, at length\n\n"
        "Look at **this &amp; that** in the cost.\n\n"
        "- **first**: &lt;i&gt;\n- second\n\n"
        "- a note\n\n"
        "### Terms\n\n- term: meaning\n\n"
        f"### A table\n\n{SET}\n\n"
        f"### A table below\n\n{SET}\n"
    )


def test_a_section_may_be_left_out_of_the_pages_contents(monkeypatch):
    part = (Paragraph(("words",)),)
    for_page = Section("page", "Listed", part)
    unlisted = Section("unlisted", "Unlisted", part, in_contents=False)
    root, said = shown_with(monkeypatch, for_page, None, Section("empty", "Empty", ()), unlisted)
    assert [one.get("id") for one in root.iter("section")] == ["page", "unlisted"]
    assert [text(link) for link in root.find(".//nav").iter("a")] == ["Listed"]
    assert "## Listed\n\nwords" in said
    assert "## Unlisted\n\nwords" in said


def test_an_element_that_the_page_does_not_know_is_an_error(monkeypatch):
    with pytest.raises(UndefinedError):
        shown_with(monkeypatch, Section("odd", "Odd", (object(),)))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("beside", [None, "source-a"])
def test_page_and_markdown_have_the_same_tables_in_the_same_order(beside):
    report, published = sample.report(), load_shipped(beside) if beside else None
    figures = [one for one in parse(page(report, published)).iter("figure") if one.get("class") == "table"]
    captions = [text(one.find("figcaption")) for one in figures]
    plain = markdown(report, published).replace("\\", "")
    headings = [one.removeprefix("### ") for one in plain.splitlines() if one.startswith("### ")]
    assert len(captions) > 12
    terms = [part.title for part in glossary.section(Subject(report, None)).parts]
    assert [one for one in headings if one not in {"The published figures", *terms}] == captions
    assert headings[-len(terms) :] == terms, "the glossary is in both"


def test_every_section_has_a_name_of_its_own():
    made = contents.sections_of(Subject(sample.report(), load_shipped("source-a"), with_charts=False))
    slugs = [section.slug for section in made]
    assert len(slugs) == len(set(slugs)) > 8
