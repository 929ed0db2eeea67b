"""The elements of a report: made once, and set by the page and by Markdown alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate

from breakeven import words


@dataclass(frozen=True, slots=True)
class Row:
    """``labels`` say what the row is of, ``origin`` where its figures come from."""

    labels: tuple[str, ...]
    cells: tuple[str, ...]
    origin: str
    section: str = ""
    tone: str = ""  # "failed", "bad"
    published: str = ""  # the label of the source that published them

    @property
    def badge(self) -> str:
        """How the row says where it comes from. Emulated stands out: it must never pass for measured."""
        if self.origin == "emulated":
            return "EMULATED"
        return f"published {self.published}" if self.published else self.origin


@dataclass(frozen=True, slots=True)
class Table:
    """``groups`` span ``columns`` from the left, as (title, number of columns); empty: no such row."""

    slug: str
    caption: str
    label_titles: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    groups: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    scenario: str = ""  # of a comparison: the scenario that it is of
    sourced: bool = True  # whether each row says where it comes from; else the table's own words do
    queries: tuple[str, ...] = ()  # files of queries/ that its figures are columns of, without their endings

    @property
    def titles(self) -> list[str]:
        """Of the columns, each with its group's before it."""
        spans = [title for title, width in self.groups for _ in range(width)] or [""] * len(self.columns)
        return [f"{span}: {name}" if span else name for span, name in zip(spans, self.columns, strict=True)]

    @property
    def starts(self) -> frozenset[int]:
        """Columns at which a group begins."""
        widths = [width for _, width in self.groups]
        return frozenset(sum(widths[:number]) for number in range(len(widths)))


@dataclass(frozen=True, slots=True)
class Chart:
    """Both forms as SVG, with the words that stand for the picture where it cannot be seen.

    :param svgs: the SVG of the wide and of the narrow form; waits until they are drawn
    """

    slug: str
    title: str
    caption: str
    svgs: Callable[[], tuple[str, str]]
    scenario: str = ""  # the scenario whose table it stands beside
    queries: tuple[str, ...] = ()  # as of a table

    @property
    def wide(self) -> str:
        return self.svgs()[0]

    @property
    def narrow(self) -> str:
        return self.svgs()[1]


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to a section of the page."""

    text: str
    slug: str


#: a sentence or more, in the order in which it is read
Pieces = tuple[str | Strong | Link, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """``tone``: "note", "doubt", "notice" or "differs" is set apart; empty: plain."""

    pieces: Pieces
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list; ``tone``: "failures" stands out, "note" steps back."""

    items: tuple[Pieces, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Names and what they are.

    :param style: "about" for facts of the run, "terms" for a glossary, "detail" for sentences by subject
    """

    entries: tuple[tuple[str, str], ...]
    title: str = ""
    style: str = "about"


@dataclass(frozen=True, slots=True)
class BadgeKey:
    """What the badges of the tables' rows mean; the page's alone, as Markdown has none."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Folded:
    """Parts that the page unfolds when it is asked to; Markdown sets them as any other."""

    slug: str
    summary: str
    parts: tuple[Table | Chart, ...]


Part = Paragraph | Bullets | Definitions | BadgeKey | Folded | Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the report. ``title`` is what it is called, ``heading`` what stands above it.

    ``in_contents``: whether the page's list of sections names it. ``question``: the one that it answers, by
    which the page folds it with its neighbours; empty: it stands open. The report's contents say which.
    """

    slug: str
    title: str
    parts: tuple[Part, ...]
    heading: str = ""
    in_contents: bool = True
    question: str = ""

    def tables(self) -> list[Table]:
        """Every table, folded ones among them, in order."""
        parts = [one for part in self.parts for one in (part.parts if isinstance(part, Folded) else (part,))]
        return [part for part in parts if isinstance(part, Table)]


def paragraph(*pieces: str | Strong | Link, tone: str = "") -> tuple[Paragraph, ...]:
    """One paragraph; none where there are no words."""
    return (Paragraph(pieces, tone),) if any(pieces) else ()


def filled(*tables: Table | None) -> tuple[Table, ...]:
    """The tables that have rows."""
    return tuple(table for table in tables if table and table.rows)


def trimmed(table: Table) -> Table:
    """The table without the columns that hold nothing in any row."""
    kept = [
        number
        for number in range(len(table.columns))
        if any(row.cells[number] != words.NOTHING for row in table.rows)
    ]
    ends = list(accumulate(width for _, width in table.groups))
    groups = [
        (title, sum(end - width <= number < end for number in kept))
        for (title, width), end in zip(table.groups, ends, strict=True)
    ]
    return replace(
        table,
        columns=tuple(table.columns[number] for number in kept),
        groups=tuple(group for group in groups if group[1]),
        rows=tuple(replace(row, cells=tuple(row.cells[number] for number in kept)) for row in table.rows),
    )
