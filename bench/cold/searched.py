"""Results of searches from several first rates, what was held for a minute beside each, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.table import table
from breakeven.loadgen.search.probe import Probe, best, bound
from breakeven.words import figure

#: how far what was found may be from what a minute shows, and how many of the searches may say so by a flag
NEAR, MOST_FLAGGED = 0.15, 1
#: of every run on one machine
EXPECTED = frozenset({"shared_host"})


@dataclass(frozen=True, slots=True)
class Searched:
    """:param failed: why there is nothing to read; empty where a rate was held"""

    first: float
    probes: Sequence[Probe]
    flags: Mapping[str, str]
    seconds: float
    failed: str = ""

    @property
    def held(self) -> float | None:
        found = best(self.probes)
        return found.rate if found else None

    @property
    def bound(self) -> float | None:
        found = bound(self.probes)
        return found.rate if found else None

    @property
    def unexpected(self) -> list[str]:
        """The flags that say that the figure may not be the target's."""
        return sorted(self.flags.keys() - EXPECTED)


@dataclass(frozen=True, slots=True)
class Hold:
    """A rate that was offered for a minute. ``held``: None where nobody knows, and ``said`` has why."""

    rate: float
    held: bool | None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """A search and what came right after it, as a machine's own speed drifts.

    :param below: at the least capacity that the search is near; None: it found none
    :param above: at the greatest
    """

    search: Searched
    below: Hold | None = None
    above: Hold | None = None

    @property
    def is_near(self) -> bool:
        """Does what can be held for a minute lie within ``NEAR`` of what was found, on either side?"""
        return bool(self.below and self.above and self.below.held and self.above.held is False)


def near(held: float) -> tuple[float, float]:
    """The least and the greatest capacity of which ``held`` is within ``NEAR``."""
    return held / (1 + NEAR), held / (1 - NEAR)


def is_met(compared: Sequence[Compared]) -> bool:
    """Each near, or flagged; and as good as none flagged."""
    flagged = [each for each in compared if each.search.unexpected]
    others_near = all(each.is_near for each in compared if not each.search.unexpected)
    return others_near and len(flagged) <= MOST_FLAGGED


def in_short(each: Compared) -> str:
    """One line on a search, as soon as it is known."""
    search = each.search
    if search.failed:
        return f"from {figure(search.first)} msg/s: failed: {search.failed}"
    holds = ", ".join(_words(hold) for hold in (each.below, each.above) if hold)
    flags = ", ".join(search.unexpected) or "no flag"
    return f"from {figure(search.first)} msg/s: {figure(search.held)} held, {flags}; for a minute: {holds}"


def report(compared: Sequence[Compared], planned: int) -> str:
    """A table in Markdown, what raised each flag, and the verdict, if as many ended as planned."""
    rows = [_row(each, number) for number, each in enumerate(compared, start=1)]
    heads = ("search", "first rate, msg/s", "held", "not held", "for a minute", "probes", "seconds", "flags")
    why = [f"- {line}" for each in compared for line in _said(each)]
    ended = "met" if is_met(compared) else "NOT met"
    met = ended if len(compared) == planned else f"not known, {len(compared)} of {planned} searches ended"
    goal = f"within {NEAR:.0%} of a minute's and unflagged, {MOST_FLAGGED} of them at most flagged instead"
    return "\n\n".join(part for part in (table(heads, rows), "\n".join(why), f"{met}: {goal}") if part)


def _said(each: Compared) -> Iterator[str]:
    """What raised flags, and why rates were not held."""
    for name, said in (*each.search.flags.items(), ("failed", each.search.failed)):
        if said:
            yield f"{name}, from {figure(each.search.first)} msg/s: {said}"
    for hold in (each.below, each.above):
        if hold and hold.said:
            yield f"{figure(hold.rate)} msg/s for a minute: {hold.said}"


def _row(each: Compared, number: int) -> tuple[str, ...]:
    search = each.search
    return (
        str(number),
        figure(search.first),
        figure(search.held),
        figure(search.bound),
        ", ".join(_words(hold) for hold in (each.below, each.above) if hold),
        str(len(search.probes)),
        f"{search.seconds:.0f}",
        ", ".join(search.unexpected) or ("failed" if search.failed else "none"),
    )


def _words(hold: Hold) -> str:
    how = {True: "held", False: "not held", None: "unknown"}[hold.held]
    return f"{figure(hold.rate)} {how}"
