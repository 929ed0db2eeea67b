"""``index.html``: one file that needs nothing else, opening with the verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from markupsafe import Markup, escape

from breakeven import words
from breakeven.loadgen.case_figures import Ledger
from breakeven.pricing.bill.questions import BATCHED
from breakeven.published.rows import Published
from breakeven.report.contents import sections_of
from breakeven.report.contract.crossing_model import Crossover
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Section
from breakeven.report.leading import leading
from breakeven.report.money.headline import main_crossover
from breakeven.report.money.option_words import unbatched
from breakeven.report.money.priced.leading_words import condition_words
from breakeven.report.render.bundle import TEMPLATES
from breakeven.report.render.page_data import page_data
from breakeven.report.render.script import Script, script
from breakeven.report.render.templating import templates
from breakeven.report.sections.origins.provenance import ENVIRONMENTS
from breakeven.report.sections.subject import Subject
from breakeven.report.tables import instrument_findings
from breakeven.report.tables.guarantees import has_confirms, variant_words

STYLES = ("style.css", "yours.css")
#: of a table: nobody reads more of them in a browser, and the page stays one that it opens at once
MOST_ROWS = 500
#: queries behind the sentences of a verdict: of what was measured, and of what it costs
MEASURED, PRICED = ("cases", "throughput", "latency_percentiles", "ledger"), ("crossover", "bills")
#: such as (between 489 and 2,380)
ASIDE = re.compile(r"\([^()]*\)")
#: such as us-east-1
REGION = re.compile(r"\b[a-z]{2}(?:-[a-z]{2,12}){1,2}-\d\b")
#: a title and its address, of the makers' documentation only: a note may have text of a scenario's
PAGE = re.compile(
    r"([^\s:,()<>][^:,()<>]*) "
    r"\((https://(?:docs\.aws\.amazon\.com|www\.rabbitmq\.com|github\.com/rabbitmq)/[^\s()<>]+)\)"
)


@dataclass(frozen=True, slots=True)
class Key:
    """One of the few figures that stand at the top."""

    figure: str
    unit: str
    note: str
    tone: str = ""
    #: of a break-even: the ways of SQS whose crossing with one's own cluster it is
    pair: str = ""
    #: of others: the queries that it is counted by, as of a table
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """All that the template sets, of a run, of a source, or of the calculator.

    :param beside: whether unrounded figures lie in files beside the page
    :param keys_of: what the few figures are of; they stay when the page's controls are moved
    :param behind: the queries whose columns the figures of the paragraphs are
    """

    headline: str
    paragraphs: Sequence[str]
    byline: str
    keys: Sequence[Key]
    sections: Sequence[Section]
    script: Script | None
    beside: bool = True
    keys_of: str = ""
    behind: Sequence[str] = ()


def page(report: Report, published: Published | None, made: Sequence[Section] | None = None) -> str:
    """The page as HTML. Text from suites, brokers and errors is escaped; SVG and script are ours alone.

    :param made: the report's sections, where another file has them made already
    """
    headline, *paragraphs = leading(report)
    sections = made or sections_of(Subject(report, published))
    content = Content(
        headline,
        paragraphs,
        byline(report),
        keys(report),
        sections,
        script(page_data(report)),
        keys_of=keys_of(report),
        behind=MEASURED + PRICED,
    )
    return set_page(report, content)


def set_page(report: Report, content: Content) -> str:
    """The file."""
    environment = templates(TEMPLATES)
    environment.globals["most_rows"] = MOST_ROWS
    environment.filters |= {"anchor": anchor, "asides": asides, "kind": kind}
    environment.filters |= {"opening": opening, "svg": _ours, "whole": whole, "noted": noted}
    return environment.get_template("index.html").render(
        report=report,
        style=_ours("".join((TEMPLATES / name).read_text(encoding="utf-8") for name in STYLES)),
        page=content,
        in_doubt=instrument_findings.doubt(report),
        questions=[(name, list(asked)) for name, asked in groupby(content.sections, attrgetter("question"))],
    )


def kind(element: object) -> str:
    """The name of an element, by which the template sets it."""
    return type(element).__name__


def opening(headline: str) -> tuple[str, str]:
    """The first sentence, which is set larger, and the rest; a source's title, in quotation marks, is one."""
    first, end, rest = headline.partition(". ")
    return (f"{first}.", rest) if end and not headline.startswith("“") else (headline, "")


def _ours(markup: str) -> Markup:
    """Our own style sheet, and SVG whose every label matplotlib has escaped: not escaped again."""
    return Markup(markup)  # noqa: S704


