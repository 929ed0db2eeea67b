"""Results of searches from several first rates, each with its reference, and whether they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.table import table
from breakeven.loadgen.search.probe import Probe, best, bound
from breakeven.words import figure

#: how far from the reference a capacity may be, and how many of the searches may say by a flag that theirs is
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

    def is_near(self, reference: Searched) -> bool:
        """Is what was held within ``NEAR`` of what the reference held, or of the rate at which that failed?

        The reference's capacity lies between the two.
        """
        if self.held is None or reference.held is None:
            return False
        most = reference.bound or reference.held
        return (1 - NEAR) * reference.held <= self.held <= (1 + NEAR) * most


@dataclass(frozen=True, slots=True)
class Compared:
    """A search and the reference that came right after it, as a machine's own speed drifts."""

    search: Searched
    reference: Searched

    @property
    def is_near(self) -> bool:
        return self.search.is_near(self.reference)


def is_met(compared: Sequence[Compared]) -> bool:
    """Each near, or flagged; and as good as none flagged."""
    flagged = [each for each in compared if each.search.unexpected]
    others_near = all(each.is_near for each in compared if not each.search.unexpected)
    return others_near and len(flagged) <= MOST_FLAGGED


def report(compared: Sequence[Compared]) -> str:
    """A table in Markdown, what raised each flag, and the verdict."""
    rows = [row for number, each in enumerate(compared, start=1) for row in _rows(each, number)]
    heads = ("", "first rate, msg/s", "held", "not held", "of its reference", "probes", "seconds", "flags")
    why = [
        f"- {name}, from {figure(one.first)} msg/s: {said}"
        for each in compared
        for one in (each.search, each.reference)
        for name, said in (*one.flags.items(), ("failed", one.failed))
        if said
    ]
    met = "met" if is_met(compared) else "NOT met"
    goal = f"within {NEAR:.0%} of the reference and unflagged, {MOST_FLAGGED} of them at most flagged instead"
    return "\n\n".join(part for part in (table(heads, rows), "\n".join(why), f"{met}: {goal}") if part)


def _rows(each: Compared, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    held, reference = each.search.held, each.reference.held
    share = f"{held / reference:.0%}" if held and reference else ""
    return _row(each.search, f"search {number}", share), _row(each.reference, f"reference {number}", "")


def _row(each: Searched, name: str, share: str) -> tuple[str, ...]:
    return (
        name,
        figure(each.first),
        figure(each.held),
        figure(each.bound),
        share,
        str(len(each.probes)),
        f"{each.seconds:.0f}",
        ", ".join(each.unexpected) or ("failed" if each.failed else "none"),
    )
