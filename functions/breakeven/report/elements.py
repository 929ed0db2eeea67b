"""The elements of a report: made once, and set by the page and by Markdown alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from breakeven import words
from breakeven.published.rows import Published


@dataclass(frozen=True, slots=True)
class Row:
    """``labels`` say what the row is of, ``origin`` where its figures come from, ``badge`` says so."""

    labels: tuple[str, ...]
    cells: tuple[str, ...]
    origin: str
    badge: str
    section: str = ""
    tone: str = ""  # "failed", "bad"


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

    @property
    def starts(self) -> frozenset[int]:
        """Columns at which a group begins."""
        widths = [width for _, width in self.groups]
        return frozenset(sum(widths[:number]) for number in range(len(widths)))


@dataclass(frozen=True, slots=True)
class Chart:
    """Both forms as SVG, with the words that stand for the picture where it cannot be seen."""

    slug: str
    title: str
    caption: str
    wide: str
    narrow: str
    scenario: str = ""  # the scenario whose table it stands beside


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


def badge(origin: str, published: Published | None = None) -> str:
    """How a row says where it comes from. Emulated stands out: it must never pass for measured."""
    if origin == "emulated":
        return "EMULATED"
    if origin == "published" and published:
        return f"published {published.label}"
    return origin
