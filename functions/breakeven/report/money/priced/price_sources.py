"""The table of prices: what each figure about money stands on, whose list has it, and of when."""

from __future__ import annotations

from breakeven import words
from breakeven.pricing.bill.article import ARTICLE_BOOK
from breakeven.pricing.prices.price import Publisher
from breakeven.report.contract.cost_model import PriceTier
from breakeven.report.contract.report_model import Report
from breakeven.report.elements import Row, Table

#: whose list a price stands in
LISTS: dict[Publisher, str] = {"aws": "AWS", "third-party": "third parties"}
#: words of a unit that are written otherwise than a price book's keys
SPELT = {"gb": "GB", "tb": "TB", "vcpu": "vCPU", "mibps": "MiB/s", "iops": "IOPS"}


def price_sources_table(report: Report) -> Table | None:
    """Every price that the figures stand on, with its unit, source and date."""
    if not report.prices:
        return None
    return Table(
        slug="price-sources",
        caption="Prices used, each with its source and date",
        label_titles=("Price",),
        columns=("dollars", "per", "units a month", "newest source's date", "whose list", "source"),
        rows=tuple(
            Row(
                (f"{tier.service}/{tier.item}",),
                (
                    _exact(tier.usd),
                    spelt(tier.unit),
                    _tier(tier),
                    tier.as_of,
                    _list_of(tier),
                    tier.source,
                ),
                "priced",
                f"{tier.book}, prices of {tier.region}",
            )
            for tier in sorted(report.prices, key=lambda tier: tier.book == ARTICLE_BOOK)
        ),
        notes=("Units a month: which of them cost this much each.",),
        sourced=False,
    )


def _list_of(tier: PriceTier) -> str:
    """Whose list has the price; nobody's has what the asker gave, or what the article printed."""
    if tier.book == ARTICLE_BOOK or tier.publisher is None:
        return words.NOTHING
    return LISTS[tier.publisher]


def _exact(usd_each: float | None) -> str:
    return "not priced" if usd_each is None else words.unit_price(usd_each)


def spelt(unit: str) -> str:
    """One unit of a price book: 'GB month'."""
    return " ".join(SPELT.get(word, word) for word in unit.split("_"))


def _tier(tier: PriceTier) -> str:
    if tier.tier_from == 0 and tier.tier_to is None:
        return "all"
    if tier.tier_to is None:
        return f"above {words.amount(tier.tier_from)}"
    return f"{words.amount(tier.tier_from)} to {words.amount(tier.tier_to)}"
