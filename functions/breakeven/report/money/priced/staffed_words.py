"""From which rate on one's own broker pays with a working day of staff time a month, in words."""

from __future__ import annotations

from breakeven.report.contract.cost_model import PaysFrom
from breakeven.report.money.option_words import about, span


def pays_words(found: PaysFrom, unit: str, never: str) -> str:
    """'from about 604 msg/s on'; 'at every rate'.

    :param unit: what follows the rate
    :param never: what is said where it pays at no rate
    """
    if found.msg_per_s is None:
        return never
    return f"from about {about(found.msg_per_s)}{unit}" if found.msg_per_s else "at every rate"


def staffed_span(found: PaysFrom) -> str:
    """How far that rate moves over what is not known; or empty."""
    if found.msg_per_s is not None:
        return span(found.interval, "" if found.is_sure else "or at no rate")
    best = found.low_msg_per_s
    return "" if best is None else f" (at best from about {about(best)})"
