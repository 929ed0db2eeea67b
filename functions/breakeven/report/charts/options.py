"""The look of an option in the charts about money: colour says whose service, dashes how it is used."""

from __future__ import annotations

from typing import Any

from breakeven.pricing.bill.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.money.option_words import SHORT
from breakeven.targets.catalog import OTHER_LOOK, RABBITMQ_LOOK, SQS_LOOK

AMAZON = "#6d4aa5"
#: instance types of a map, those of the highest traffic last
CLUSTERS = ("#e8a27f", "#c2410c", "#7d2a08", "#3f1504")
SQS_FILL = "#bcd5ea"
_PALE = {AS_USED: SQS_LOOK.pale, BATCHED: SQS_LOOK.pale, RABBITMQ: RABBITMQ_LOOK.pale}
_STYLES: dict[str, dict[str, Any]] = {
    AS_USED: {"color": SQS_LOOK.colour, "linestyle": "-", "linewidth": 2.4},
    BATCHED: {"color": SQS_LOOK.colour, "linestyle": (0, (6, 2)), "linewidth": 2.0},
    RABBITMQ: {"color": RABBITMQ_LOOK.colour, "linestyle": "-", "linewidth": 2.4},
    AMAZON_MQ: {"color": AMAZON, "linestyle": (0, (6, 2, 1.5, 2)), "linewidth": 1.8},
}


def line(option: str, *, history: bool = False) -> dict[str, Any]:
    """matplotlib's line properties; history is pale and dotted."""
    if history:
        return {"color": _PALE.get(option, OTHER_LOOK.pale), "linestyle": (0, (1.5, 1.5)), "linewidth": 1.8}
    return dict(_STYLES.get(option, {"color": OTHER_LOOK.colour, "linestyle": "-", "linewidth": 1.6}))


def fills(options: list[str]) -> dict[str, str]:
    """Colours of a map's areas: SQS pale blue, each instance type its own."""
    others = [option for option in options if option not in SHORT]
    found = {option: CLUSTERS[min(n, len(CLUSTERS) - 1)] for n, option in enumerate(others)}
    return {option: found.get(option, SQS_FILL) for option in options}
