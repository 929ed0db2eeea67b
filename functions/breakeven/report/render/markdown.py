"""``report.md``: the verdict and every section but its charts, for a terminal or a pull request.

A self-test that failed stands above its title, as it does on page and terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from breakeven.published.rows import Published
from breakeven.report.contents import sections_of
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import (
    Bullets,
    Definitions,
    Folded,
    Link,
    Paragraph,
    Part,
    Pieces,
    Section,
    Strong,
    Table,
)
from breakeven.report.leading import leading, warning
from breakeven.report.sections.subject import Subject

#: what is markup -> what stands for it
_PLAIN = str.maketrans(
    {mark: f"\\{mark}" for mark in "\\`*_[]|#~"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)


def markdown(report: Report, published: Published | None, made: Sequence[Section] | None = None) -> str:
    """The whole report but its charts.

    :param made: the report's sections, where another file has them made already
    """
    headline, *rest = leading(report)
    sections = made or sections_of(Subject(report, published, with_charts=False))
    warned = warning(report)
    parts = [
        f"**{text(warned)}**" if warned else "",
        f"# {text(headline)}",
        *(text(paragraph) for paragraph in rest),
        *(_section(section) for section in sections),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def text(value: str) -> str:
    """``value`` as it stands, never as markup: suites' titles and errors come through here."""
    return " ".join(value.split()).translate(_PLAIN)


def _section(section: Section) -> str:
    parts = [set_part for part in section.parts if (set_part := _part(part))]
    return "\n\n".join([f"## {text(section.heading or section.title)}", *parts]) if parts else ""


def _part(part: Part) -> str:
    """Empty of what only a page can show: charts, and the key to its badges."""
    match part:
        case Table():
            return _table(part)
        case Paragraph():
            return _pieces(part.pieces)
        case Bullets():
            return _list(_pieces(item) for item in part.items)
        case Definitions():
            title = f"### {text(part.title)}\n\n" if part.title else ""
            return title + _list(text(f"{name}: {value}") for name, value in part.entries)
        case Folded():
            return "\n\n".join(found for one in part.parts if (found := _part(one)))
        case _:
            return ""


def _pieces(pieces: Pieces) -> str:
    return "".join(_piece(piece) for piece in pieces)


def _piece(piece: str | Strong | Link) -> str:
    """Spaces at its ends are kept: they part it from what it stands beside."""
    if isinstance(piece, Strong):
        return f"**{text(piece.text)}**"
    plain = piece.text if isinstance(piece, Link) else piece
    return f"{' ' * plain.startswith(' ')}{text(plain)}{' ' * plain.endswith(' ')}"


def _table(table: Table) -> str:
    sections = ("Part",) if any(row.section for row in table.rows) else ()
    source = ("Source",) if table.sourced else ()
    header = [*sections, *table.label_titles, *source, *table.titles]
    lines = [header, ["---"] * (len(header) - len(table.columns)) + ["---:"] * len(table.columns)]
    lines += [
        [*([row.section] if sections else []), *row.labels, *([row.badge] if source else []), *row.cells]
        for row in table.rows
    ]
    body = "\n".join(
        f"| {' | '.join(cell if number == 1 else text(cell) for cell in line)} |"
        for number, line in enumerate(lines)
    )
    notes = "".join(f"\n\n{text(note)}" for note in table.notes)
    return f"### {text(table.caption)}\n\n{body}{notes}"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)