def asides(markup: Markup) -> Markup:
    """With what stands in brackets set apart: the answer is read first, and then how far it may be off."""
    return Markup(ASIDE.sub(r'<span class="aside">\g<0></span>', str(markup)))  # noqa: S704


def whole(text: str) -> Markup:
    """Escaped, with the names of regions in one piece: a browser would break them at their last hyphen.

    Hyphens stay what they are, so that a name that is copied is a name.
    """
    return Markup(REGION.sub(r'<span class="whole">\g<0></span>', str(escape(text))))  # noqa: S704


def noted(text: str) -> Markup:
    """The same of a note, in which a page's title is a link to the address that follows it in parentheses."""
    return Markup(PAGE.sub(r'<a href="\2" rel="noreferrer">\1</a>', str(whole(text))))  # noqa: S704


def anchor(text: str) -> str:
    """An id for a heading: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "part"


def byline(report: Report) -> str:
    """Title, date and place of a run; of a source its author and publication."""
    if source := report.source:
        return " · ".join((report.title, source.author, source.publication, source.date))
    variant, date = variant_words(report), report.started_at[:10] or "date not recorded"
    place = ENVIRONMENTS[report.environment]
    return " · ".join((report.title, variant, date, f"on {place}", f"run {report.run_id}"))


def keys(report: Report) -> list[Key]:
    """The figures: break-evens, cases, and what was lost."""
    if report.source:
        return [
            Key(f"{len(report.cases)}", "cases", "as the source printed them"),
            *money_keys(report),
            *_lost(report),
        ]
    settled = [case for case in report.cases if case.status == "ok"]
    tone = "" if len(settled) == len(report.cases) else "bad"
    emulated = sum(case.provenance == "emulated" for case in settled)
    of = f"measured to the end{f', {emulated} of them emulated' if emulated else ''}"
    cases = Key(f"{len(settled)} of {len(report.cases)}", "cases", of, tone, queries=("cases",))
    return [*money_keys(report), cases, *_lost(report)]


def _lost(report: Report) -> list[Key]:
    confirmed = [case.ledger for case in report.cases if case.ledger and has_confirms(case)]
    written = [case.ledger for case in report.cases if case.ledger and not has_confirms(case)]
    missing, sent = _total(written, "missing"), sum(ledger.sent for ledger in written)
    unsure = ", as far as is known" if any(ledger.lost is None for ledger in (*confirmed, *written)) else ""
    if not confirmed:
        of = f"of {sent:,} messages sent without confirms{unsure}"
        return [Key(f"{missing:,}", "missing", of, "", queries=("ledger",))] if written else []
    lost, of_confirmed = _total(confirmed, "lost"), sum(ledger.sent for ledger in confirmed)
    of = f"confirmed messages of {of_confirmed:,} sent{unsure}"
    if written:
        of += f"; of {sent:,} sent without confirms {missing:,} are missing"
    return [Key(f"{lost:,}", "lost", of, "bad" if lost else "", queries=("ledger",))]


def _total(ledgers: Sequence[Ledger], count: str) -> int:
    return sum(getattr(ledger, count) or 0 for ledger in ledgers)


def money_keys(report: Report) -> list[Key]:
    """The break-even as SQS is used, and once it is batched; none where the options never change places."""
    question = report.headline_question
    batches = question and BATCHED in question.options
    used = f" of SQS {unbatched(question)}" if question and batches else ""
    found = (
        (f"Break-even{used}", main_crossover(report)),
        ("Break-even once SQS is batched and long-polled", main_crossover(report, BATCHED)),
    )
    return [_key(name, crossing) for name, crossing in found if crossing and crossing.msg_per_s is not None]


def keys_of(report: Report) -> str:
    """What the few figures are of; empty where no break-even is among them."""
    if not money_keys(report) or (question := report.headline_question) is None:
        return ""
    consumer = {None: "the queue only", "containers": "consumers in containers", "lambda": "Lambda consumes"}
    asked = question.priced_with.consumer
    return f"At the page's own inputs, whatever is set above. {condition_words(question)}, {consumer[asked]}:"


def _key(name: str, crossing: Crossover) -> Key:
    ends = crossing.interval
    between = f"; between {words.figure(ends[0])} and {words.figure(ends[1])}" if ends else ""
    messages, usd = words.amount(crossing.messages_per_month), words.dollars(crossing.usd_per_month)
    return Key(
        words.figure(crossing.msg_per_s),
        "msg/s",
        f"{name}: {messages} messages and {usd} a month{between}",
        pair=crossing.sqs_option,
    )
