"""Changes of the cheaper option above those that a sentence names, and maybe above the charts, in words."""

from __future__ import annotations

from collections.abc import Sequence

from breakeven import words
from breakeven.report.contract.crossing_model import EXACT, Crossover
from breakeven.report.money.option_words import AnyCrossing, about, changes


def changes_from(rows: Sequence[AnyCrossing], msg_per_s: float) -> list[AnyCrossing]:
    """The changes of sides at that rate and above it."""
    return [row for row in changes(rows) if (row.msg_per_s or 0.0) >= msg_per_s * (1 - EXACT)]


def then_words(later: Sequence[Crossover], names: dict[str, str]) -> str:
    """What follows 'up to about 320,000': which is cheaper above, or that it changes yet more often.

    :param names: by option, as a sentence has them
    """
    if len(later) != 1:
        return _more(later)
    name = names.get(later[0].cheaper_above or "")
    return f", above which {name} is cheaper again" if name else ", above which both cost the same"


def again_words(later: Sequence[Crossover], option: str | None) -> str:
    """What follows 'cheaper below about 12,100': from where on the option is so again."""
    again = [row for row in later[:1] if row.cheaper_above == option]
    return "".join(f", and again above about {about(row.msg_per_s or 0.0)}{_more(later)}" for row in again)


def _more(later: Sequence[Crossover]) -> str:
    """Of changes above the first of these."""
    more = len(later) - 1
    return f" (above which the cheaper one changes {words.plural(more, 'more time')})" if more > 0 else ""


def beyond_words(loses: tuple[float, str] | None) -> str:
    """In brackets behind the last range that is named: from which rate on an option undercuts its own.

    :param loses: the rate, messages a second, and the option's name; None: nowhere that was searched
    """
    return f" (above about {about(loses[0])} {loses[1]} is cheaper than it)" if loses else ""
