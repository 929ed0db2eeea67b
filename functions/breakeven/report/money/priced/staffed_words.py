"""The rate above which self-hosting pays, given a working day of staff time a month, in words."""

from __future__ import annotations

from collections.abc import Iterable

from breakeven.report.contract.cost_model import PaysFrom
from breakeven.report.contract.crossing_model import EXACT
from breakeven.report.money.option_words import about, span


def pays_words(found: PaysFrom, unit: str, never: str, *, in_full: bool = False) -> str:
    """'from about 604 a second'; 'from about 758 to about 52,200 msg/s'; 'at every rate'.

    :param unit: what follows the last rate
    :param never: what is said where it pays at no rate
    :param in_full: with how far the first rate moves over what is not known
    """
    start, end = found.msg_per_s, found.until_msg_per_s
    if start is None:
        return f"{never}{_at_best(found) if in_full else ''}"
    least = _least_end(found) if in_full else None
    worse = ["" if found.is_sure else "or at no rate"]
    if end is None:
        worse.append(f"or only to about {about(least)}" if least else "")
    moves = span(found.interval, ", ".join(filter(None, worse))) if in_full else ""
    if end is None:
        on = " on" if in_full else ""
        return f"from about {about(start)}{unit}{on}{moves}" if start else f"at every rate{moves}"
    until = f"to about {about(end)}{unit}{f' (or only {about(least)})' if least else ''}"
    return f"from about {about(start)}{moves} {until}" if start else f"up {until}{moves}"


def pays_somewhere(found: Iterable[PaysFrom]) -> bool:
    """Does any say a rate, at best at least, so that clusters have to carry it?"""
    return any(one.msg_per_s is not None or one.low_msg_per_s is not None for one in found)


def _at_best(found: PaysFrom) -> str:
    best = found.low_msg_per_s
    if best is None:
        return ""
    return f" (at best from {f'about {about(best)}' if best else 'the first message'})"


def _least_end(found: PaysFrom) -> float | None:
    """Where SQS may be cheaper again, if that is below where it is; None: it is not."""
    least, end = found.low_until_msg_per_s, found.until_msg_per_s
    return least if least is not None and (end is None or least < end * (1 - EXACT)) else None
