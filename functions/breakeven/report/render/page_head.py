"""The head of the page: where the report is from, and the few figures that stand at the top."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven import words
from breakeven.pricing.bill.questions import BATCHED
from breakeven.report.contract.money_model import Crossover
from breakeven.report.contract.report_model import Report
from breakeven.report.money.break_even import main_crossover
from breakeven.report.money.option_words import interval
from breakeven.report.sections.provenance import ENVIRONMENTS


@dataclass(frozen=True, slots=True)
class Key:
    """One of the few figures that stand at the top."""

    figure: str
    unit: str
    note: str
    tone: str = ""


def byline(report: Report) -> str:
    """Title, date and place of a run; of a source its author and publication."""
    if source := report.source:
        return " · ".join((report.title, source.author, source.publication, source.date))
    variant, date = report.variant.replace("-", " "), report.started_at[:10] or "date not recorded"
    place = ENVIRONMENTS[report.environment]
    return " · ".join((report.title, variant, date, f"on {place}", f"run {report.run_id}"))


def keys(report: Report) -> list[Key]:
    """The figures: break-evens, cases, and what was lost."""
    return [*_sourced(report), *_money(report), *_settled(report), *_lost(report)]


def _sourced(report: Report) -> list[Key]:
    return [Key(f"{len(report.cases)}", "cases", "as the source printed them")] if report.source else []


def _settled(report: Report) -> list[Key]:
    if report.source:
        return []
    settled = sum(case.status == "ok" for case in report.cases)
    tone = "" if settled == len(report.cases) else "bad"
    return [Key(f"{settled} of {len(report.cases)}", "cases", "measured to the end", tone)]


def _lost(report: Report) -> list[Key]:
    ledgers = [case.ledger for case in report.cases if case.ledger]
    if not ledgers:
        return []
    lost, sent = sum(ledger.lost or 0 for ledger in ledgers), sum(ledger.sent for ledger in ledgers)
    unsure = ", as far as is known" if any(ledger.lost is None for ledger in ledgers) else ""
    return [Key(f"{lost:,}", "lost", f"confirmed messages of {sent:,} sent{unsure}", "bad" if lost else "")]


def _money(report: Report) -> list[Key]:
    """The break-even as SQS is used, and once it is batched; none where the options never change places."""
    found = (
        ("Break-even", main_crossover(report)),
        ("Break-even once SQS is batched and long-polled", main_crossover(report, BATCHED)),
    )
    return [_key(name, crossing) for name, crossing in found if crossing and crossing.msg_per_s is not None]


def _key(name: str, crossing: Crossover) -> Key:
    ends = interval(crossing)
    between = f"; between {words.figure(ends[0])} and {words.figure(ends[1])}" if ends else ""
    messages, usd = words.amount(crossing.messages_per_month), words.dollars(crossing.usd_per_month)
    return Key(
        words.figure(crossing.msg_per_s), "msg/s", f"{name}: {messages} messages and {usd} a month{between}"
    )
