"""A section of the report is one module: page and Markdown set whatever it is made of."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from jinja2 import UndefinedError

from breakeven.published.rows import load_shipped
from breakeven.report import contents, sections
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
#: a module of each section; what lies beside their folders is what they are made with
SECTION_FILES = [one for one in Path(sections.__path__[0]).glob("*/*.py") if one.stem != "__init__"]
ROW = Row(("one",), ("1 <b>",), "measured")
TABLE = Table("made-up", "A table", ("Name",), ("figure",), (ROW,))
FOLDED_TABLE = Table("deeper", "A table below", ("Name",), ("figure",), (ROW,))
SET = "| Name | Source | figure |\n| --- | --- | ---: |\n| one | measured | 1 &lt;b&gt; |"
CHART = Chart("made-up", "A chart", "Its caption", lambda: ('<svg id="w"></svg>', '<svg id="n"></svg>'))
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
    return folded_with(monkeypatch, {contents.OPEN: made})


def folded_with(
    monkeypatch: pytest.MonkeyPatch, made: dict[str, tuple[Section | None, ...]]
) -> tuple[Element, str]:
    """The same of sections by their questions."""
    makes = {asked: tuple(lambda _, one=one: one for one in those) for asked, those in made.items()}
    monkeypatch.setattr(contents, "CONTENTS", makes)
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


def test_the_page_folds_each_question_once_around_all_that_answers_it(monkeypatch):
    part = (Paragraph(("words",)),)
    first, second, last = (Section(name, name.title(), part) for name in ("first", "second", "last"))
    root, said = folded_with(monkeypatch, {"How far?": (first, None, second), "How long?": (last,)})
    folds = [one for one in root.iter("details") if one.get("class") == "question"]
    assert [text(one.find("summary")) for one in folds] == ["How far?", "How long?"]
    assert [[one.get("id") for one in fold.iter("section")] for fold in folds] == [
        ["first", "second"],
        ["last"],
    ]
    assert said.index("## First") < said.index("## Second") < said.index("## Last")


def test_every_module_of_a_section_has_its_entry_in_the_contents():
    named = {make.__module__ for makes in contents.CONTENTS.values() for make in makes}
    found = {f"{sections.__name__}.{path.parent.name}.{path.stem}" for path in SECTION_FILES}
    assert sorted(found - named) == [], (
        "give it an entry in CONTENTS of functions/breakeven/report/contents.py"
    )


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
