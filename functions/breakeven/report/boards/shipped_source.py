"""The source whose suite a report is of, for boards that set its printed figures beside the measured ones."""

from __future__ import annotations

from functools import cache

from breakeven.published.rows import SOURCES, Published, PublishedRow, load_shipped
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row


@cache
def source(letter: str) -> Published:
    """By the letter that the documents of this project give it."""
    return load_shipped(SOURCES[letter])


def repeated(report: Report, letter: str, suite: str) -> Published | None:
    """The source, where the report is of the suite that repeats its tests."""
    return source(letter) if report.suite == suite else None


def published_row(
    published: Published, labels: tuple[str, ...], cells: tuple[str, ...], section: str = ""
) -> Row:
    """A row of what the source printed."""
    return Row(labels, cells, published.provenance, section, published=published.label)


def parameter(row: PublishedRow, name: str) -> str:
    """What the source says of a cell, as text; empty: it does not say."""
    found = {**row.match, **row.parameters}.get(name)
    return "" if found is None else str(found)
