"""``index.html``: one file that needs nothing else, opening with the verdict."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from breakeven.published.rows import Published
from breakeven.report.contract.report_model import Report
from breakeven.report.render.page_head import byline, keys
from breakeven.report.sections.contents import sections_of
from breakeven.report.sections.subject import Subject

TEMPLATES = Path(__file__).parent / "templates"


def page(report: Report, published: Published | None) -> str:
    """The page as HTML. Text from suites, brokers and errors is escaped; SVG is made here alone."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchor": anchor, "kind": kind, "svg": _ours}
    headline, *paragraphs = report.verdict.split("\n\n")
    return environment.get_template("index.html").render(
        report=report,
        style=_ours((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        headline=headline,
        paragraphs=paragraphs,
        byline=byline(report),
        keys=keys(report),
        sections=sections_of(Subject(report, published)),
    )


def kind(element: object) -> str:
    """The name of an element, by which the template sets it."""
    return type(element).__name__


def _ours(markup: str) -> Markup:
    """Our own style sheet, and SVG whose every label matplotlib has escaped: not escaped again."""
    return Markup(markup)  # noqa: S704


def anchor(text: str) -> str:
    """An id for a heading: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"
