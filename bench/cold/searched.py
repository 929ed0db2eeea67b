"""Results of searches from several first rates, the reference beside them, and whether they agree."""

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


def is_met(searches: Sequence[Searched], reference: Searched) -> bool:
    """Each near, or flagged; and as good as none flagged."""
    flagged = [each for each in searches if each.unexpected]
    others_near = all(each.is_near(reference) for each in searches if not each.unexpected)
    return others_near and len(flagged) <= MOST_FLAGGED


def report(searches: Sequence[Searched], reference: Searched) -> str:
    """A table in Markdown, what raised each flag, and the verdict."""
    rows = [_row(each, f"search {number}", reference) for number, each in enumerate(searches, start=1)]
    heads = ("", "first rate, msg/s", "held", "not held", "of the reference", "probes", "seconds", "flags")
    shown = table(heads, [*rows, _row(reference, "reference", reference)])
    why = [
        f"- {name}, from {figure(each.first)} msg/s: {said}"
        for each in (*searches, reference)
        for name, said in (*each.flags.items(), ("failed", each.failed))
        if said
    ]
    met = "met" if is_met(searches, reference) else "NOT met"
    goal = f"within {NEAR:.0%} of the reference and unflagged, {MOST_FLAGGED} of them at most flagged instead"
    return "\n\n".join(part for part in (shown, "\n".join(why), f"{met}: {goal}") if part)


def _row(each: Searched, name: str, reference: Searched) -> tuple[str, ...]:
    share = each.held / reference.held if each.held and reference.held else None
    return (
        name,
        figure(each.first),
        figure(each.held),
        figure(each.bound),
        "" if share is None else f"{share:.0%}",
        str(len(each.probes)),
        f"{each.seconds:.0f}",
        ", ".join(each.unexpected) or ("failed" if each.failed else "none"),
    )
