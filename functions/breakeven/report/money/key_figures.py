"""The few figures that stand at the top of the page."""

from __future__ import annotations

from dataclasses import dataclass

from breakeven import words
from breakeven.pricing.bill.questions import BATCHED
from breakeven.report.contract.money_model import Crossover
from breakeven.report.contract.report_model import Report
from breakeven.report.money.break_even import main_crossover
from breakeven.report.money.option_words import interval


@dataclass(frozen=True, slots=True)
class Key:
    """One of the few figures that stand at the top."""

    figure: str
    unit: str
    note: str
    tone: str = ""


def money_keys(report: Report) -> list[Key]:
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
