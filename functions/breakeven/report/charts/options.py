"""How an option looks in the charts about money: colour says whose service, dashes how it is used."""

from __future__ import annotations

from typing import Any

from breakeven.pricing.questions import AMAZON_MQ, AS_USED, BATCHED, RABBITMQ
from breakeven.report.charts import marks

AMAZON = "#6d4aa5"
#: instance types of a map, those of the highest traffic last
CLUSTERS = ("#e8a27f", "#c2410c", "#7d2a08", "#3f1504")
SQS_FILL = "#bcd5ea"
_STYLES: dict[str, dict[str, Any]] = {
    AS_USED: {"color": marks.SQS, "linestyle": "-", "linewidth": 2.4},
    BATCHED: {"color": marks.SQS, "linestyle": (0, (6, 2)), "linewidth": 2.0},
    RABBITMQ: {"color": marks.RABBITMQ, "linestyle": "-", "linewidth": 2.4},
    AMAZON_MQ: {"color": AMAZON, "linestyle": (0, (6, 2, 1.5, 2)), "linewidth": 1.8},
}


def line(option: str, *, history: bool = False) -> dict[str, Any]:
    """matplotlib's line properties; history is pale and dotted."""
    if history:
        return {"color": marks.pale(option), "linestyle": (0, (1.5, 1.5)), "linewidth": 1.8}
    return dict(_STYLES.get(option, {"color": marks.OTHER, "linestyle": "-", "linewidth": 1.6}))


def fills(options: list[str]) -> dict[str, str]:
    """Colours of a map's areas: SQS pale blue, each instance type its own."""
    others = [option for option in options if not option.startswith("sqs")]
    found = {option: CLUSTERS[min(n, len(CLUSTERS) - 1)] for n, option in enumerate(others)}
    return {option: found.get(option, SQS_FILL) for option in options}
